//! The timer as a clock: 32 bits that count down at the speed of the peripherals, made 64 bits wide by counting how
//! often it reaches zero. At 25 MHz it wraps every 171 seconds as a timer, and never as a clock.

use core::cell::Cell;

use critical_section::Mutex;

use crate::clock::Clock;
use crate::register::Register;

const CONTROL_RUN: u32 = 1 << 0;
const CONTROL_INTERRUPT: u32 = 1 << 3;
const WRAPPED: u32 = 1 << 0;

/// A timer that is a clock.
#[derive(Debug)]
pub struct Timer {
    control: Register,
    value: Register,
    reload: Register,
    /// Reads as the interrupt's state, clears it when written.
    interrupt: Register,
    hz: u32,
    wraps: Mutex<Cell<u32>>,
}

impl Timer {
    /// The timer at `base`, which counts `hz` times a second.
    ///
    /// # Safety
    /// A CMSDK timer is there.
    #[must_use]
    pub const unsafe fn at(base: usize, hz: u32) -> Self {
        // SAFETY: the caller vouches for the device, and these are its registers; they touch no memory.
        unsafe {
            Self {
                control: Register::at(base),
                value: Register::at(base + 4),
                reload: Register::at(base + 8),
                interrupt: Register::at(base + 12),
                hz,
                wraps: Mutex::new(Cell::new(0)),
            }
        }
    }

    /// Starts counting. Its interrupt must call [`on_wrap`](Self::on_wrap).
    pub fn start(&self) {
        self.reload.write(u32::MAX);
        self.value.write(u32::MAX);
        self.control.write(CONTROL_RUN | CONTROL_INTERRUPT);
    }

    /// The interrupt: the timer has reached zero.
    pub fn on_wrap(&self) {
        self.interrupt.write(WRAPPED);
        critical_section::with(|cs| {
            let wraps = self.wraps.borrow(cs);
            wraps.set(wraps.get() + 1);
        });
    }
}

impl Clock for Timer {
    fn hz(&self) -> u32 {
        self.hz
    }

    fn ticks(&self) -> u64 {
        let (wraps, left) = critical_section::with(|cs| {
            let wraps = self.wraps.borrow(cs).get();
            let left = self.value.read();
            // The timer may have reached zero just now, with its interrupt still waiting. Then `left` may be from
            // before; a second look is from after for certain.
            if self.interrupt.read() & WRAPPED == 0 { (wraps, left) } else { (wraps + 1, self.value.read()) }
        });
        // Zero belongs to the round that it begins.
        (u64::from(wraps) << 32) + u64::from(left.wrapping_neg())
    }
}
