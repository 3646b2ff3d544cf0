//! What the boards with a vendor's HAL share besides [`firmware`].
//!
//! Such a board is wiring: the HAL's serial port under [`firmware::adapters`], the HAL's clock and watchdog, and of this
//! package the memory for the [hash table](memory), where flash is slow the [network in RAM](network), and what to do [when
//! all is lost](failure).
#![no_std]

pub mod failure;
pub mod memory;
pub mod network;
