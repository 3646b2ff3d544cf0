//! The machine's registers: the one place that turns an address into a device.

use core::ptr;

/// A 32-bit device register.
#[derive(Clone, Copy)]
pub struct Register(*mut u32);

impl Register {
    /// The register at `address`.
    ///
    /// # Safety
    /// `address` is that of a word-aligned device register of this machine: not memory that Rust knows of, and
    /// neither reading nor writing it may change such memory.
    pub const unsafe fn at(address: usize) -> Self {
        Self(ptr::without_provenance_mut(address))
    }

    /// Reads the register.
    #[inline]
    pub fn read(self) -> u32 {
        // SAFETY: `at` was promised a device register, which can always be read.
        unsafe { self.0.read_volatile() }
    }

    /// Writes the register.
    #[inline]
    pub fn write(self, value: u32) {
        // SAFETY: `at` was promised a device register, and that writing it changes no memory.
        unsafe { self.0.write_volatile(value) }
    }
}
