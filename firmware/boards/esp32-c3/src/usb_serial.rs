//! The serial port over USB that is part of the chip, with the drivers of every system.
//!
//! It holds one packet each way. Until that has been taken the computer has to wait, as USB provides, so nothing is lost and
//! no queue is needed.

use crate::event;
use core::convert::Infallible;
use embedded_io::{ErrorType, Read, ReadReady, Write};
use esp_hal::Blocking;
use esp_hal::peripherals::USB_DEVICE;
use esp_hal::time::{Duration, Instant};
use esp_hal::usb::usb_serial_jtag::UsbSerialJtag;

/// How long a full port is waited for. A computer that takes nothing for that long has no program that reads.
const PATIENCE: Duration = Duration::from_millis(500);

/// The serial port.
pub struct Port {
    usb: UsbSerialJtag<'static, Blocking>,
    /// A byte that was looked at: the port cannot be asked without taking one.
    next: Option<u8>,
    /// Nobody takes what is sent: it is dropped.
    unheard: bool,
}

/// A packet has come, which the core is awake to see.
#[esp_hal::handler]
fn on_packet() {
    USB_DEVICE::regs().int_clr().write(|interrupts| interrupts.serial_out_recv_pkt().clear_bit_by_one());
    event::send();
}

impl Port {
    /// Starts to receive.
    pub fn new(device: USB_DEVICE<'static>) -> Self {
        let mut usb = UsbSerialJtag::new(device);
        usb.set_interrupt_handler(on_packet);
        usb.listen_rx_packet_recv_interrupt();
        Self { usb, next: None, unheard: false }
    }

    /// Sends what there is room for, at once.
    fn try_send(&mut self, bytes: &[u8]) -> usize {
        let sent = bytes.iter().take_while(|&&byte| self.usb.write_byte_nb(byte).is_ok()).count();
        if sent > 0 {
            // The packet goes, full or not. That it has not gone yet is no error.
            let _ = self.usb.flush_tx_nb();
        }
        sent
    }
}

impl ErrorType for Port {
    type Error = Infallible;
}

impl ReadReady for Port {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        if self.next.is_none() {
            self.next = self.usb.read_byte().ok();
        }
        Ok(self.next.is_some())
    }
}

impl Read for Port {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Infallible> {
        let Some(first) = into.first_mut() else { return Ok(0) };
        loop {
            if let Some(byte) = self.next.take().or_else(|| self.usb.read_byte().ok()) {
                *first = byte;
                return Ok(1);
            }
            event::wait();
        }
    }
}

impl Write for Port {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let start = Instant::now();
        loop {
            let sent = self.try_send(bytes);
            if sent > 0 {
                self.unheard = false;
                return Ok(sent);
            }
            if self.unheard || start.elapsed() > PATIENCE {
                self.unheard = true;
                return Ok(bytes.len());
            }
        }
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        // Whatever is in the port is on its way.
        Ok(())
    }
}
