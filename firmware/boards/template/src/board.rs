//! The board as the engine sees it: wiring, no logic.

use crate::uart::Uart;
use core::cell::Cell;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;
use critical_section::Mutex;
use firmware::Platform;
use firmware::adapters::SerialPort;

/// What the core runs at once its clocks are set up.
pub const CORE_HZ: u32 = {{core_hz}};

static MILLISECONDS: Mutex<Cell<u64>> = Mutex::new(Cell::new(0));

#[exception]
fn SysTick() {
    critical_section::with(|cs| MILLISECONDS.borrow(cs).update(|now| now + 1));
}

/// Starts the board's devices. Called once.
pub fn start() -> impl Platform {
    let mut core = cortex_m::Peripherals::take().expect("nobody else takes them");
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(CORE_HZ / 1_000 - 1);
    core.SYST.clear_current();
    core.SYST.enable_counter();
    core.SYST.enable_interrupt();
    let micros = || critical_section::with(|cs| MILLISECONDS.borrow(cs).get()) * 1_000;
    // Every interrupt leaves an event behind, so one that comes between the last look and the sleep ends the sleep.
    SerialPort::new(Uart::start(), micros, cortex_m::asm::wfe)
}
