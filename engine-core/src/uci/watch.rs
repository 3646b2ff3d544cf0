//! Watching a search for the session: the line is read while it runs.

use crate::chess::{Board, Move};
use crate::platform::{Platform, Received};
use crate::search::{Observer, Order, Report};

use super::options::Options;
use super::parser::{Command, Parser};
use super::replies;

/// What reading the line during a search has led to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// A command that waits until the search has ended. Nothing is read after it.
    pub(super) waiting: Option<Command>,
    /// The engine is to leave.
    pub(super) quit: bool,
    /// `stop` came, or something as good.
    pub(super) stop: bool,
    /// `ponderhit` came.
    pub(super) ponder_hit: bool,
}

/// The observer of a session's search.
pub(super) struct Watch<'a, P> {
    pub(super) platform: &'a mut P,
    pub(super) parser: &'a mut Parser,
    pub(super) options: &'a Options,
    pub(super) debug: &'a mut bool,
    pub(super) hash_sizes: (u32, u32, u32),
    pub(super) board: &'a Board,
    /// Whether the search would go on for ever: then a command that cannot be answered during it ends it.
    pub(super) endless: bool,
    pub(super) outcome: Outcome,
}

impl<P: Platform> Watch<'_, P> {
    /// Reads what has come, and acts on what a search may not keep waiting.
    pub(super) fn listen(&mut self) {
        while self.outcome.waiting.is_none() && !self.outcome.quit {
            let byte = match self.platform.read() {
                Received::Byte(byte) => byte,
                Received::Nothing => return,
                Received::Closed => {
                    // Nobody will ever say stop; who only closed the line to end the input still wants an answer.
                    self.outcome.stop |= self.endless;
                    return;
                }
            };
            if let Some(command) = self.parser.feed(byte, self.board) {
                self.act(command);
            }
        }
    }

    fn act(&mut self, command: Command) {
        if command.is_for_a_search()
            && let Some(complaint) = self.parser.take_complaint()
        {
            replies::print(self.platform, format_args!("info string {complaint}"));
        }
        match command {
            Command::Uci => replies::identify(self.platform, self.hash_sizes),
            Command::IsReady => replies::print(self.platform, format_args!("readyok")),
            Command::Debug(on) => *self.debug = on,
            Command::Stop => self.outcome.stop = true,
            Command::PonderHit => {
                self.outcome.ponder_hit = true;
                self.endless = false;
            }
            Command::Quit => {
                self.outcome.quit = true;
                self.outcome.stop = true;
            }
            Command::Refused => {}
            other => {
                self.outcome.waiting = Some(other);
                self.outcome.stop |= self.endless;
            }
        }
    }
}

impl<P: Platform> Observer for Watch<'_, P> {
    fn micros(&mut self) -> u64 {
        self.platform.micros()
    }

    fn order(&mut self) -> Order {
        let hit_before = self.outcome.ponder_hit;
        self.listen();
        if self.outcome.stop {
            Order::Stop
        } else if self.outcome.ponder_hit && !hit_before {
            Order::PonderHit
        } else {
            Order::Continue
        }
    }

    fn report(&mut self, report: &Report<'_>) {
        replies::report(self.platform, report, self.options);
    }

    fn current_move(&mut self, depth: u32, mv: Move, number: usize) {
        let mv = mv.long_algebraic(self.options.chess960);
        replies::print(self.platform, format_args!("info depth {depth} currmove {mv} currmovenumber {number}"));
    }
}
