//! The serial port: Arm's CMSDK UART. Receiving is by interrupt into a queue, sending waits for the port.

use crate::interrupts::{self, Line};
use crate::registers::Register;
use core::cell::RefCell;
use core::fmt;
use critical_section::Mutex;
use firmware::receive::{Flow, Inlet, Outlet, Queue};

/// On purpose far shorter than a line: the engine reads words as they come and needs no line buffer.
pub const QUEUE_BYTES: usize = 64;

const BAUD: u32 = 115_200;

// SAFETY: UART 0 of the AN386 image; its registers touch no memory.
const DATA: Register = unsafe { Register::at(0x4000_4000) };
// SAFETY: as above.
const STATE: Register = unsafe { Register::at(0x4000_4004) };
// SAFETY: as above.
const CONTROL: Register = unsafe { Register::at(0x4000_4008) };
// SAFETY: as above.
const INTERRUPT_CLEAR: Register = unsafe { Register::at(0x4000_400C) };
// SAFETY: as above.
const BAUD_DIVIDER: Register = unsafe { Register::at(0x4000_4010) };

const STATE_SENDING: u32 = 1 << 0;
const STATE_RECEIVED: u32 = 1 << 1;
const CONTROL_SEND: u32 = 1 << 0;
const CONTROL_RECEIVE: u32 = 1 << 1;
const CONTROL_RECEIVE_INTERRUPT: u32 = 1 << 3;
const INTERRUPT_RECEIVE: u32 = 1 << 1;

/// The interrupt's end of the queue, from `Uart::start` on.
static INLET: Mutex<RefCell<Option<Inlet<'static>>>> = Mutex::new(RefCell::new(None));

/// The serial port, started. There is one.
pub struct Uart {
    received: Outlet<'static>,
}

impl Uart {
    /// Starts the port, of a machine whose peripherals run at `clock_hz`.
    pub fn start(queue: &'static mut Queue<QUEUE_BYTES>, clock_hz: u32) -> Self {
        let (inlet, received) = queue.split();
        critical_section::with(|cs| INLET.replace(cs, Some(inlet)));
        BAUD_DIVIDER.write(clock_hz / BAUD);
        CONTROL.write(CONTROL_SEND | CONTROL_RECEIVE | CONTROL_RECEIVE_INTERRUPT);
        interrupts::unmask(Line::UartReceive);
        Self { received }
    }

    /// The next byte, if one has come.
    pub fn read(&mut self) -> Option<u8> {
        self.received.take(|| interrupts::unmask(Line::UartReceive))
    }

    /// Whether no byte waits in the queue.
    pub fn is_empty(&self) -> bool {
        self.received.is_empty()
    }

    /// Sends `bytes`, waiting for the port before each.
    pub fn write(&mut self, bytes: &[u8]) {
        send(bytes);
    }
}

fn send(bytes: &[u8]) {
    for &byte in bytes {
        while STATE.read() & STATE_SENDING != 0 {}
        DATA.write(u32::from(byte));
    }
}

/// The byte in the port, if there is one.
fn receive() -> Option<u8> {
    if STATE.read() & STATE_RECEIVED == 0 {
        // Acknowledge first and look again after: a byte that comes in between then interrupts anew.
        INTERRUPT_CLEAR.write(INTERRUPT_RECEIVE);
        if STATE.read() & STATE_RECEIVED == 0 {
            return None;
        }
    }
    Some(DATA.read() as u8)
}

/// The receive interrupt.
pub fn on_receive() {
    critical_section::with(|cs| {
        if let Some(inlet) = INLET.borrow_ref_mut(cs).as_mut()
            && inlet.fill(receive) == Flow::Paused
        {
            // The byte stays in the port, and its interrupt waits.
            interrupts::mask(Line::UartReceive);
        }
    });
}

/// The port for last words: works in any state of the program, even before `Uart::start`.
pub struct LastWords;

impl LastWords {
    /// Makes sure that the port can send.
    pub fn new() -> Self {
        CONTROL.write(CONTROL_SEND);
        Self
    }
}

impl fmt::Write for LastWords {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        send(text.as_bytes());
        Ok(())
    }
}
