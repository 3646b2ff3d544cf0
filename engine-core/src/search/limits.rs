//! What ends a search.

use super::whim::Whim;
use crate::chess::MoveList;

/// A chess clock as `go` gives it, for the side to move, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remaining {
    /// The time left. Negative where a GUI's clock has run over.
    pub time: i64,
    /// What each move adds.
    pub increment: i64,
    /// How many moves are to be made in the time left; `None` for all the rest.
    pub moves_to_go: Option<u32>,
}

/// What ends a search: the first limit that is met. Without any it ends when it is stopped, or at the greatest depth.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Plies of the last iteration.
    pub depth: Option<u32>,
    /// Nodes searched: the search ends with exactly as many, unless another limit ends it before, or others help: then
    /// with some hundred more.
    pub nodes: Option<u64>,
    /// Milliseconds for this move.
    pub movetime: Option<u64>,
    /// The clock of the game.
    pub clock: Option<Remaining>,
    /// Ends when a mate in so many moves is found.
    pub mate: Option<u32>,
    /// The only moves to consider at the root; empty for all.
    pub search_moves: MoveList,
    /// No limit of time counts: it goes on until it is stopped, or has met another limit.
    pub infinite: bool,
    /// The opponent's clock runs: no limit of time counts until the move is played (`ponderhit`).
    pub ponder: bool,
    /// How many best lines to find; 0 counts as 1.
    pub multi_pv: usize,
    /// Chooses among the lines that were found instead of taking the best: `multi_pv` says how many there may be.
    pub whim: Option<Whim>,
    /// Milliseconds that a move may lose between the clock's hand and the engine.
    pub overhead: u64,
    /// Every move of every node is searched to the whole depth: nothing is left out on a guess, nothing reduced, and no
    /// turn passed. For comparing depths with engines that search so; checks extend as always, and quiescence is the same.
    pub full_width: bool,
}

impl Limits {
    /// Searches no more than so many nodes.
    pub(crate) fn lower_nodes(&mut self, most: u64) {
        self.nodes = Some(self.nodes.map_or(most, |nodes| nodes.min(most)));
    }

    /// Whether the search is sure to end by itself in the time or work that it was given. (One for a mate may find
    /// none, and go on to the greatest depth.)
    #[must_use]
    pub const fn is_bounded(&self) -> bool {
        let limited = self.depth.is_some() || self.nodes.is_some() || self.movetime.is_some() || self.clock.is_some();
        limited && !self.infinite && !self.ponder
    }
}
