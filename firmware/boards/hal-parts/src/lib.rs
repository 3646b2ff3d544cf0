//! What the boards with a vendor's HAL share besides [`firmware`].
//!
//! Such a board is wiring: the HAL's serial port under [`firmware::adapters`], the HAL's clock and watchdog, and of this
//! package the memory for the [hash table](memory) and what to do [when all is lost](failure).
#![no_std]

pub mod failure;
#[cfg(target_arch = "arm")]
pub mod memory;
