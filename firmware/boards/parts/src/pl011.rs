//! Arm's PrimeCell UART, PL011: a serial port with queues of 16 bytes.
//!
//! Source: PrimeCell UART (PL011), Technical Reference Manual (DDI 0183), chapter 3.

use crate::line::{BAUD, Receiver};
use crate::nvic::Interrupt;
use crate::register::Register;

const FLAG_RECEIVE_EMPTY: u32 = 1 << 4;
const FLAG_SEND_FULL: u32 = 1 << 5;
const LINE_EIGHT_BITS: u32 = 0b11 << 5;
const LINE_QUEUES: u32 = 1 << 4;
const CONTROL_ENABLE: u32 = 1 << 0;
const CONTROL_SEND: u32 = 1 << 8;
const CONTROL_RECEIVE: u32 = 1 << 9;
/// The queue has filled to a mark.
const INTERRUPT_RECEIVE: u32 = 1 << 4;
/// There are bytes below the mark, and no more have come for a while.
const INTERRUPT_RECEIVE_TIMEOUT: u32 = 1 << 6;

/// A serial port.
#[derive(Clone, Copy, Debug)]
pub struct Uart {
    data: Register,
    flags: Register,
    baud_integer: Register,
    baud_fraction: Register,
    line_control: Register,
    control: Register,
    interrupt_mask: Register,
    interrupt_clear: Register,
    interrupt: Interrupt,
}

impl Uart {
    /// The port at `base`, whose received bytes interrupt as `interrupt`.
    ///
    /// # Safety
    /// A PL011 is there.
    #[must_use]
    pub const unsafe fn at(base: usize, interrupt: Interrupt) -> Self {
        // SAFETY: the caller vouches for the device, and these are its registers; they touch no memory.
        unsafe {
            Self {
                data: Register::at(base),
                flags: Register::at(base + 0x18),
                baud_integer: Register::at(base + 0x24),
                baud_fraction: Register::at(base + 0x28),
                line_control: Register::at(base + 0x2C),
                control: Register::at(base + 0x30),
                interrupt_mask: Register::at(base + 0x38),
                interrupt_clear: Register::at(base + 0x44),
                interrupt,
            }
        }
    }

    /// Starts the port, which is clocked at `hz`.
    pub fn start(self, hz: u32) {
        // Sixteen clocks a bit, in 64ths.
        let divisor = (hz * 4 + BAUD / 2) / BAUD;
        self.control.write(0);
        self.baud_integer.write(divisor >> 6);
        self.baud_fraction.write(divisor & 63);
        self.line_control.write(LINE_EIGHT_BITS | LINE_QUEUES);
        self.interrupt_mask.write(INTERRUPT_RECEIVE | INTERRUPT_RECEIVE_TIMEOUT);
        self.control.write(CONTROL_ENABLE | CONTROL_SEND | CONTROL_RECEIVE);
    }

    /// Sends a byte, once the port has room.
    pub fn send(self, byte: u8) {
        while self.flags.read() & FLAG_SEND_FULL != 0 {}
        self.data.write(u32::from(byte));
    }
}

impl Receiver for Uart {
    fn receive(&mut self) -> Option<u8> {
        if self.flags.read() & FLAG_RECEIVE_EMPTY != 0 {
            // Acknowledge first and look again after: a byte that comes in between then interrupts anew.
            self.interrupt_clear.write(INTERRUPT_RECEIVE | INTERRUPT_RECEIVE_TIMEOUT);
            if self.flags.read() & FLAG_RECEIVE_EMPTY != 0 {
                return None;
            }
        }
        Some(self.data.read() as u8)
    }

    fn listen(&mut self, on: bool) {
        if on {
            // Bytes may have come while nobody listened, and the port does not ask twice.
            self.interrupt.pend();
            self.interrupt.unmask();
        } else {
            self.interrupt.mask();
        }
    }
}
