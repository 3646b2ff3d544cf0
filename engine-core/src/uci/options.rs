//! The engine's options.

use core::fmt;

use super::strength::{MAX_ELO, MIN_ELO, is_classical};
use crate::MAX_PLY;
use crate::eval::{FITTED, SIMPLIFIED, Tables};
use crate::search::{MAX_MULTI_PV, Place};

/// What an option is, and what it may be set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number: default, least, greatest.
    Spin(u32, u32, u32),
    /// The size of the hash table, whose limits and default are the machine's.
    Hash,
    /// The number of processors that search, up to as many as the machine has.
    Threads,
    /// Milliseconds up to this, whose default is the machine's.
    Overhead(u32),
    /// Yes or no, and the default.
    Check(bool),
    /// One of these words, the first by default.
    Combo(&'static [&'static str]),
    /// A text, empty by default.
    Text,
    /// Something to do.
    Button,
}

/// The options by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Id {
    Hash,
    ClearHash,
    Threads,
    Ponder,
    MultiPv,
    OwnBook,
    BookFile,
    BestBookMove,
    BookSeed,
    EvalFile,
    Evaluation,
    Selective,
    PolicyFile,
    Mode,
    Chess960,
    ShowWdl,
    LimitStrength,
    Elo,
    MoveOverhead,
    MoveOrderFile,
    MoveOrder,
    MoveOrderDepth,
}

/// What judges positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluation {
    /// The network, or the fitted tables on a machine that has none.
    Network,
    /// The tables that were fitted to games.
    Classical,
    /// The published tables of the simplified evaluation function.
    Simplified,
}

impl Evaluation {
    pub(super) const ALL: [Self; 3] = [Self::Network, Self::Classical, Self::Simplified];
    const NAMES: [&'static str; 3] = ["Network", "Classical", "Simplified"];
}

/// What chooses moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The search.
    Search,
    /// The policy net alone, without any search.
    Policy,
}

impl Mode {
    pub(super) const ALL: [Self; 2] = [Self::Search, Self::Policy];
    const NAMES: [&'static str; 2] = ["Search", "Policy"];
}

/// What a machine's hash table may be set to, in megabytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashSizes {
    /// The least.
    pub min: u32,
    /// The greatest.
    pub max: u32,
    /// What it has now.
    pub now: u32,
}

/// What the machine sets limits to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    pub(super) hash_sizes: HashSizes,
    pub(super) processors: u32,
}

/// All options, in the order in which `uci` lists them.
pub(super) const ALL: [(Id, &str, Kind); 22] = [
    (Id::Hash, "Hash", Kind::Hash),
    (Id::ClearHash, "Clear Hash", Kind::Button),
    (Id::Threads, "Threads", Kind::Threads),
    (Id::Ponder, "Ponder", Kind::Check(false)),
    (Id::MultiPv, "MultiPV", Kind::Spin(1, 1, MAX_MULTI_PV as u32)),
    (Id::OwnBook, "OwnBook", Kind::Check(false)),
    (Id::BookFile, "BookFile", Kind::Text),
    (Id::BestBookMove, "Best Book Move", Kind::Check(false)),
    (Id::BookSeed, "Book Seed", Kind::Spin(0, 0, i32::MAX as u32)),
    (Id::EvalFile, "EvalFile", Kind::Text),
    (Id::Evaluation, "Evaluation", Kind::Combo(&Evaluation::NAMES)),
    (Id::Selective, "Selective", Kind::Check(true)),
    (Id::PolicyFile, "PolicyFile", Kind::Text),
    (Id::Mode, "Mode", Kind::Combo(&Mode::NAMES)),
    (Id::Chess960, "UCI_Chess960", Kind::Check(false)),
    (Id::ShowWdl, "UCI_ShowWDL", Kind::Check(false)),
    (Id::LimitStrength, "UCI_LimitStrength", Kind::Check(false)),
    (Id::Elo, "UCI_Elo", Kind::Spin(1500, MIN_ELO, MAX_ELO)),
    (Id::MoveOverhead, "Move Overhead", Kind::Overhead(5_000)),
    (Id::MoveOrderFile, "MoveOrderFile", Kind::Text),
    (Id::MoveOrder, "MoveOrder", Kind::Combo(&PLACE_NAMES)),
    (Id::MoveOrderDepth, "MoveOrderDepth", Kind::Spin(1, 0, MAX_PLY as u32)),
];

