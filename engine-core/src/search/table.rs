//! The hash table: what is known of positions already searched, in memory that the caller gives.
//!
//! Any number of processors may share it, without locks: an entry is five atomic words of 16 bits, which on every
//! processor of ours are plain loads and stores. Where two write one entry at the same time it may become a mixture of
//! both. That is no worse than two positions with the same 16 bits of key, which happens far more often: a move is
//! checked before it is played, and a score is a guess that a deeper search outgrows.
//!
//! Sources: <https://www.chessprogramming.org/Transposition_Table> (buckets, replacement by depth and age),
//! <https://www.chessprogramming.org/Shared_Hash_Table>.

use core::sync::atomic::{AtomicU16, Ordering::Relaxed};

use crate::chess::{Board, Move};

use super::score::{MATE_BOUND, is_mate};

/// How a stored score bounds the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at most this.
    Upper = 1,
    /// The true score is at least this.
    Lower = 2,
    /// It is the true score.
    Exact = 3,
}

/// Ten bytes on one position.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The low 16 bits of the position's key.
    key: u16,
    /// The best move found, or zero.
    mv: u16,
    score: i16,
    eval: i16,
    /// The depth (eight bits), the generation (six) and the bound (two; zero if the entry is empty).
    tag: u16,
}

impl Entry {
    const fn depth(self) -> i32 {
        (self.tag >> 8) as i32
    }

    const fn generation(self) -> u8 {
        (self.tag as u8) >> 2
    }

    const fn bound(self) -> Option<Bound> {
        match self.tag & 3 {
            1 => Some(Bound::Upper),
            2 => Some(Bound::Lower),
            3 => Some(Bound::Exact),
            _ => None,
        }
    }
}

/// An entry as it lies in memory.
#[derive(Debug)]
struct Slot {
    key: AtomicU16,
    mv: AtomicU16,
    score: AtomicU16,
    eval: AtomicU16,
    tag: AtomicU16,
}

impl Slot {
    const fn new() -> Self {
        Self {
            key: AtomicU16::new(0),
            mv: AtomicU16::new(0),
            score: AtomicU16::new(0),
            eval: AtomicU16::new(0),
            tag: AtomicU16::new(0),
        }
    }

    /// Whether it holds something about the position of a key.
    fn knows(&self, key: u64) -> bool {
        self.key.load(Relaxed) == key as u16 && self.load_tag().bound().is_some()
    }

    /// The entry, of which only depth, generation and bound are true.
    fn load_tag(&self) -> Entry {
        Entry { tag: self.tag.load(Relaxed), ..Entry::default() }
    }

    fn load(&self) -> Entry {
        Entry {
            key: self.key.load(Relaxed),
            mv: self.mv.load(Relaxed),
            score: self.score.load(Relaxed) as i16,
            eval: self.eval.load(Relaxed) as i16,
            tag: self.tag.load(Relaxed),
        }
    }

    fn store(&self, entry: Entry) {
        self.key.store(entry.key, Relaxed);
        self.mv.store(entry.mv, Relaxed);
        self.score.store(entry.score as u16, Relaxed);
        self.eval.store(entry.eval as u16, Relaxed);
        self.tag.store(entry.tag, Relaxed);
    }
}

/// Three entries that share a cache line's half: the unit of memory that a table is made of.
#[derive(Debug)]
#[repr(C, align(32))]
pub struct Cluster([Slot; 3]);

impl Cluster {
    /// A cluster that knows nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self([const { Slot::new() }; 3])
    }
}

impl Default for Cluster {
    fn default() -> Self {
        Self::new()
    }
}

/// Copies what is known at the moment.
impl Clone for Cluster {
    fn clone(&self) -> Self {
        let copy = Self::new();
        for (to, from) in copy.0.iter().zip(&self.0) {
            to.store(from.load());
        }
        copy
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The best move, not checked for legality: another position may share the key's bits.
    pub mv: Option<Move>,
    /// The score, with mates counted from the node that asks.
    pub score: i32,
    /// The static evaluation.
    pub eval: i32,
    /// The depth it was searched to, in plies.
    pub depth: i32,
    /// What the score means.
    pub bound: Bound,
}

/// From this halfmove clock on a stored score is not trusted: near the fifty-move rule the same position may be worth
/// something else.
const CLOCK_TRUSTED: u16 = 90;

impl Known {
    /// Whether the score decides a node of this board and window.
    pub(super) const fn decides(&self, board: &Board, alpha: i32, beta: i32) -> bool {
        board.halfmove_clock() < CLOCK_TRUSTED
            && match self.bound {
                Bound::Exact => true,
                Bound::Lower => self.score >= beta,
                Bound::Upper => self.score <= alpha,
            }
    }
}

/// A hash table over memory of the caller's. Copies share the memory, on whatever processors they are used.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    clusters: &'a [Cluster],
    generation: u8,
}

const GENERATIONS: u8 = 64;

impl<'a> Table<'a> {
    /// A table over `clusters`, as they are: what an earlier table knew is still known. `generation` counts searches,
    /// so that older knowledge gives way first.
    #[must_use]
    pub const fn new(clusters: &'a [Cluster], generation: u8) -> Self {
        Self { clusters, generation: generation % GENERATIONS }
    }

