//! The receive queue of a board: an interrupt puts bytes in, the engine takes them out.
//!
//! When the queue is full the interrupt says so and the board stops listening (masks the interrupt, lowers RTS);
//! when the engine has caught up the board listens again. So on a line that can wait, no byte is ever lost, and the
//! queue may be small.
//!
//! ```
//! use firmware::receive::{Flow, Queue};
//!
//! let mut queue = Queue::<4>::new(); // holds three
//! let (mut inlet, mut outlet) = queue.split();
//!
//! let mut port = b"e2e4".iter().copied(); // what the serial port's data register would give
//! assert_eq!(inlet.fill(|| port.next()), Flow::Paused); // full: here an interrupt masks itself
//!
//! let mut listen_again = false;
//! assert_eq!(outlet.take(|| listen_again = true), Some(b'e'));
//! assert_eq!(outlet.take(|| listen_again = true), Some(b'2'));
//! assert!(listen_again);
//! assert_eq!(inlet.fill(|| port.next()), Flow::Running);
//! ```

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use heapless::spsc;

/// Storage for a receive queue that holds `N - 1` bytes. Lives in a `static`, and is split once.
pub struct Queue<const N: usize> {
    bytes: spsc::Queue<u8, N>,
    paused: AtomicBool,
}

/// The interrupt's end of a [`Queue`].
pub struct Inlet<'a> {
    bytes: spsc::Producer<'a, u8>,
    paused: &'a AtomicBool,
}

/// The engine's end of a [`Queue`].
pub struct Outlet<'a> {
    bytes: spsc::Consumer<'a, u8>,
    paused: &'a AtomicBool,
}

/// Whether the serial port may go on interrupting.
#[must_use = "a paused port must be masked, or its interrupt never ends"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The port was emptied; the next byte may interrupt.
    Running,
    /// The queue is full: keep the port quiet until [`Outlet::take`] asks for more.
    Paused,
}

impl<const N: usize> Queue<N> {
    /// An empty queue.
    pub const fn new() -> Self {
        Self { bytes: spsc::Queue::new(), paused: AtomicBool::new(false) }
    }

    /// The two ends, for the interrupt and for the engine.
    pub fn split(&mut self) -> (Inlet<'_>, Outlet<'_>) {
        let (inlet, outlet) = self.bytes.split();
        let paused = &self.paused;
        (Inlet { bytes: inlet, paused }, Outlet { bytes: outlet, paused })
    }
}

impl<const N: usize> Default for Queue<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl Inlet<'_> {
    /// Moves bytes from `port` into the queue until the port has none or the queue has no room.
    ///
    /// A byte is taken from the port only when there is room for it. Call it from the interrupt alone, and mask
    /// that interrupt before returning when the answer is [`Flow::Paused`].
    pub fn fill(&mut self, mut port: impl FnMut() -> Option<u8>) -> Flow {
        while self.bytes.ready() {
            let Some(byte) = port() else { return Flow::Running };
            // There is room: this end alone adds bytes.
            let _ = self.bytes.enqueue(byte);
        }
        self.paused.store(true, Ordering::Release);
        Flow::Paused
    }
}

impl Outlet<'_> {
    /// The next byte, if one has come. Calls `listen` when the queue has drained to half after a pause: there the
    /// board unmasks the interrupt.
    pub fn take(&mut self, listen: impl FnOnce()) -> Option<u8> {
        let byte = self.bytes.dequeue();
        // The order matters: `listen` may let the interrupt in at once, and it may pause again.
        if self.paused.load(Ordering::Acquire) && self.bytes.len() <= self.bytes.capacity() / 2 {
            self.paused.store(false, Ordering::Release);
            listen();
        }
        byte
    }

    /// Whether there is nothing to take. Ask with interrupts off just before sleeping.
    pub fn is_empty(&self) -> bool {
        !self.bytes.ready()
    }
}

impl<const N: usize> fmt::Debug for Queue<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("waiting", &self.bytes.len()).field("paused", &self.paused).finish()
    }
}

impl fmt::Debug for Inlet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inlet").field("room", &self.bytes.ready()).field("paused", &self.paused).finish()
    }
}

impl fmt::Debug for Outlet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outlet").field("waiting", &self.bytes.len()).field("paused", &self.paused).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A port that stands still while the queue is full passes every byte, in order, whatever the sizes.
    #[test]
    fn nothing_is_lost_or_reordered() {
        let mut queue = Queue::<8>::new();
        let (mut inlet, mut outlet) = queue.split();
        let mut sent = 0..10_000_u32;
        let mut received = 0..10_000_u32;
        let mut masked = false;
        let mut random = 1_u32;
        while !received.is_empty() {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if random >> 31 == 0 && !masked {
                let mut burst = random >> 20 & 15;
                let flow = inlet.fill(|| {
                    burst = burst.checked_sub(1)?;
                    sent.next().map(|number| number as u8)
                });
                masked = flow == Flow::Paused;
            } else if let Some(byte) = outlet.take(|| masked = false) {
                assert_eq!(Some(byte), received.next().map(|number| number as u8));
            }
            assert!(!masked || !outlet.is_empty(), "asleep for ever: masked with nothing left to take");
        }
        assert!(sent.is_empty() && outlet.is_empty());
    }

    #[test]
    fn a_full_queue_leaves_the_byte_in_the_port() {
        let mut queue = Queue::<4>::new();
        let (mut inlet, mut outlet) = queue.split();
        let mut port = b"abcd".iter().copied();
        assert_eq!(inlet.fill(|| port.next()), Flow::Paused);
        assert_eq!(port.len(), 1);
        let mut listens = 0;
        for expected in *b"abc" {
            assert_eq!(outlet.take(|| listens += 1), Some(expected));
        }
        assert_eq!(outlet.take(|| listens += 1), None);
        assert_eq!(listens, 1, "one pause is ended once");
    }

    #[test]
    fn the_smallest_queue_works() {
        let mut queue = Queue::<2>::new();
        let (mut inlet, mut outlet) = queue.split();
        for byte in *b"uci\n" {
            assert_eq!(inlet.fill(|| Some(byte)), Flow::Paused);
            let mut listens = false;
            assert_eq!(outlet.take(|| listens = true), Some(byte));
            assert!(listens);
        }
    }
}
