//! The serial port. This is the one of Arm's MPS2 boards: put your HAL's here, one that an interrupt or DMA fills.

use crate::board::CORE_HZ;
use core::cell::RefCell;
use core::convert::Infallible;
use core::fmt;
use core::ptr::without_provenance_mut;
use cortex_m::peripheral::NVIC;
use cortex_m_rt::exception;
use critical_section::Mutex;
use embedded_io::{ErrorType, Read, ReadReady, Write};
use firmware::receive::{Flow, Inlet, Outlet, Queue};
use static_cell::ConstStaticCell;

/// Registers, by their distance from the first.
const DATA: usize = 0x00;
const STATE: usize = 0x04;
const CONTROL: usize = 0x08;
const INTERRUPT: usize = 0x0C;
const BAUD_DIVIDER: usize = 0x10;

const STATE_SENDING: u32 = 1 << 0;
const STATE_RECEIVED: u32 = 1 << 1;
/// Send, receive, interrupt when a byte has come.
const CONTROL_ALL: u32 = 0b1011;
const INTERRUPT_RECEIVE: u32 = 1 << 1;

/// What may come while the engine cannot look, on a line without flow control: its longest answer, to `uci`, is 1,336
/// bytes, and until they are sent as many may come.
static QUEUE: ConstStaticCell<Queue<2048>> = ConstStaticCell::new(Queue::new());
/// The interrupt's end of it.
static INLET: Mutex<RefCell<Option<Inlet<'static>>>> = Mutex::new(RefCell::new(None));

fn register(offset: usize) -> *mut u32 {
    without_provenance_mut(0x4000_4000 + offset)
}

fn read(offset: usize) -> u32 {
    // SAFETY: a register of UART 0, which is no memory.
    unsafe { register(offset).read_volatile() }
}

fn write(offset: usize, value: u32) {
    // SAFETY: as above.
    unsafe { register(offset).write_volatile(value) }
}

/// UART 0's receive interrupt.
#[derive(Clone, Copy)]
struct Line;

// SAFETY: the number is that of the board's manual.
unsafe impl cortex_m::interrupt::InterruptNumber for Line {
    fn number(self) -> u16 {
        0
    }
}

fn listen() {
    // SAFETY: no critical section relies on a masked line: they all turn interrupts off.
    unsafe { NVIC::unmask(Line) }
}

/// The one device interrupt there is: a byte has come.
#[exception]
unsafe fn DefaultHandler(_number: i16) {
    write(INTERRUPT, INTERRUPT_RECEIVE);
    let next = || (read(STATE) & STATE_RECEIVED != 0).then(|| read(DATA) as u8);
    critical_section::with(|cs| {
        if let Some(inlet) = INLET.borrow_ref_mut(cs).as_mut()
            && inlet.fill(next) == Flow::Paused
        {
            NVIC::mask(Line);
        }
    });
}

/// The serial port, started.
pub struct Uart(Outlet<'static>);

impl Uart {
    /// Starts the port. Called once.
    pub fn start() -> Self {
        let (inlet, outlet) = QUEUE.take().split();
        critical_section::with(|cs| INLET.replace(cs, Some(inlet)));
        write(BAUD_DIVIDER, CORE_HZ / 115_200);
        write(CONTROL, CONTROL_ALL);
        listen();
        Self(outlet)
    }
}

impl ErrorType for Uart {
    type Error = Infallible;
}

impl ReadReady for Uart {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        Ok(!self.0.is_empty())
    }
}

impl Read for Uart {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Infallible> {
        loop {
            match self.0.take(listen) {
                Some(byte) => {
                    into[0] = byte;
                    return Ok(1);
                }
                None => cortex_m::asm::wfe(),
            }
        }
    }
}

impl Write for Uart {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        send(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

fn send(bytes: &[u8]) {
    for &byte in bytes {
        while read(STATE) & STATE_SENDING != 0 {}
        write(DATA, byte.into());
    }
}

/// The port for last words, in any state of the program.
pub struct LastWords;

impl fmt::Write for LastWords {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        write(CONTROL, CONTROL_ALL);
        send(text.as_bytes());
        Ok(())
    }
}