/// Where a learnt model orders moves, and what the places are called.
pub(super) const PLACES: [Place; 4] = [Place::Seed, Place::Quiet, Place::All, Place::Root];
const PLACE_NAMES: [&str; 4] = ["Seed", "Quiet", "All", "Root"];

/// What the options are set to, but for those that are things of the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub(super) threads: u32,
    pub(super) multi_pv: u32,
    pub(super) own_book: bool,
    pub(super) best_book_move: bool,
    /// What decides between the book's moves; 0 for the clock.
    pub(super) book_seed: u32,
    pub(super) evaluation: Evaluation,
    pub(super) selective: bool,
    pub(super) mode: Mode,
    pub(super) chess960: bool,
    pub(super) show_wdl: bool,
    pub(super) limit_strength: bool,
    pub(super) elo: u32,
    pub(super) move_overhead: u32,
    /// Where the learnt order of moves is used, and from which depth on.
    pub(super) move_order: Place,
    pub(super) move_order_depth: u32,
}

impl Options {
    /// What `uci` announces as defaults, on a machine that loses so many milliseconds a move.
    pub(super) const fn new(move_overhead: u32) -> Self {
        Self {
            threads: 1,
            multi_pv: 1,
            own_book: false,
            best_book_move: false,
            book_seed: 0,
            evaluation: Evaluation::Network,
            selective: true,
            mode: Mode::Search,
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: 1500,
            move_overhead,
            move_order: Place::Seed,
            move_order_depth: 1,
        }
    }

    /// How many other processors help a search. None does where the strength is limited: its nodes are counted.
    pub(super) const fn helpers(&self) -> usize {
        if self.limit_strength { 0 } else { self.threads.saturating_sub(1) as usize }
    }

    /// What judges positions. Limited strength is judged by what its nodes were fitted to.
    pub(super) const fn evaluation(&self) -> Evaluation {
        match self.limit_strength {
            true if is_classical(self.elo) => Evaluation::Classical,
            true => Evaluation::Network,
            false => self.evaluation,
        }
    }

    /// Whether positions are judged by the network, if there is one.
    pub(super) const fn judges_by_network(&self) -> bool {
        matches!(self.evaluation(), Evaluation::Network)
    }

    /// What judges positions where no network does.
    pub(super) const fn tables(&self) -> &'static Tables {
        match self.evaluation() {
            Evaluation::Network | Evaluation::Classical => &FITTED,
            Evaluation::Simplified => &SIMPLIFIED,
        }
    }
}

/// Finds an option by its name, whatever the case.
pub(super) fn find(name: &str) -> Option<(Id, &'static str, Kind)> {
    ALL.into_iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name))
}

/// Reads a yes or no.
pub(super) fn read_check(value: &str) -> Option<bool> {
    [("true", true), ("false", false)].into_iter().find(|(word, _)| word.eq_ignore_ascii_case(value)).map(|(_, on)| on)
}

/// Finds which of the words a value is, whatever the case.
pub(super) fn read_combo(words: &[&str], value: &str) -> Option<usize> {
    words.iter().position(|word| word.eq_ignore_ascii_case(value))
}

/// Words as a sentence lists them: `'a', 'b' or 'c'`.
pub(super) struct OneOf(pub(super) &'static [&'static str]);

impl fmt::Display for OneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.0.iter().enumerate() {
            let before = match index {
                0 => "",
                _ if index + 1 == self.0.len() => " or ",
                _ => ", ",
            };
            write!(f, "{before}'{word}'")?;
        }
        Ok(())
    }
}
