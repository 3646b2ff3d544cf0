//! The UART, with a queue that its interrupt fills.

use crate::event;
use core::cell::RefCell;
use core::convert::Infallible;
use critical_section::Mutex;
use embedded_io::{ErrorType, Read, ReadReady, Write};
use esp_hal::Blocking;
use esp_hal::uart::{Config, RxConfig, Uart, UartInterrupt};
use firmware::receive::{Flow, Inlet, Outlet, Queue};
use static_cell::ConstStaticCell;

/// The port interrupts when it holds this many of the 128 bytes that it can: the others come while it is heard.
const ENOUGH: u16 = 32;
/// It does so with fewer when the line has been still for so long, in characters: a command has ended.
const STILL: u8 = 2;

/// What may come while the engine cannot look: the line has no flow control. It looks every few hundredths of a second
/// while it searches and at once while it waits, but its longest answer, to `uci`, is 1,336 bytes, and until they are sent
/// as many may come.
static RECEIVED: ConstStaticCell<Queue<2048>> = ConstStaticCell::new(Queue::new());

/// What the interrupt works with.
static LINE: Mutex<RefCell<Option<Line>>> = Mutex::new(RefCell::new(None));

/// The port, and its end of the queue.
struct Line {
    uart: Uart<'static, Blocking>,
    inlet: Inlet<'static>,
}

impl Line {
    /// Moves what has come into the queue. While that is full the port is not to interrupt.
    fn fill(&mut self) {
        let interrupts = UartInterrupt::RxFifoFull | UartInterrupt::RxTimeout;
        // Before the bytes are taken: one that comes after the last look then interrupts anew.
        self.uart.clear_interrupts(interrupts);
        let flow = self.inlet.fill(|| {
            let mut byte = [0];
            loop {
                match self.uart.read_buffered(&mut byte) {
                    Ok(0) => return None,
                    Ok(_) => return Some(byte[0]),
                    // Noise, or bytes lost; told once, and what came after it is there all the same.
                    Err(_) => {}
                }
            }
        });
        match flow {
            Flow::Running => self.uart.listen(interrupts),
            Flow::Paused => self.uart.unlisten(interrupts),
        }
    }

    /// Sends what there is room for, at once.
    fn send(&mut self, bytes: &[u8]) -> usize {
        if self.uart.write_ready() { self.uart.write(bytes).unwrap_or(0) } else { 0 }
    }
}

fn with_line<T>(work: impl FnOnce(&mut Line) -> T) -> Option<T> {
    critical_section::with(|cs| LINE.borrow_ref_mut(cs).as_mut().map(work))
}

#[esp_hal::handler]
fn on_receive() {
    with_line(Line::fill);
    event::send();
}

/// How the line is set up.
pub fn config() -> Config {
    Config::default()
        .with_baudrate(115_200)
        .with_rx(RxConfig::default().with_fifo_full_threshold(ENOUGH).with_timeout(STILL))
}

/// The engine's end.
pub struct Port(Outlet<'static>);

impl Port {
    /// Starts to receive.
    pub fn new(mut uart: Uart<'static, Blocking>) -> Self {
        let (inlet, outlet) = RECEIVED.take().split();
        uart.set_interrupt_handler(on_receive);
        critical_section::with(|cs| {
            let mut receiver = Line { uart, inlet };
            receiver.fill();
            LINE.replace(cs, Some(receiver));
        });
        Self(outlet)
    }
}

impl ErrorType for Port {
    type Error = Infallible;
}

impl ReadReady for Port {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        Ok(!self.0.is_empty())
    }
}

impl Read for Port {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Infallible> {
        let Some(first) = into.first_mut() else { return Ok(0) };
        loop {
            // Bytes that a full queue left in the port do not interrupt again by themselves.
            if let Some(byte) = self.0.take(|| _ = with_line(Line::fill)) {
                *first = byte;
                return Ok(1);
            }
            event::wait();
        }
    }
}

impl Write for Port {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        if bytes.is_empty() {
            return Ok(0);
        }
        loop {
            // One look at a time, so that what comes is heard while this waits.
            let sent = with_line(|line| line.send(bytes)).expect("a port starts by receiving");
            if sent > 0 {
                return Ok(sent);
            }
        }
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        // Whatever is in the port is on its way.
        Ok(())
    }
}
