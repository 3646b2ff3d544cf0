//! Several processors on one position: each searches by itself, and what one has found the others read in the hash
//! table that they share.
//!
//! Source: <https://www.chessprogramming.org/Lazy_SMP>.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use crate::chess::Game;

use super::knowledge::Knowledge;
use super::limits::Limits;
use super::observer::{Observer, Order};
use super::searcher::{POLL_INTERVAL, Searcher};
use super::table::Table;

/// How many processors may help another: as many as a desktop has, or the second of a microcontroller.
pub const MAX_HELPERS: usize = if cfg!(any(feature = "small-memory", feature = "medium-memory")) { 1 } else { 63 };

/// What the processors of one search know of each other besides the hash table.
#[derive(Debug)]
pub struct Crew {
    ended: AtomicBool,
    /// How often each helper has asked whether to go on.
    polls: [AtomicU32; MAX_HELPERS],
}

impl Crew {
    /// A crew whose search has not ended.
    #[must_use]
    pub const fn new() -> Self {
        Self { ended: AtomicBool::new(false), polls: [const { AtomicU32::new(0) }; MAX_HELPERS] }
    }

    /// Ends the search: every helper stops within 128 nodes.
    pub fn end(&self) {
        self.ended.store(true, Relaxed);
    }

    /// The nodes that the helpers have searched, as far as they have told.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.polls.iter().map(|polls| u64::from(polls.load(Relaxed)) * POLL_INTERVAL).sum()
    }
}

impl Default for Crew {
    fn default() -> Self {
        Self::new()
    }
}

impl Searcher {
    /// Searches for the table's sake until the crew's search has ended. `number` is this helper's among its crew, from 0
    /// and below [`MAX_HELPERS`]; the other arguments are those of the search that it helps.
    pub fn help(
        &mut self,
        game: &Game,
        limits: &Limits,
        table: Table<'_>,
        knowledge: Knowledge<'_>,
        crew: &Crew,
        number: usize,
    ) {
        let Some(polls) = crew.polls.get(number) else { return };
        let endless = Limits {
            infinite: true,
            search_moves: limits.search_moves.clone(),
            full_width: limits.full_width,
            ..Limits::default()
        };
        self.think(game, &endless, table, knowledge, &mut Helper { ended: &crew.ended, polls });
    }
}

/// Who watches a helper's search.
struct Helper<'a> {
    ended: &'a AtomicBool,
    polls: &'a AtomicU32,
}

impl Observer for Helper<'_> {
    fn micros(&mut self) -> u64 {
        0
    }

    fn order(&mut self) -> Order {
        // This helper alone writes its count, so it need not be changed in one step.
        self.polls.store(self.polls.load(Relaxed).wrapping_add(1), Relaxed);
        if self.ended.load(Relaxed) { Order::Stop } else { Order::Continue }
    }
}
