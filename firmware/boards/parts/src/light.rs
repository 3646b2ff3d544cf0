//! A light on a register's bit.

use core::convert::Infallible;

use embedded_hal::digital::{ErrorType, OutputPin};

use crate::register::Register;

/// The light that burns while the engine thinks, on a register that no other light is used of.
#[derive(Debug)]
pub struct Light {
    register: Register,
    bit: u32,
}

impl Light {
    /// The light that burns when only this bit of the register is set.
    #[must_use]
    pub const fn new(register: Register, bit: u32) -> Self {
        Self { register, bit }
    }
}

impl ErrorType for Light {
    type Error = Infallible;
}

impl OutputPin for Light {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.register.write(0);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        self.register.write(1 << self.bit);
        Ok(())
    }
}
