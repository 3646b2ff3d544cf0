//! Memory that behaves like flash: for emulated boards, which have none, and for tests.

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};

use super::Memory;

/// Memory that is erased in blocks, to ones, and in which writing a word only clears bits.
#[derive(Debug)]
pub struct Ram<'a>(pub(super) &'a mut [u8]);

impl<'a> Ram<'a> {
    /// This memory, whose length is a multiple of [`ERASE_SIZE`](NorFlash::ERASE_SIZE).
    pub const fn new(memory: &'a mut [u8]) -> Self {
        Self(memory)
    }

    /// Its bytes for good: nobody writes to them any more.
    #[must_use]
    pub const fn into_bytes(self) -> &'a [u8] {
        self.0
    }
}

impl ErrorType for Ram<'_> {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for Ram<'_> {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        check_read(self, offset, bytes.len())?;
        bytes.copy_from_slice(&self.0[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.0.len()
    }
}

impl NorFlash for Ram<'_> {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = 4_096;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        check_erase(self, from, to)?;
        self.0[from as usize..to as usize].fill(0xff);
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        check_write(self, offset, bytes.len())?;
        for (cell, byte) in self.0[offset as usize..].iter_mut().zip(bytes) {
            *cell &= byte;
        }
        Ok(())
    }
}

impl Memory for Ram<'_> {
    fn bytes(&self) -> &[u8] {
        self.0
    }
}
