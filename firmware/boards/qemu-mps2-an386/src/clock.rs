//! The clock: a 32-bit CMSDK timer that counts down at the speed of the peripherals, made 64 bits wide by counting
//! how often it passes zero. It wraps every 171 seconds as a timer, and never as a clock.

use crate::CLOCK_HZ;
use crate::interrupts::{self, Line};
use crate::registers::Register;
use core::cell::Cell;
use critical_section::Mutex;

// SAFETY: timer 0 of the AN386 image; its registers touch no memory.
const CONTROL: Register = unsafe { Register::at(0x4000_0000) };
// SAFETY: as above.
const VALUE: Register = unsafe { Register::at(0x4000_0004) };
// SAFETY: as above.
const RELOAD: Register = unsafe { Register::at(0x4000_0008) };
/// Reads as the interrupt's state, clears it when written.
// SAFETY: as above.
const INTERRUPT: Register = unsafe { Register::at(0x4000_000C) };

const CONTROL_RUN: u32 = 1 << 0;
const CONTROL_INTERRUPT: u32 = 1 << 3;
const WRAPPED: u32 = 1 << 0;

static WRAPS: Mutex<Cell<u32>> = Mutex::new(Cell::new(0));

/// The clock, started. There is one.
pub struct Clock(());

impl Clock {
    /// Starts counting from zero.
    pub fn start() -> Self {
        RELOAD.write(u32::MAX);
        VALUE.write(u32::MAX);
        CONTROL.write(CONTROL_RUN | CONTROL_INTERRUPT);
        interrupts::unmask(Line::Timer);
        Self(())
    }

    /// Ticks of 40 nanoseconds since the start.
    pub fn ticks(&self) -> u64 {
        let (wraps, left) = critical_section::with(|cs| {
            let wraps = WRAPS.borrow(cs).get();
            let left = VALUE.read();
            // The timer may have wrapped just now, with its interrupt still waiting. Then `left` may be from either
            // side of zero; a second look is from the far side for certain.
            if INTERRUPT.read() & WRAPPED == 0 { (wraps, left) } else { (wraps + 1, VALUE.read()) }
        });
        (u64::from(wraps) << 32) + u64::from(u32::MAX - left)
    }

    /// Microseconds since the start.
    pub fn micros(&self) -> u64 {
        self.ticks() / u64::from(CLOCK_HZ / 1_000_000)
    }
}

/// The timer's interrupt: it has passed zero.
pub fn on_wrap() {
    INTERRUPT.write(WRAPPED);
    critical_section::with(|cs| {
        let wraps = WRAPS.borrow(cs);
        wraps.set(wraps.get() + 1);
    });
}
