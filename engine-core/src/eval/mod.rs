//! The static evaluation: how good a position is for the side to move, in centipawns.
//!
//! The search knows only [`Evaluator`]: a stack of accumulators that follows the line being searched. Whatever
//! evaluates, takes its place behind it. Uses [`chess`](crate::chess) and nothing else.

mod classical;
mod piece_square;

use crate::MAX_PLY;
use crate::chess::{Board, Move};
use classical::Classical;

/// The largest magnitude that an evaluation may have; mates are beyond it.
pub const MAX_EVAL: i32 = 20_000;

/// The accumulators of the line from the root to the position being searched.
#[derive(Clone, Debug)]
pub struct Evaluator {
    line: [Classical; MAX_PLY + 1],
    ply: usize,
}

impl Evaluator {
    /// An evaluator that stands on a position.
    #[must_use]
    pub fn new(board: &Board) -> Self {
        let mut line = [Classical::default(); MAX_PLY + 1];
        line[0] = Classical::of(board);
        Self { line, ply: 0 }
    }

    /// Starts a new line from a position.
    pub fn reset(&mut self, board: &Board) {
        self.ply = 0;
        self.line[0] = Classical::of(board);
    }

    /// Follows a legal move of `board`, the position that the evaluator stands on.
    pub fn push(&mut self, board: &Board, mv: Move) {
        let mut next = self.line[self.ply];
        if let Some(changes) = board.changes(mv) {
            next.apply(&changes);
        }
        self.step(next);
    }

    /// Follows a passed turn.
    pub fn push_null(&mut self) {
        self.step(self.line[self.ply]);
    }

    fn step(&mut self, next: Classical) {
        // The search never goes deeper than the line is long.
        self.ply = (self.ply + 1).min(MAX_PLY);
        self.line[self.ply] = next;
    }

    /// Goes back by one move.
    pub fn pop(&mut self) {
        self.ply = self.ply.saturating_sub(1);
    }

    /// The evaluation of `board`, on which the evaluator stands, for its side to move, in centipawns.
    #[must_use]
    pub fn evaluate(&self, board: &Board) -> i32 {
        self.line[self.ply].evaluate(board).clamp(-MAX_EVAL, MAX_EVAL)
    }
}

/// The evaluation of a position that stands alone, for its side to move, in centipawns.
#[must_use]
pub fn evaluate(board: &Board) -> i32 {
    Classical::of(board).evaluate(board).clamp(-MAX_EVAL, MAX_EVAL)
}
