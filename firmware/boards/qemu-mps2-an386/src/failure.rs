//! When all is lost: one line on the serial port that a chess program shows, then silence.

use crate::uart::LastWords;
use core::fmt::Write;
use core::panic::PanicInfo;
use cortex_m_rt::{ExceptionFrame, exception};

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    cortex_m::interrupt::disable();
    let mut line = LastWords::new();
    // Sending cannot fail.
    let _ = match info.location() {
        Some(place) => write!(line, "\ninfo string panic: {}:{}: {}\n", place.file(), place.line(), info.message()),
        None => writeln!(line, "\ninfo string panic: {}", info.message()),
    };
    halt()
}

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    // Sending cannot fail.
    let _ = writeln!(LastWords::new(), "\ninfo string panic: hard fault at {:#010x}", frame.pc());
    halt()
}

fn halt() -> ! {
    #[cfg(feature = "measure")]
    crate::semihosting::exit(false);
    #[cfg(not(feature = "measure"))]
    loop {
        cortex_m::asm::wfi();
    }
}
