//! The line of a UCI session, until it says that a network is to come.

use super::message::COMMAND;
use crate::{Platform, Received};

/// A platform that hands every byte on, but closes the line when `flashnet` comes, which the session never sees.
pub(super) struct Switch<'a, P> {
    platform: &'a mut P,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// So many bytes of the line have come, and all are the command's. They are held back.
    Holding(usize),
    /// The line turned out to be another: what was held back is handed on, from this byte to that, and then the one that
    /// was different.
    Releasing { from: usize, to: usize, then: u8 },
    /// The line is another, and its end has not come.
    Passing,
    /// The command has come.
    Thrown,
}

impl<'a, P: Platform> Switch<'a, P> {
    /// A platform at the beginning of a line.
    pub(super) const fn new(platform: &'a mut P) -> Self {
        Self { platform, state: State::Holding(0) }
    }

    /// Whether the command has come.
    pub(super) const fn is_thrown(&self) -> bool {
        matches!(self.state, State::Thrown)
    }

    /// Hands on a byte that is not held back.
    const fn pass(&mut self, byte: u8) -> Received {
        self.state = if matches!(byte, b'\n' | b'\r') { State::Holding(0) } else { State::Passing };
        Received::Byte(byte)
    }
}

impl<P: Platform> Platform for Switch<'_, P> {
    fn read(&mut self) -> Received {
        let command = COMMAND.as_bytes();
        loop {
            let held = match self.state {
                State::Thrown => return Received::Closed,
                State::Releasing { from, to, then } if from == to => return self.pass(then),
                State::Releasing { from, to, then } => {
                    self.state = State::Releasing { from: from + 1, to, then };
                    return Received::Byte(command[from]);
                }
                State::Holding(held) => Some(held),
                State::Passing => None,
            };
            let byte = match self.platform.read() {
                Received::Byte(byte) => byte,
                other => return other,
            };
            match held {
                Some(held) if command.get(held) == Some(&byte) => self.state = State::Holding(held + 1),
                Some(held) if held == command.len() && matches!(byte, b'\n' | b'\r') => self.state = State::Thrown,
                Some(to) => self.state = State::Releasing { from: 0, to, then: byte },
                None => return self.pass(byte),
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.platform.write(bytes);
    }

    fn micros(&mut self) -> u64 {
        self.platform.micros()
    }

    fn idle(&mut self) {
        // What is held back waits here, and nothing else: the platform knows of the rest.
        self.platform.idle();
    }

    fn thinking(&mut self, on: bool) {
        self.platform.thinking(on);
    }
}
