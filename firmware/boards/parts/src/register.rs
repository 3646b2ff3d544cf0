//! Device registers: the one place that turns an address into a device.

use core::ptr;

/// A device register of the width of `T`: 32 bits, or 8.
#[derive(Debug)]
pub struct Register<T = u32>(*mut T);

impl<T> Register<T> {
    /// The register at `address`.
    ///
    /// # Safety
    /// `address` is that of a device register of this machine, of the width of `T` and aligned to it: not memory that
    /// Rust knows of, and neither reading nor writing it may change such memory.
    #[must_use]
    pub const unsafe fn at(address: usize) -> Self {
        Self(ptr::without_provenance_mut(address))
    }
}

impl<T: Copy> Register<T> {
    /// Reads the register.
    #[inline]
    #[must_use]
    pub fn read(self) -> T {
        // SAFETY: `at` was promised a device register, which can always be read.
        unsafe { self.0.read_volatile() }
    }

    /// Writes the register.
    #[inline]
    pub fn write(self, value: T) {
        // SAFETY: `at` was promised a device register, and that writing it changes no memory.
        unsafe { self.0.write_volatile(value) }
    }
}

// Not derived: a register is an address, whatever `T` is.
impl<T> Clone for Register<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Register<T> {}

// SAFETY: a register is an address, and every access to it is one machine instruction, whoever makes it.
unsafe impl<T> Send for Register<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Register<T> {}
