//! A line to an engine, whatever carries it: a child's pipes, a serial port, a thread of our own.
//!
//! What an engine says is stamped with the time it came by the thread that reads it, so that a busy arbiter does not
//! cost an engine its clock.

use std::{
    collections::VecDeque,
    fmt,
    io::{BufRead, BufReader, Read},
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    time::{Duration, Instant},
};

use super::fault::Failure;
use crate::stop::Stop;

/// Lines kept of what went either way, for when something goes wrong.
const TRANSCRIPT_LINES: usize = 20;
/// A longer line is cut, so that an engine gone mad cannot fill our memory.
const LINE_BYTES: u64 = 64 * 1024;
/// Lines read ahead before the engine has to wait for us.
const QUEUE_LINES: usize = 4096;
/// How often a waiting thread looks whether it should stop.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// A line that an engine wrote.
#[derive(Clone, Debug)]
pub struct Heard {
    /// When it was complete.
    pub at: Instant,
    /// The line without its end.
    pub text: String,
}

/// An engine that takes lines and says lines. It is told to leave when this is dropped.
pub trait Link: fmt::Debug + Send {
    /// Sends a line.
    ///
    /// # Errors
    /// If the engine is gone.
    fn send(&mut self, line: &str) -> Result<(), Failure>;

    /// Waits for a line until `deadline`; `None` when it passes in silence. What came in time is heard, however late
    /// one asks.
    ///
    /// # Errors
    /// If the engine is gone, or someone asked the program to stop.
    fn receive(&mut self, deadline: Instant) -> Result<Option<Heard>, Failure>;

    /// A line that is there already.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    fn pending(&mut self) -> Result<Option<Heard>, Failure> {
        self.receive(Instant::now())
    }

    /// The last lines, oldest first: `>` to the engine, `<` from it, `!` its complaints.
    fn transcript(&self) -> Vec<String>;
}

/// What a reading thread tells.
pub(super) enum Event {
    Said(Heard),
    Complained(String),
    Closed,
}

impl Event {
    /// A line that has come just now.
    pub(super) fn said(text: String) -> Event {
        Event::Said(Heard { at: Instant::now(), text })
    }
}

/// What waiting for a line came to.
#[derive(Debug)]
pub(super) enum Hearing {
    Heard(Heard),
    /// The deadline passed.
    Silence,
    /// The line has ended: no more to be heard.
    Closed,
    Interrupted,
}

/// The hearing end of a line, and a memory of what went over it.
#[derive(Debug)]
pub(super) struct Ear {
    events: Receiver<Event>,
    transcript: VecDeque<String>,
    pub(super) closed: bool,
    pub(super) stop: Stop,
}

impl Ear {
    /// An ear, and what its reading threads tell it by.
    pub(super) fn new(stop: &Stop) -> (SyncSender<Event>, Ear) {
        let (sender, events) = mpsc::sync_channel(QUEUE_LINES);
        let transcript = VecDeque::with_capacity(TRANSCRIPT_LINES);
        (sender, Ear { events, transcript, closed: false, stop: stop.clone() })
    }

    /// Waits for a line until `deadline`.
    pub(super) fn listen(&mut self, deadline: Instant) -> Hearing {
        loop {
            if self.closed {
                return Hearing::Closed;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left.min(STOP_CHECK)) {
                Ok(Event::Said(heard)) => {
                    self.note('<', &heard.text);
                    return Hearing::Heard(heard);
                }
                Ok(Event::Complained(text)) => self.note('!', &text),
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => self.closed = true,
                Err(RecvTimeoutError::Timeout) if self.stop.is_raised() => return Hearing::Interrupted,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Hearing::Silence,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Takes note of what comes until nothing more can, or until `deadline`.
    pub(super) fn last_words(&mut self, deadline: Instant) {
        self.closed = true;
        while let Ok(event) = self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            match event {
                Event::Said(heard) => self.note('<', &heard.text),
                Event::Complained(text) => self.note('!', &text),
                Event::Closed => {}
            }
        }
    }

    pub(super) fn note(&mut self, direction: char, line: &str) {
        tracing::trace!("{direction} {line}");
        if self.transcript.len() == TRANSCRIPT_LINES {
            self.transcript.pop_front();
        }
        self.transcript.push_back(format!("{direction} {line}"));
    }

    pub(super) fn transcript(&self) -> Vec<String> {
        self.transcript.iter().cloned().collect()
    }
}

/// Sends a stream's lines on until it ends or nobody listens.
pub(super) fn forward(stream: impl Read, sender: &SyncSender<Event>, event: impl Fn(String) -> Event) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match stream.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
        if sender.send(event(text)).is_err() {
            return;
        }
    }
}
