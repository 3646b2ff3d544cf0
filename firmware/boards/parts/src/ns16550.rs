//! National Semiconductor's 16550 UART, with its registers a byte apart: a serial port with queues of 16 bytes.
//!
//! Source: PC16550D, Universal Asynchronous Receiver/Transmitter with FIFOs, data sheet, section 8.

use crate::line::{BAUD, Receiver};
use crate::register::Register;

const INTERRUPT_RECEIVE: u8 = 1 << 0;
const QUEUES_ON_AND_EMPTY: u8 = 0b111;
const LINE_EIGHT_BITS: u8 = 0b11;
/// Makes the first two registers the divisor.
const LINE_DIVISOR: u8 = 1 << 7;
const STATE_RECEIVED: u8 = 1 << 0;
const STATE_MAY_SEND: u8 = 1 << 5;

/// A serial port.
#[derive(Clone, Copy, Debug)]
pub struct Uart {
    data: Register<u8>,
    interrupts: Register<u8>,
    queues: Register<u8>,
    line_control: Register<u8>,
    state: Register<u8>,
}

impl Uart {
    /// The port at `base`.
    ///
    /// # Safety
    /// A 16550 is there.
    #[must_use]
    pub const unsafe fn at(base: usize) -> Self {
        // SAFETY: the caller vouches for the device, and these are its registers; they touch no memory.
        unsafe {
            Self {
                data: Register::at(base),
                interrupts: Register::at(base + 1),
                queues: Register::at(base + 2),
                line_control: Register::at(base + 3),
                state: Register::at(base + 5),
            }
        }
    }

    /// Starts the port, which is clocked at `hz`.
    pub fn start(self, hz: u32) {
        let [low, high, ..] = (hz / (16 * BAUD)).to_le_bytes();
        self.line_control.write(LINE_DIVISOR);
        self.data.write(low);
        self.interrupts.write(high);
        self.line_control.write(LINE_EIGHT_BITS);
        self.queues.write(QUEUES_ON_AND_EMPTY);
        self.interrupts.write(0);
    }

    /// Sends a byte, once the port has room.
    pub fn send(self, byte: u8) {
        while self.state.read() & STATE_MAY_SEND == 0 {}
        self.data.write(byte);
    }
}

impl Receiver for Uart {
    fn receive(&mut self) -> Option<u8> {
        // The port asks for as long as it has a byte: there is nothing to acknowledge.
        (self.state.read() & STATE_RECEIVED != 0).then(|| self.data.read())
    }

    fn listen(&mut self, on: bool) {
        self.interrupts.write(if on { INTERRUPT_RECEIVE } else { 0 });
    }
}
