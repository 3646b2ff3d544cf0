//! How the moves of a node are put in order: by what the search itself remembers, and by a learnt model if there is one.

use crate::chess::{Board, Move};
use crate::net::MoveOrder;
use crate::net::move_order::Looking;

use super::history::History;

/// Beside the history a model's say is halved when the search has seen twice so many nodes, and again whenever their number
/// has doubled: by then the history knows more.
const FADING_NODES: u64 = 2_048;
/// Halved more often it is no longer worth its time.
const MAX_HALVINGS: u32 = 3;

/// Where a model is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// At the root alone, for the order in which the first iteration takes the moves.
    Root,
    /// For all moves of a node but the one that the table suggests: no captures first, no killers, no history.
    All,
    /// For the quiet moves of a node, in place of the history.
    Quiet,
    /// For the quiet moves of a node, added to the history, the less the more the search has seen.
    #[default]
    Seed,
}

/// What orders the moves of a search besides the hash table and the worth of captures.
#[derive(Clone, Copy, Debug)]
pub struct Ordering<'a> {
    /// A learnt model.
    pub model: Option<&'a MoveOrder<'a>>,
    /// Where it is asked.
    pub place: Place,
    /// The least depth, in plies, of a node below the root where it is asked.
    pub least_depth: i32,
    /// Whether killers and history have a say. Without them a search shows what they are worth.
    pub history: bool,
}

impl Default for Ordering<'_> {
    /// Killers and history, and no model.
    fn default() -> Self {
        Self { model: None, place: Place::default(), least_depth: 1, history: true }
    }
}

impl<'a> Ordering<'a> {
    /// What orders the moves of a node of so many plies, when the search has seen so many nodes.
    pub(super) fn at(&self, depth: i32, nodes: u64) -> Guide<'a> {
        let halvings = if self.place == Place::Seed { (1 + nodes / FADING_NODES).ilog2() } else { 0 };
        let asked = self.place != Place::Root && depth >= self.least_depth && halvings <= MAX_HALVINGS;
        Guide { model: self.model.filter(|_| asked), place: self.place, history: self.history, halvings }
    }
}

/// What orders the moves of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guide<'a> {
    model: Option<&'a MoveOrder<'a>>,
    place: Place,
    history: bool,
    /// How often the model's say is halved.
    halvings: u32,
}

impl<'a> Guide<'a> {
    /// The model, if it orders captures and quiet moves alike.
    pub(super) fn of_all(&self) -> Option<&'a MoveOrder<'a>> {
        self.model.filter(|_| self.place == Place::All)
    }

    /// What scores the quiet moves of a node.
    pub(super) fn of_quiet<'b>(&self, board: &'b Board, history: &'b History) -> QuietScores<'b>
    where
        'a: 'b,
    {
        let model = self.model.map(|model| model.look(board));
        let history = (self.history && (model.is_none() || self.place == Place::Seed)).then_some(history);
        QuietScores { board, model, history, halvings: self.halvings }
    }
}

/// Scores the quiet moves of a node.
#[derive(Debug)]
pub(super) struct QuietScores<'a> {
    board: &'a Board,
    model: Option<Looking<'a>>,
    history: Option<&'a History>,
    halvings: u32,
}

impl QuietScores<'_> {
    /// The better, the greater; it fits 16 bits, as the history's scores and the model's do together.
    pub(super) fn of(&self, mv: Move) -> i16 {
        let learnt = self.history.map_or(0, |history| history.score(self.board, mv));
        let judged = self.model.as_ref().map_or(0, |model| model.score(mv) >> self.halvings);
        (learnt + judged) as i16
    }
}
