//! The window of a node, and what its moves make of it.

use crate::chess::Move;

use super::score::INFINITE;
use super::table::Bound;

/// What a score does to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Raise {
    /// It is no better than what was known.
    Nothing,
    /// It raises alpha: a new best move.
    Alpha,
    /// It reaches beta: the opponent will not come here, and no other move need be tried.
    Beta,
}

/// The window of a node and the best of its moves so far. Scores may lie outside (fail-soft).
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
    pub(super) best: i32,
    /// The move that last raised alpha.
    pub(super) best_move: Option<Move>,
}

impl Window {
    pub(super) const fn new(alpha: i32, beta: i32) -> Self {
        Self { alpha, beta, best: -INFINITE, best_move: None }
    }

    /// Whether a score can lie strictly within: the mark of the principal variation.
    pub(super) const fn is_open(&self) -> bool {
        self.beta - self.alpha > 1
    }

    /// Takes the score of a move.
    pub(super) fn take(&mut self, mv: Move, score: i32) -> Raise {
        self.best = self.best.max(score);
        if score <= self.alpha {
            return Raise::Nothing;
        }
        self.alpha = score;
        self.best_move = Some(mv);
        if score >= self.beta { Raise::Beta } else { Raise::Alpha }
    }

    /// What the best score says of the true one.
    pub(super) const fn bound(&self) -> Bound {
        if self.best >= self.beta {
            Bound::Lower
        } else if self.best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}
