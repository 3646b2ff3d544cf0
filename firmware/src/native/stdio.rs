//! Standard input and output as a serial line.

use std::io::{self, Read, Write};
use std::process;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::Instant;

use firmware::{Platform, Received};

/// Bytes read at once.
const CHUNK: usize = 4_096;
/// Chunks that may wait; then the reader waits, and with it the sender.
const WAITING: usize = 64;

/// A line that a thread reads, so that looking for a byte never blocks.
#[derive(Debug)]
pub(crate) struct Stdio {
    chunks: Receiver<Vec<u8>>,
    chunk: std::vec::IntoIter<u8>,
    closed: bool,
    start: Instant,
}

impl Stdio {
    /// The line that comes in on standard input.
    pub(crate) fn from_stdin() -> Self {
        let (sender, chunks) = mpsc::sync_channel(WAITING);
        // Ends with the input, or with the program.
        thread::spawn(move || {
            let mut buffer = [0; CHUNK];
            loop {
                match io::stdin().lock().read(&mut buffer) {
                    Ok(count @ 1..) if sender.send(buffer[..count].to_vec()).is_ok() => {}
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    _ => return,
                }
            }
        });
        Self { chunks, chunk: Vec::new().into_iter(), closed: false, start: Instant::now() }
    }

    /// A line that says this and closes.
    pub(crate) fn from_text(text: &str) -> Self {
        let (_, chunks) = mpsc::sync_channel(0);
        Self { chunks, chunk: text.as_bytes().to_vec().into_iter(), closed: true, start: Instant::now() }
    }
}

impl Platform for Stdio {
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
        if io::stdout().write_all(bytes).is_err() {
            // Nobody reads any more: then there is nobody to think for.
            process::exit(0);
        }
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
