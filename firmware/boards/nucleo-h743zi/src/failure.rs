//! Last words, without the help of the HAL: its state may be what is broken.

use crate::clocks;
use core::fmt;
use core::panic::PanicInfo;
use cortex_m_rt::{ExceptionFrame, exception};
use embassy_stm32::pac;
use hal_parts::failure::{blink, say_hard_fault, say_panic};

/// PB0: the green LD1.
const LIGHT: usize = 0;

/// The serial port as it was set up. Before that, it says nothing.
struct LastWords;

impl fmt::Write for LastWords {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !pac::RCC.apb1lenr().read().usart3en() {
            return Err(fmt::Error);
        }
        for byte in text.bytes() {
            while !pac::USART3.isr().read().txe() {}
            pac::USART3.tdr().write(|register| register.set_dr(byte.into()));
        }
        Ok(())
    }
}

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

fn halt() -> ! {
    let light = |on| {
        pac::GPIOB
            .bsrr()
            .write(|register| if on { register.set_bs(LIGHT, true) } else { register.set_br(LIGHT, true) });
    };
    blink(light, |milliseconds| cortex_m::asm::delay(clocks::MOST_CORE_HZ / 1000 * milliseconds))
}