    /// Where the position of a key belongs; `None` if there is no memory.
    fn cluster(&self, key: u64) -> Option<&'a Cluster> {
        // The high half of the key, scaled to the number of clusters: no division, and 32-bit arithmetic on a board.
        self.clusters.get((((key >> 32) * self.clusters.len() as u64) >> 32) as usize)
    }

    /// What is known of the position of a key, `ply` plies from the root.
    #[must_use]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Known> {
        let entry = self.cluster(key)?.0.iter().find(|slot| slot.knows(key))?.load();
        Some(Known {
            mv: Move::from_bits(entry.mv),
            score: from_node(i32::from(entry.score), ply),
            eval: i32::from(entry.eval),
            depth: entry.depth(),
            bound: entry.bound()?,
        })
    }

    /// Notes what was found out about a position, in place of what is worth least.
    pub fn store(&self, key: u64, ply: usize, known: Known) {
        let Some(Cluster(slots)) = self.cluster(key) else { return };
        let worth = |slot: &&Slot| {
            let entry = slot.load_tag();
            let age = self.generation.wrapping_sub(entry.generation()) % GENERATIONS;
            if entry.bound().is_none() { i32::MIN } else { entry.depth() - 4 * i32::from(age) }
        };
        let same = slots.iter().find(|slot| slot.knows(key));
        let Some(slot) = same.or_else(|| slots.iter().min_by_key(worth)) else { return };

        let before = slot.load_tag();
        let replaces = same.is_none() || before.generation() != self.generation || known.depth + 3 >= before.depth();
        let kept_move = if same.is_some() { slot.mv.load(Relaxed) } else { 0 };
        if replaces {
            let depth = known.depth.clamp(0, 255) as u16;
            slot.store(Entry {
                key: key as u16,
                mv: known.mv.map_or(kept_move, Move::bits),
                score: to_node(known.score, ply) as i16,
                eval: known.eval as i16,
                tag: depth << 8 | u16::from(self.generation) << 2 | known.bound as u16,
            });
        }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for slot in self.clusters.iter().flat_map(|cluster| &cluster.0) {
            slot.store(Entry::default());
        }
    }

    /// How full the table is with knowledge of the present search, in thousandths, from a sample.
    #[must_use]
    pub fn permille_full(&self) -> u32 {
        let sample = self.clusters.len().min(334);
        let entries = self.clusters.iter().take(sample).flat_map(|cluster| &cluster.0).map(Slot::load_tag);
        let used = entries.filter(|entry| entry.bound().is_some() && entry.generation() == self.generation).count();
        (used * 1000).checked_div(sample * 3).unwrap_or(0) as u32
    }
}

/// A mate score counted from the root, counted from a node.
const fn to_node(score: i32, ply: usize) -> i32 {
    if !is_mate(score) {
        score
    } else if score > 0 {
        score + ply as i32
    } else {
        score - ply as i32
    }
}

/// A mate score counted from a node, counted from the root.
const fn from_node(score: i32, ply: usize) -> i32 {
    if score >= MATE_BOUND {
        score - ply as i32
    } else if score <= -MATE_BOUND {
        score + ply as i32
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::super::score::MATE;
    use super::*;

    fn known(score: i32, depth: i32) -> Known {
        Known { mv: None, score, eval: 7, depth, bound: Bound::Exact }
    }

    #[test]
    fn a_cluster_is_half_a_cache_line() {
        assert_eq!(size_of::<Cluster>(), 32);
    }

    #[test]
    fn what_was_stored_is_found_and_mates_count_from_the_asker() {
        let memory = [const { Cluster::new() }; 16];
        let table = Table::new(&memory, 0);
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 0), None);
        table.store(0x1234_5678_9abc_def0, 4, known(MATE - 9, 5));
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 4), Some(known(MATE - 9, 5)));
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 2), Some(known(MATE - 7, 5)));
        assert_eq!(table.probe(0x1234_5678_9abc_def1, 4), None);
    }

    #[test]
    fn the_shallowest_gives_way_and_the_old_before_it() {
        let memory = [const { Cluster::new() }; 1];
        let table = Table::new(&memory, 0);
        for (key, depth) in [(1, 9), (2, 3), (3, 6), (4, 5)] {
            table.store(key, 0, known(0, depth));
        }
        assert_eq!([1, 2, 3, 4].map(|key| table.probe(key, 0).is_some()), [true, false, true, true]);
        let table = Table::new(&memory, 3);
        table.store(5, 0, known(0, 1));
        table.store(6, 0, known(0, 1));
        assert_eq!([1, 3, 4, 5, 6].map(|key| table.probe(key, 0).is_some()), [true, false, false, true, true]);
    }

    #[test]
    fn a_table_without_memory_knows_nothing() {
        let table = Table::new(&[], 0);
        table.store(1, 0, known(0, 1));
        assert_eq!(table.probe(1, 0), None);
        assert_eq!(table.permille_full(), 0);
    }
}
