//! The Raspberry Pi Pico and Pico 2, but for their chips: the same pins, the same ports, the same light.
//!
//! The serial port is USB ([`usb_serial`]), for the boards have no other bridge to a computer, and the UART on GP0 and GP1
//! beside it.
#![no_std]

pub mod board;
mod failure;
pub mod usb_serial;
