//! What a clock is.

/// Something that counts at a steady pace, never goes back and does not wrap in the life of the machine.
pub trait Clock {
    /// How many times a second.
    fn hz(&self) -> u32;

    /// Ticks since the start.
    fn ticks(&self) -> u64;

    /// Microseconds since the start.
    fn micros(&self) -> u64 {
        // A year of ticks of 100 MHz, times a million, is beyond 64 bits: whole seconds apart.
        let (ticks, hz) = (self.ticks(), u64::from(self.hz()));
        ticks / hz * 1_000_000 + ticks % hz * 1_000_000 / hz
    }
}
