//! The serial port.

use crate::line::{BAUD, Receiver};
use crate::nvic::Interrupt;
use crate::register::Register;

const STATE_SENDING: u32 = 1 << 0;
const STATE_RECEIVED: u32 = 1 << 1;
const CONTROL_SEND: u32 = 1 << 0;
const CONTROL_RECEIVE: u32 = 1 << 1;
const CONTROL_RECEIVE_INTERRUPT: u32 = 1 << 3;
const INTERRUPT_RECEIVE: u32 = 1 << 1;

/// A serial port: one byte each way.
#[derive(Clone, Copy, Debug)]
pub struct Uart {
    data: Register,
    state: Register,
    control: Register,
    interrupt_clear: Register,
    baud_divider: Register,
    interrupt: Interrupt,
}

impl Uart {
    /// The port at `base`, whose received bytes interrupt as `interrupt`.
    ///
    /// # Safety
    /// A CMSDK UART is there.
    #[must_use]
    pub const unsafe fn at(base: usize, interrupt: Interrupt) -> Self {
        // SAFETY: the caller vouches for the device, and these are its registers; they touch no memory.
        unsafe {
            Self {
                data: Register::at(base),
                state: Register::at(base + 0x4),
                control: Register::at(base + 0x8),
                interrupt_clear: Register::at(base + 0xC),
                baud_divider: Register::at(base + 0x10),
                interrupt,
            }
        }
    }

    /// Starts the port of a machine whose peripherals run at `hz`.
    pub fn start(self, hz: u32) {
        self.baud_divider.write(hz / BAUD);
        self.control.write(CONTROL_SEND | CONTROL_RECEIVE | CONTROL_RECEIVE_INTERRUPT);
    }

    /// Sends a byte, once the port is free.
    pub fn send(self, byte: u8) {
        while self.state.read() & STATE_SENDING != 0 {}
        self.data.write(u32::from(byte));
    }
}

impl Receiver for Uart {
    fn receive(&mut self) -> Option<u8> {
        if self.state.read() & STATE_RECEIVED == 0 {
            // Acknowledge first and look again after: a byte that comes in between then interrupts anew.
            self.interrupt_clear.write(INTERRUPT_RECEIVE);
            if self.state.read() & STATE_RECEIVED == 0 {
                return None;
            }
        }
        Some(self.data.read() as u8)
    }

    fn listen(&mut self, on: bool) {
        // A byte that may not interrupt stays in the port, and its interrupt waits.
        if on { self.interrupt.unmask() } else { self.interrupt.mask() }
    }
}
