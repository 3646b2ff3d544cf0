//! Knightlight's engine as a library.
#![no_std]
#![deny(missing_docs, unsafe_code)]

pub mod chess;
pub mod platform;
