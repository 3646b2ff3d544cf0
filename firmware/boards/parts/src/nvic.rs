//! A Cortex-M's interrupt controller.

use cortex_m::{interrupt::InterruptNumber, peripheral::NVIC};

/// A device's interrupt, by the number that the chip's manual gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt(pub i16);

// SAFETY: the number is a value, and never changes.
unsafe impl InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self.0.unsigned_abs()
    }
}

impl Interrupt {
    /// Lets the device interrupt. If it has asked already, it does so at once.
    pub fn unmask(self) {
        // SAFETY: no critical section here relies on a masked device: they all turn interrupts off.
        unsafe { NVIC::unmask(self) }
    }

    /// Keeps the device waiting.
    pub fn mask(self) {
        NVIC::mask(self);
    }

    /// Makes the interrupt happen, whether the device asks or not.
    pub fn pend(self) {
        NVIC::pend(self);
    }
}
