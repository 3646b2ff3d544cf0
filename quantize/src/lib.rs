//! From trained float weights to the integers that a microcontroller multiplies.
//!
//! Weights come as safetensors, the trainer's exchange format ([`weights`]), and are rounded to fixed point
//! ([`fixed`]).

pub mod fixed;
pub mod weights;
