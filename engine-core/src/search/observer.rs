//! Who watches a search: it is asked for the time and for orders, and told what was found.

use crate::chess::Move;

use super::table::Bound;

/// An order to a running search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Go on.
    Continue,
    /// The opponent has played the expected move: from now on the limits of time count.
    PonderHit,
    /// End now.
    Stop,
}

/// What an iteration has found.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The plies of the iteration.
    pub depth: u32,
    /// The greatest ply reached.
    pub selective_depth: usize,
    /// The number of the line, from 1; the best is the first.
    pub line: usize,
    /// The score for the side to move: see [`mate_in_moves`](super::mate_in_moves).
    pub score: i32,
    /// What the score means.
    pub bound: Bound,
    /// Nodes searched since the start.
    pub nodes: u64,
    /// Microseconds since the start.
    pub micros: u64,
    /// How full the hash table is, in thousandths.
    pub permille_full: u32,
    /// The line of best play, as far as it is known.
    pub pv: &'a [Move],
}

/// Watches a search.
pub trait Observer {
    /// Microseconds since some fixed moment.
    fn micros(&mut self) -> u64;

    /// Asked every 128 nodes; must return at once.
    fn order(&mut self) -> Order {
        Order::Continue
    }

    /// The nodes that other processors have searched for this search.
    fn nodes_elsewhere(&mut self) -> u64 {
        0
    }

    /// Takes what an iteration has found.
    fn report(&mut self, report: &Report<'_>) {
        let _ = report;
    }

    /// Told which root move is being searched (its number from 1), once a search has lasted some seconds.
    fn current_move(&mut self, depth: u32, mv: Move, number: usize) {
        let _ = (depth, mv, number);
    }
}

/// Watches nothing, and has no clock: for searches that end by depth or nodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Observer for Blind {
    fn micros(&mut self) -> u64 {
        0
    }
}
