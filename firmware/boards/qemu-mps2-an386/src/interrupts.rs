//! The machine's interrupt lines, and who answers them.

use crate::{clock, uart};
use cortex_m::{interrupt::InterruptNumber, peripheral::NVIC};
use cortex_m_rt::exception;

/// An interrupt line that this program uses.
#[derive(Clone, Copy)]
#[repr(u16)]
pub enum Line {
    /// UART 0 has received a byte.
    UartReceive = 0,
    /// Timer 0 has passed zero.
    Timer = 8,
}

// SAFETY: the numbers are those of the board's manual, and never change.
unsafe impl InterruptNumber for Line {
    fn number(self) -> u16 {
        self as u16
    }
}

/// Lets a line interrupt. One that is already waiting does so at once.
pub fn unmask(line: Line) {
    // SAFETY: no critical section of this program relies on a masked line: they all turn interrupts off.
    unsafe { NVIC::unmask(line) }
}

/// Keeps a line waiting.
pub fn mask(line: Line) {
    NVIC::mask(line);
}

/// Every device interrupt arrives here, with its number.
#[exception]
unsafe fn DefaultHandler(number: i16) {
    const UART_RECEIVE: i16 = Line::UartReceive as i16;
    const TIMER: i16 = Line::Timer as i16;
    match number {
        UART_RECEIVE => uart::on_receive(),
        TIMER => clock::on_wrap(),
        other => panic!("interrupt {other} has no handler"),
    }
}
