//! Devices of Arm's Cortex-M System Design Kit, which the MPS boards are made of.
//!
//! Source: Arm Cortex-M System Design Kit, Technical Reference Manual (DDI 0479), chapter 4.

mod timer;
mod uart;

pub use timer::Timer;
pub use uart::Uart;
