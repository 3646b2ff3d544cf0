//! Last words, without the help of the HAL: its state may be what is broken.

use core::fmt;
use core::panic::PanicInfo;
use core::sync::atomic::{Ordering, compiler_fence};
use cortex_m_rt::{ExceptionFrame, exception};
use embassy_nrf::pac::{self, uarte::vals::Enable};
use hal_parts::failure::{blink, say_hard_fault, say_panic};

/// What the core runs at.
const CORE_HZ: u32 = 64_000_000;
/// P0.13: LED 1, lit when low.
const LIGHT: u32 = 1 << 13;

/// The serial port as it was set up. Before that, it says nothing.
struct LastWords;

impl LastWords {
    /// Waits until DMA has sent what is on its way: 512 bytes at most, which take 45 milliseconds.
    fn new() -> Self {
        cortex_m::asm::delay(CORE_HZ / 1000 * 50);
        Self
    }
}

impl fmt::Write for LastWords {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let uart = pac::UARTE0;
        if uart.enable().read().enable() != Enable::Enabled {
            return Err(fmt::Error);
        }
        for &byte in text.as_bytes() {
            // DMA reads RAM alone, and text is mostly in flash.
            let byte = [byte];
            uart.dma().tx().ptr().write_value(byte.as_ptr().addr() as u32);
            uart.dma().tx().maxcnt().write(|register| register.set_maxcnt(1));
            uart.events_dma().tx().end().write_value(0);
            compiler_fence(Ordering::Release);
            uart.tasks_dma().tx().start().write_value(1);
            while uart.events_dma().tx().end().read() == 0 {}
            compiler_fence(Ordering::Acquire);
        }
        Ok(())
    }
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    cortex_m::interrupt::disable();
    say_panic(&mut LastWords::new(), info);
    halt()
}

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    say_hard_fault(&mut LastWords::new(), frame.pc());
    halt()
}

fn halt() -> ! {
    let light = |on| {
        if on { pac::P0.outclr().write(|pins| pins.0 = LIGHT) } else { pac::P0.outset().write(|pins| pins.0 = LIGHT) }
    };
    blink(light, |milliseconds| cortex_m::asm::delay(CORE_HZ / 1000 * milliseconds))
}
