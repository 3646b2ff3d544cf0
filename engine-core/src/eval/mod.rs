//! The static evaluation: how good a position is for the side to move, in centipawns.
//!
//! The search knows only [`Evaluator`]: it follows the line being searched, and asks a network, or the hand-written
//! evaluation where there is none. Uses [`chess`](crate::chess) and [`net`](crate::net), and nothing else.

mod classical;
mod fortress;
mod lone_king;
mod piece_square;
mod simplified;
mod tables;

use crate::MAX_PLY;
use crate::chess::{Board, Move};
use crate::net::{Accumulators, ValueNet};
use classical::Classical;

pub use classical::{PHASE, PHASE_OF_START, table_index};
pub use piece_square::FITTED;
pub use simplified::SIMPLIFIED;
pub use tables::{Tables, Worths};

/// The largest magnitude that an evaluation may have; mates are beyond it.
pub const MAX_EVAL: i32 = 20_000;

/// What an evaluation is divided by if the side that it favours cannot mate.
const TOOTHLESS: i32 = 16;

/// What both evaluations keep of the line from the root to the position being searched.
///
/// A line is followed with the same network, or the same tables, from [`reset`](Self::reset) on.
#[derive(Clone, Debug)]
pub struct Evaluator {
    tables: &'static Tables,
    classical: [Classical; MAX_PLY + 1],
    ply: usize,
    accumulators: Accumulators,
}

impl Evaluator {
    /// An evaluator that stands on a position; without a network it judges by the fitted tables.
    #[must_use]
    pub fn new(board: &Board) -> Self {
        let mut classical = [Classical::default(); MAX_PLY + 1];
        classical[0] = Classical::of(board, &FITTED);
        Self { tables: &FITTED, classical, ply: 0, accumulators: Accumulators::new(board) }
    }

    /// Changes what judges without a network, from the next [`reset`](Self::reset) on.
    pub const fn set_tables(&mut self, tables: &'static Tables) {
        self.tables = tables;
    }

    /// Starts a new line from a position.
    pub fn reset(&mut self, board: &Board) {
        self.ply = 0;
        self.classical[0] = Classical::of(board, self.tables);
        self.accumulators.reset(board);
    }

    /// Follows a legal move of `board`, the position that the evaluator stands on.
    pub fn push(&mut self, board: &Board, mv: Move, network: Option<&ValueNet<'_>>) {
        let changes = board.changes(mv);
        if let Some(network) = network {
            self.accumulators.push(changes, network);
        } else {
            let mut next = self.classical[self.ply];
            if let Some(changes) = changes {
                next.apply(self.tables, &changes);
            }
            self.step(next);
        }
    }

    /// Follows a passed turn.
    pub fn push_null(&mut self, network: Option<&ValueNet<'_>>) {
        match network {
            Some(network) => self.accumulators.push(None, network),
            None => self.step(self.classical[self.ply]),
        }
    }

    fn step(&mut self, next: Classical) {
        // The search never goes deeper than the line is long.
        self.ply = (self.ply + 1).min(MAX_PLY);
        self.classical[self.ply] = next;
    }

    /// Goes back by one move.
    pub fn pop(&mut self, network: Option<&ValueNet<'_>>) {
        match network {
            Some(_) => self.accumulators.pop(),
            None => self.ply = self.ply.saturating_sub(1),
        }
    }

    /// The evaluation of `board`, on which the evaluator stands, for its side to move, in centipawns.
    #[must_use]
    pub fn evaluate(&mut self, board: &Board, network: Option<&ValueNet<'_>>) -> i32 {
        match network {
            Some(network) => {
                let (ours, theirs) = self.accumulators.sums(board, network);
                with_teeth(network.output(ours, theirs, board.occupied().len()), board)
            }
            None => self.classical[self.ply].evaluate(board, self.tables).clamp(-MAX_EVAL, MAX_EVAL),
        }
    }
}

/// The evaluation of a position that stands alone, for its side to move, in centipawns; without a network by the
/// fitted tables.
#[must_use]
pub fn evaluate(board: &Board, network: Option<&ValueNet<'_>>) -> i32 {
    match network {
        Some(network) => with_teeth(network.evaluate(board), board),
        None => FITTED.evaluate(board),
    }
}

impl Tables {
    /// The evaluation of a position that stands alone, for its side to move, in centipawns.
    #[must_use]
    pub fn evaluate(&self, board: &Board) -> i32 {
        Classical::of(board, self).evaluate(board, self).clamp(-MAX_EVAL, MAX_EVAL)
    }
}

/// A score for the side to move, or little of it if the side that it favours has nothing to mate with. Against a lone king
/// it is known how to, and when it cannot be done.
fn with_teeth(score: i32, board: &Board) -> i32 {
    let us = board.side_to_move();
    if let Some(lone) = lone_king::find(board) {
        if let Some(known) = lone_king::judge(board, lone) {
            return known;
        }
        if fortress::holds(board, lone) {
            return score / TOOTHLESS;
        }
    }
    let favoured = if score >= 0 { us } else { !us };
    if board.lacks_mating_material(favoured) { score / TOOTHLESS } else { score }
}
