//! Who plays the mined games: an engine in a process of its own, or Knightlight's core in ours.

use std::sync::Arc;

use engine_core::net::ValueNet;
use shakmaty::Move;

use super::{in_process::InProcess, leash::Leash, uci::UciTeacher};
use crate::{
    engine::{fault::Failure, info::Score, limits::Limits},
    line::Line,
    stop::Stop,
};

/// A move that the teacher thinks well of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move, legal.
    pub mv: Move,
    /// What it is worth, from the side that plays it.
    pub score: Score,
}

/// What the teacher thinks of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Different moves, best first; never empty.
    pub choices: Vec<Choice>,
    /// The plies of the last iteration.
    pub depth: u32,
}

impl View {
    /// The worth of the position, from the side to move: that of its best move.
    pub fn score(&self) -> Score {
        self.choices[0].score
    }
}

/// What any teacher is told at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// What bounds the thinking about a position.
    pub limits: Limits,
    /// How many best moves are wanted.
    pub choices: usize,
    /// Megabytes of hash table.
    pub hash: usize,
    /// Whether every game starts with empty tables, so that no game depends on those before it.
    pub forget: bool,
}

/// How to start a teacher.
#[derive(Clone, Debug)]
pub enum School {
    /// A UCI engine: its program and arguments, and options to set.
    Uci {
        /// Program and arguments.
        command: Vec<String>,
        /// Set in this order, after our own.
        options: Vec<(String, String)>,
    },
    /// Knightlight's core, with a network or, without one, its classical evaluation.
    InProcess {
        /// What judges positions.
        network: Option<Box<ValueNet<'static>>>,
    },
}

/// A teacher that is ready.
#[derive(Debug)]
pub enum Teacher {
    /// An engine in a process of its own.
    Uci(Box<UciTeacher>),
    /// Knightlight's core.
    InProcess(Box<InProcess>),
}

impl Teacher {
    /// Starts a teacher; a process is put on the leash.
    pub fn start(school: &School, lesson: &Lesson, leash: &Arc<Leash>, stop: &Stop) -> anyhow::Result<Teacher> {
        Ok(match school {
            School::Uci { command, options } => {
                Teacher::Uci(Box::new(UciTeacher::start(command, options, lesson, leash, stop)?))
            }
            School::InProcess { network } => {
                Teacher::InProcess(Box::new(InProcess::new(lesson, network.clone(), stop)))
            }
        })
    }

    /// What it calls itself.
    pub fn name(&self) -> String {
        match self {
            Teacher::Uci(uci) => uci.name().to_owned(),
            Teacher::InProcess(core) => core.name(),
        }
    }

    /// Another game begins.
    pub fn new_game(&mut self) -> Result<(), Failure> {
        match self {
            Teacher::Uci(uci) => uci.new_game(),
            Teacher::InProcess(core) => {
                core.new_game();
                Ok(())
            }
        }
    }

    /// Looks at the present position of a game that is not over. Within a game, each position must be shown in turn.
    pub fn look(&mut self, line: &Line) -> Result<View, Failure> {
        match self {
            Teacher::Uci(uci) => uci.look(line),
            Teacher::InProcess(core) => core.look(line),
        }
    }
}
