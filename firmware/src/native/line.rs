//! A line whose bytes come from another thread.

use std::fmt;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Instant;

use crate::{Platform, Received};

/// A line that is read from a channel, so that looking for a byte never blocks. It is closed when the channel's other
/// end is gone.
pub struct Line<Say> {
    chunks: Receiver<Vec<u8>>,
    chunk: std::vec::IntoIter<u8>,
    closed: bool,
    say: Say,
    start: Instant,
}

impl<Say: FnMut(&[u8])> Line<Say> {
    /// A line of the bytes in these chunks, which says what it is told to by `say`. Its clock starts now.
    pub fn new(chunks: Receiver<Vec<u8>>, say: Say) -> Self {
        Self { chunks, chunk: Vec::new().into_iter(), closed: false, say, start: Instant::now() }
    }
}

impl<Say: FnMut(&[u8])> Platform for Line<Say> {
    fn read(&mut self) -> Received {
        if let Some(byte) = self.chunk.next() {
            return Received::Byte(byte);
        }
        if self.closed {
            return Received::Closed;
        }
        match self.chunks.try_recv() {
            Ok(chunk) => self.chunk = chunk.into_iter(),
            Err(TryRecvError::Empty) => return Received::Nothing,
            Err(TryRecvError::Disconnected) => self.closed = true,
        }
        self.read()
    }

    fn write(&mut self, bytes: &[u8]) {
        (self.say)(bytes);
    }

    fn micros(&mut self) -> u64 {
        // Half a million years fit.
        self.start.elapsed().as_micros() as u64
    }

    fn idle(&mut self) {
        match self.chunks.recv() {
            Ok(chunk) => self.chunk = chunk.into_iter(),
            Err(_) => self.closed = true,
        }
    }
}

impl<Say> fmt::Debug for Line<Say> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("closed", &self.closed).finish_non_exhaustive()
    }
}
