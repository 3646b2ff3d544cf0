//! A chess engine, whatever protocol it speaks and whatever carries it: a process of its own, a serial port, or a
//! thread of ours.
//!
//! The rest of the crate sees the [`Engine`] trait, gives it a [`Turn`] and gets a [`Reply`], or a [`Fault`](fault::Fault) that
//! says what the engine did wrong. Judging the game is not done here; reading the engine's words is.

pub mod cecp;
pub mod fault;
pub mod info;
pub mod limits;
pub mod link;
pub mod own;
pub mod process;
pub mod serial;
pub mod spec;
pub mod uci;

use std::{ops::ControlFlow, time::Duration};

use shakmaty::{CastlingMode, Move};

use crate::{line::Line, stop::Stop};
use fault::Failure;
use info::Info;
use limits::{Limits, Remaining};
use spec::{EngineSpec, Protocol};

/// How long we wait for an engine before we call it hung.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For its first words, and for `readyok` or `pong`.
    pub ready: Duration,
    /// Past the end of its time, after it was told to move now.
    pub grace: Duration,
    /// For a move when no clock runs (`nodes`, `depth`).
    pub unclocked: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { ready: Duration::from_secs(10), grace: Duration::from_secs(5), unclocked: Duration::from_secs(120) }
    }
}

/// Everything an engine is told when it has to move.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The game so far; the engine is the side to move.
    pub line: &'a Line,
    /// What bounds its thinking.
    pub limits: &'a Limits,
    /// Its own clock, where one runs.
    pub mine: Option<Remaining>,
    /// The opponent's clock, where one runs.
    pub theirs: Option<Remaining>,
    /// From `go`: when to tell it to move now, its time being over.
    pub call: Duration,
    /// From `go`: when to give it up as hung.
    pub give_up: Duration,
    /// The opponent offered a draw with its last move.
    pub draw_offered: bool,
}

/// What an engine did with its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A legal move.
    Move(Move),
    /// It gave up.
    Resign,
}

/// An engine's answer to a [`Turn`].
#[derive(Clone, Debug)]
pub struct Reply {
    /// Move or resignation.
    pub answer: Answer,
    /// It offers a draw, or takes the one it was offered.
    pub draw: bool,
    /// What it last said of its search.
    pub info: Info,
    /// From sending `go` to receiving the answer, on our clock.
    pub elapsed: Duration,
}

/// Hears each report of a running search; `Break` tells the engine to move now.
pub type Watch<'a> = dyn FnMut(&Info) -> ControlFlow<()> + 'a;

/// Hears everything and stops nothing.
pub fn unwatched(_: &Info) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A running engine.
pub trait Engine: Send {
    /// The name it gave itself, or that its spec gave it.
    fn name(&self) -> &str;

    /// Why it cannot play such a game at all, if so: asked before a match, so that it does not fail in the middle.
    fn objection(&self, line: &Line, limits: &Limits) -> Option<String>;

    /// Whether the same process may play another game.
    fn reusable(&self) -> bool;

    /// Gets ready for a game under these limits.
    fn new_game(&mut self, limits: &Limits) -> Result<(), Failure>;

    /// Asks for a move and waits for it.
    fn think(&mut self, turn: &Turn<'_>, watch: &mut Watch<'_>) -> Result<Reply, Failure>;

    /// Tells it how the game ended: `1-0`, `0-1` or `1/2-1/2`, and why.
    fn game_over(&mut self, result: &str, reason: &str);

    /// The last lines that went either way, oldest first.
    fn transcript(&self) -> Vec<String>;
}

/// Starts the engine that a spec describes and waits until it is ready.
pub fn start(
    spec: &EngineSpec,
    mode: CastlingMode,
    patience: Patience,
    stop: &Stop,
) -> anyhow::Result<Box<dyn Engine>> {
    Ok(match spec.protocol {
        Protocol::Uci => Box::new(uci::Uci::start(spec, mode, patience, stop)?),
        Protocol::Cecp => Box::new(cecp::Cecp::start(spec, mode, patience, stop)?),
    })
}
