//! Last words, without the help of the HAL's drivers: their state may be what is broken.
//!
//! The HAL makes a panic of every exception, and of a stack that has grown too far.

use core::fmt;
use core::panic::PanicInfo;
use esp_hal::delay::Delay;
use esp_hal::peripherals::{GPIO, UART0, USB_DEVICE};
use hal_parts::failure::{blink, say_panic};

/// GPIO8, lit when low.
const LIGHT: u32 = 1 << 8;
/// What the UART holds of what is to be sent, in bytes.
const UART_HOLDS: u8 = 128;
/// How often a full USB port is asked before its packet is given up: some 10 milliseconds.
const USB_LOOKS: u32 = 100_000;

/// Both ports, as they were set up.
struct LastWords;

impl fmt::Write for LastWords {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(send_by_uart);
        let heard = text.bytes().all(send_by_usb);
        if heard {
            USB_DEVICE::regs().ep1_conf().modify(|_, port| port.wr_done().set_bit());
        }
        Ok(())
    }
}

fn send_by_uart(byte: u8) {
    let uart = UART0::regs();
    while uart.status().read().txfifo_cnt().bits() >= UART_HOLDS.into() {}
    // SAFETY: every byte may be sent.
    uart.fifo().write(|port| unsafe { port.rxfifo_rd_byte().bits(byte) });
}

/// Whether there was room for it.
fn send_by_usb(byte: u8) -> bool {
    let usb = USB_DEVICE::regs();
    let is_free = (0..USB_LOOKS).any(|_| usb.ep1_conf().read().serial_in_ep_data_free().bit_is_set());
    if is_free {
        // SAFETY: as above.
        usb.ep1().write(|port| unsafe { port.rdwr_byte().bits(byte) });
    }
    is_free
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    critical_section::with(|_| {
        say_panic(&mut LastWords, info);
        halt()
    })
}

fn halt() -> ! {
    let light = |on| {
        let pins = GPIO::regs();
        // SAFETY: both registers change only the pins whose bits are set.
        unsafe {
            if on {
                pins.out_w1tc().write(|register| register.out_w1tc().bits(LIGHT));
            } else {
                pins.out_w1ts().write(|register| register.out_w1ts().bits(LIGHT));
            }
        }
    };
    let delay = Delay::new();
    blink(light, |milliseconds| delay.delay_millis(milliseconds))
}
