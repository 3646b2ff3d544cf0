//! Last words, without the help of the HAL: its state may be what is broken.

use crate::board::USB_LINE;
use core::fmt;
use core::panic::PanicInfo;
use cortex_m::peripheral::SCB;
use cortex_m::peripheral::scb::VectActive;
use cortex_m_rt::{ExceptionFrame, exception};
use embassy_rp::{clocks, pac};
use hal_parts::failure::{blink, say_hard_fault, say_panic};

/// GP25, the green light.
const LIGHT: u32 = 1 << 25;

/// The UART as it was set up, and USB where its interrupts still come. Before they are set up, they say nothing.
struct LastWords;

impl fmt::Write for LastWords {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // What is more than the pipe has room for is lost.
        USB_LINE.try_send(text.as_bytes());
        if !pac::RESETS.reset_done().read().uart0() || !pac::UART0.uartcr().read().txe() {
            return Ok(());
        }
        for byte in text.bytes() {
            while pac::UART0.uartfr().read().txff() {}
            pac::UART0.uartdr().write(|register| register.set_data(byte));
        }
        Ok(())
    }
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    // In an interrupt the USB device stands still, otherwise it goes on beside the blinking.
    if SCB::vect_active() != VectActive::ThreadMode {
        cortex_m::interrupt::disable();
    }
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
        let pins = pac::SIO.gpio_out(0);
        if on { pins.value_set().write_value(LIGHT) } else { pins.value_clr().write_value(LIGHT) }
    };
    let cycles = clocks::clk_sys_freq() / 1000;
    blink(light, |milliseconds| cortex_m::asm::delay(cycles * milliseconds))
}
