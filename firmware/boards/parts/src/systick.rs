//! The core's own timer as a clock: 24 bits that count down at the speed of the core, made 56 bits wide by counting how
//! often they reach zero.

use core::cell::Cell;

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{SCB, SYST};
use critical_section::Mutex;

use crate::clock::Clock;

const BITS: u32 = 24;
const RELOAD: u32 = (1 << BITS) - 1;

/// The timer as a clock. The core has one.
#[derive(Debug)]
pub struct SysTick {
    hz: u32,
    wraps: Mutex<Cell<u32>>,
}

impl SysTick {
    /// The clock of a core that runs at `hz`.
    #[must_use]
    pub const fn new(hz: u32) -> Self {
        Self { hz, wraps: Mutex::new(Cell::new(0)) }
    }

    /// Starts counting. The exception `SysTick` must call [`on_wrap`](Self::on_wrap).
    pub fn start(&self, mut timer: SYST) {
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(RELOAD);
        timer.clear_current();
        timer.enable_interrupt();
        timer.enable_counter();
    }

    /// The exception: the timer has reached zero.
    pub fn on_wrap(&self) {
        critical_section::with(|cs| {
            let wraps = self.wraps.borrow(cs);
            wraps.set(wraps.get() + 1);
        });
    }
}

impl Clock for SysTick {
    fn hz(&self) -> u32 {
        self.hz
    }

    fn ticks(&self) -> u64 {
        let (wraps, left) = critical_section::with(|cs| {
            let wraps = self.wraps.borrow(cs).get();
            let left = SYST::get_current();
            // The timer may have reached zero just now, with its exception still waiting. Then `left` may be from
            // before; a second look is from after for certain.
            if SCB::is_pendst_pending() { (wraps + 1, SYST::get_current()) } else { (wraps, left) }
        });
        // Zero belongs to the round that it begins.
        (u64::from(wraps) << BITS) + u64::from(left.wrapping_neg() & RELOAD)
    }
}
