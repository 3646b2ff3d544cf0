//! Watching a search for the session: the line is read while it runs.

use crate::chess::{Board, Move};
use crate::platform::{Platform, Received};
use crate::search::{Crew, Limits, Observer, Order, Report};

use super::lookahead::Lookahead;
use super::options::{Machine, Options};
use super::parser::{Command, Parser};
use super::replies;

/// Bytes read at one look: a flood must not keep the search from its clock.
const BYTES_A_LOOK: usize = 256;

/// The session's side of the conversation.
#[derive(Debug)]
pub(super) struct Talk {
    pub(super) parser: Parser,
    pub(super) ahead: Lookahead,
    pub(super) options: Options,
    pub(super) debug: bool,
}

/// How a piece of work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By itself, in foreseeable time: other commands wait for it.
    Foreseeable,
    /// By itself, some day: other commands end it.
    Some,
    /// Only by command: what it has found may not be told before.
    Commanded,
}

impl End {
    /// How a search under these limits ends.
    pub(super) const fn of(limits: &Limits) -> Self {
        if limits.infinite || limits.ponder {
            Self::Commanded
        } else if limits.is_bounded() {
            Self::Foreseeable
        } else {
            Self::Some
        }
    }
}

/// What reading the line during a search has led to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// A command that waits until the search has ended.
    pub(super) waiting: Option<Command>,
    /// The engine is to leave.
    pub(super) quit: bool,
    /// `stop` came, or something as good.
    pub(super) stop: bool,
}

/// The observer of a session's work.
pub(super) struct Watch<'a, P> {
    pub(super) platform: &'a mut P,
    pub(super) talk: &'a mut Talk,
    pub(super) board: &'a Board,
    pub(super) machine: Machine,
    /// Whoever helps the search.
    pub(super) crew: &'a Crew,
    pub(super) end: End,
    /// How it ends once `ponderhit` has come.
    pub(super) end_after_hit: End,
    /// Whether what is found is told as it is found.
    pub(super) tells: bool,
    /// `ponderhit` came, and the search has not been told yet.
    pub(super) ponder_hit: bool,
    pub(super) outcome: Outcome,
}

impl<P: Platform> Watch<'_, P> {
    /// Reads what has come, and acts on what a search may not keep waiting.
    pub(super) fn listen(&mut self) {
        for _ in 0..BYTES_A_LOOK {
            if self.outcome.quit {
                return;
            }
            let is_waiting = self.outcome.waiting.is_some();
            if is_waiting && self.talk.ahead.is_full() {
                return;
            }
            let kept = if is_waiting { None } else { self.talk.ahead.take() };
            let byte = match kept.map_or_else(|| self.platform.read(), Received::Byte) {
                Received::Byte(byte) => byte,
                Received::Nothing => return,
                Received::Closed => {
                    // Nobody will ever say stop; who only closed the line to end the input still wants an answer.
                    self.outcome.stop |= self.end != End::Foreseeable;
                    return;
                }
            };
            if is_waiting {
                self.talk.ahead.push(byte);
                self.outcome.stop |= self.talk.ahead.says_stop();
            } else if let Some(command) = self.talk.parser.feed(byte, self.board) {
                self.act(command);
            }
        }
    }

    fn act(&mut self, command: Command) {
        if command.is_for_a_search()
            && let Some(complaint) = self.talk.parser.take_complaint()
        {
            replies::print(self.platform, format_args!("info string {complaint}"));
        }
        match command {
            Command::Uci => replies::identify(self.platform, self.machine, &self.talk.options),
            Command::IsReady => replies::print(self.platform, format_args!("readyok")),
            Command::Debug(on) => self.talk.debug = on,
            Command::Stop => self.outcome.stop = true,
            Command::PonderHit => {
                self.ponder_hit = true;
                self.end = self.end_after_hit;
            }
            Command::Quit => {
                self.outcome.quit = true;
                self.outcome.stop = true;
            }
            Command::Refused => {}
            other => {
                self.outcome.waiting = Some(other);
                self.outcome.stop |= self.end != End::Foreseeable || self.talk.ahead.says_stop();
            }
        }
    }
}

impl<P: Platform> Observer for Watch<'_, P> {
    fn micros(&mut self) -> u64 {
        self.platform.micros()
    }

    fn order(&mut self) -> Order {
        self.listen();
        if self.outcome.stop {
            Order::Stop
        } else if core::mem::take(&mut self.ponder_hit) {
            Order::PonderHit
        } else {
            Order::Continue
        }
    }

    fn nodes_elsewhere(&mut self) -> u64 {
        self.crew.nodes()
    }

    fn report(&mut self, report: &Report<'_>) {
        if self.tells {
            replies::report(self.platform, report, &self.talk.options);
        }
    }

    fn current_move(&mut self, depth: u32, mv: Move, number: usize) {
        if self.tells {
            let mv = mv.long_algebraic(self.talk.options.chess960);
            replies::print(self.platform, format_args!("info depth {depth} currmove {mv} currmovenumber {number}"));
        }
    }
}
