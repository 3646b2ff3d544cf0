//! The platform's real-time counter as a clock: 64 bits, read as the register `time`.

use crate::clock::Clock;

/// The counter. The platform has one, and it always runs.
#[derive(Debug)]
pub struct Mtime {
    hz: u32,
}

impl Mtime {
    /// The counter of a platform where it counts `hz` times a second.
    #[must_use]
    pub const fn new(hz: u32) -> Self {
        Self { hz }
    }
}

impl Clock for Mtime {
    fn hz(&self) -> u32 {
        self.hz
    }

    fn ticks(&self) -> u64 {
        riscv::register::time::read64()
    }
}
