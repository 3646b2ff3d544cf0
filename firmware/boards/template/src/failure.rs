//! When all is lost.

use crate::uart::LastWords;
use core::panic::PanicInfo;
use cortex_m_rt::{ExceptionFrame, exception};
use hal_parts::failure::{say_hard_fault, say_panic};

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    cortex_m::interrupt::disable();
    say_panic(&mut LastWords, info);
    halt()
}

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    say_hard_fault(&mut LastWords, frame.pc());
    halt()
}

/// A board with a light calls `hal_parts::failure::blink` here.
fn halt() -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}
