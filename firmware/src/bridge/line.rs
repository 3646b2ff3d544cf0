//! An open serial line, cut into lines of text.

use std::{
    io::{self, Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use serialport::SerialPort;

/// What the boards' serial ports run at, in bits a second.
pub(crate) const BAUD: u32 = 115_200;

/// How often a thread that waits for the port looks whether it should leave.
const PORT_CHECK: Duration = Duration::from_millis(100);
/// How long a board may refuse to take bytes before the line counts as dead.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);
/// A line that is longer is noise, and is cut.
const LONGEST: usize = 1 << 20;

/// Opens a port: eight bits, no parity, one stop bit, no flow control.
pub(crate) fn open(name: &str, baud: u32) -> Result<Box<dyn SerialPort>> {
    serialport::new(name, baud).timeout(PORT_CHECK).open().with_context(|| {
        format!("cannot open the serial port {name} (is it there, may you use it, does another program hold it?)")
    })
}

/// The sending end of a line. What is received goes to the listener as it comes.
#[derive(Debug)]
pub(crate) struct Line {
    outbox: Option<Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    hung_up: Arc<AtomicBool>,
}

/// What comes over a line.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A line, without its end.
    Line(Vec<u8>),
    /// The port is gone.
    Gone,
}

impl Line {
    /// Opens a port. Everything that comes is given to `listener`, which says whether it still listens.
    pub(crate) fn open(
        name: &str,
        baud: u32,
        listener: impl Fn(Heard) -> bool + Send + Clone + 'static,
    ) -> Result<Self> {
        let port = open(name, baud)?;
        let hung_up = Arc::new(AtomicBool::new(false));
        let reading = Reading { port: port.try_clone().context(name.to_owned())?, hung_up: Arc::clone(&hung_up) };
        let (outbox, letters) = mpsc::channel();
        let on_failure = listener.clone();
        thread::spawn(move || {
            // Half a line that a board was saying is noise.
            cut(reading, |line| listener(Heard::Line(line)));
            listener(Heard::Gone);
        });
        let writer = thread::spawn(move || {
            if write_all(port, &letters).is_err() {
                on_failure(Heard::Gone);
            }
        });
        Ok(Self { outbox: Some(outbox), writer: Some(writer), hung_up })
    }

    /// Sends a line, whenever the port takes it. One that the port does not take is told to the listener.
    pub(crate) fn send(&self, line: &[u8]) {
        if let Some(outbox) = &self.outbox {
            // Nobody takes it after a failure, which the listener knows of.
            let _ = outbox.send([line, b"\n"].concat());
        }
    }
}

impl Drop for Line {
    /// Waits until the port has taken what was sent.
    fn drop(&mut self) {
        self.outbox = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
        self.hung_up.store(true, Ordering::Relaxed);
    }
}

/// Cuts what is read into lines, until the end, an error, or a taker that wants no more. Gives what was read of a line that
/// has no end.
pub(crate) fn cut(mut from: impl Read, take: impl Fn(Vec<u8>) -> bool) -> Vec<u8> {
    let mut line = Vec::new();
    let mut buffer = [0; 4_096];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return line,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return line,
        };
        for &byte in &buffer[..count] {
            if byte != b'\n' && line.len() < LONGEST {
                line.push(byte);
                continue;
            }
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if !take(std::mem::take(&mut line)) {
                return line;
            }
        }
    }
}

/// The reading end: waits as long as it takes, until the line is hung up.
struct Reading {
    port: Box<dyn SerialPort>,
    hung_up: Arc<AtomicBool>,
}

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.port.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    if self.hung_up.load(Ordering::Relaxed) {
                        return Ok(0);
                    }
                }
                read => return read,
            }
        }
    }
}

/// Writes what comes through the channel, until it is closed. A board that thinks may be slow to take bytes.
fn write_all(mut port: Box<dyn SerialPort>, letters: &Receiver<Vec<u8>>) -> io::Result<()> {
    for letter in letters {
        let mut rest = letter.as_slice();
        let mut deadline = Instant::now() + WRITE_PATIENCE;
        while !rest.is_empty() {
            match port.write(rest) {
                Ok(count) => {
                    rest = &rest[count..];
                    deadline = Instant::now() + WRITE_PATIENCE;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut && Instant::now() < deadline => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}
