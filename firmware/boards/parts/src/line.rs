//! The serial line's receiving side: the interrupt puts bytes into a short queue, and pauses where it is full.

use core::cell::RefCell;

use critical_section::Mutex;
use firmware::receive::{Flow, Inlet, Outlet, Queue};

/// The speed of every board's line, in bits a second.
pub const BAUD: u32 = 115_200;

/// On purpose far shorter than a line: the engine reads words as they come and needs no line buffer.
pub const QUEUE_BYTES: usize = 64;

/// The receiving side of a serial port.
pub trait Receiver {
    /// The byte in the port, if there is one. With none, the port's interrupt is acknowledged, so that the next byte
    /// interrupts anew.
    fn receive(&mut self) -> Option<u8>;

    /// Lets received bytes interrupt, those that wait already among them; or keeps them waiting in the port.
    fn listen(&mut self, on: bool);
}

/// What the receive interrupt works with; lives in a `static`.
pub struct Line<R>(Mutex<RefCell<Option<(R, Inlet<'static>)>>>);

impl<R: Receiver> Line<R> {
    /// A line that nothing receives from yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(RefCell::new(None)))
    }

    /// Starts receiving. The port's interrupt must call [`on_receive`](Self::on_receive).
    pub fn start(&self, mut receiver: R, queue: &'static mut Queue<QUEUE_BYTES>) -> Outlet<'static> {
        let (inlet, outlet) = queue.split();
        critical_section::with(|cs| {
            receiver.listen(true);
            self.0.replace(cs, Some((receiver, inlet)));
        });
        outlet
    }

    /// The receive interrupt.
    pub fn on_receive(&self) {
        critical_section::with(|cs| {
            if let Some((receiver, inlet)) = self.0.borrow_ref_mut(cs).as_mut()
                && inlet.fill(|| receiver.receive()) == Flow::Paused
            {
                receiver.listen(false);
            }
        });
    }

    /// Lets bytes interrupt again after a pause.
    pub fn listen(&self) {
        critical_section::with(|cs| {
            if let Some((receiver, _)) = self.0.borrow_ref_mut(cs).as_mut() {
                receiver.listen(true);
            }
        });
    }
}

impl<R: Receiver> Default for Line<R> {
    fn default() -> Self {
        Self::new()
    }
}
