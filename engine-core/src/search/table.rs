//! The hash table: what is known of positions already searched, in memory that the caller gives.
//!
//! Source of the scheme (buckets, replacement by depth and age): <https://www.chessprogramming.org/Transposition_Table>.

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
    depth: u8,
    /// The generation (six bits) and the bound (two; zero if the entry is empty).
    tag: u8,
}

impl Entry {
    const fn bound(self) -> Option<Bound> {
        match self.tag & 3 {
            1 => Some(Bound::Upper),
            2 => Some(Bound::Lower),
            3 => Some(Bound::Exact),
            _ => None,
        }
    }

    const fn generation(self) -> u8 {
        self.tag >> 2
    }
}

/// Three entries that share a cache line's half: the unit of memory that a table is made of.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub struct Cluster([Entry; 3]);

impl Cluster {
    /// A cluster that knows nothing.
    pub const EMPTY: Self = Self([Entry { key: 0, mv: 0, score: 0, eval: 0, depth: 0, tag: 0 }; 3]);
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

/// A hash table over memory of the caller's.
#[derive(Debug)]
pub struct Table<'a> {
    clusters: &'a mut [Cluster],
    generation: u8,
}

const GENERATIONS: u8 = 64;

impl<'a> Table<'a> {
    /// A table over `clusters`, as they are: what an earlier table knew is still known. `generation` counts searches,
    /// so that older knowledge gives way first.
    #[must_use]
    pub const fn new(clusters: &'a mut [Cluster], generation: u8) -> Self {
        Self { clusters, generation: generation % GENERATIONS }
    }

    fn index(&self, key: u64) -> usize {
        // The high half of the key, scaled to the number of clusters: no division, and 32-bit arithmetic on a board.
        (((key >> 32) * self.clusters.len() as u64) >> 32) as usize
    }

    /// What is known of the position of a key, `ply` plies from the root.
    #[must_use]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Known> {
        let cluster = self.clusters.get(self.index(key))?;
        let entry = cluster.0.iter().find(|entry| entry.key == key as u16 && entry.bound().is_some())?;
        Some(Known {
            mv: Move::from_bits(entry.mv),
            score: from_node(i32::from(entry.score), ply),
            eval: i32::from(entry.eval),
            depth: i32::from(entry.depth),
            bound: entry.bound()?,
        })
    }

    /// Notes what was found out about a position, in place of what is worth least.
    pub fn store(&mut self, key: u64, ply: usize, known: Known) {
        let index = self.index(key);
        let generation = self.generation;
        let Some(cluster) = self.clusters.get_mut(index) else { return };
        let worth = |entry: &Entry| {
            let age = generation.wrapping_sub(entry.generation()) % GENERATIONS;
            if entry.bound().is_none() { i32::MIN } else { i32::from(entry.depth) - 4 * i32::from(age) }
        };
        let same = cluster.0.iter().position(|entry| entry.key == key as u16 && entry.bound().is_some());
        let slot = same.or_else(|| (0..3).min_by_key(|&slot| worth(&cluster.0[slot])));
        let Some(entry) = slot.and_then(|slot| cluster.0.get_mut(slot)) else { return };

        let replaces = same.is_none() || entry.generation() != generation || known.depth + 3 >= i32::from(entry.depth);
        let kept_move = if same.is_some() { entry.mv } else { 0 };
        if replaces {
            *entry = Entry {
                key: key as u16,
                mv: known.mv.map_or(kept_move, Move::bits),
                score: to_node(known.score, ply) as i16,
                eval: known.eval as i16,
                depth: known.depth.clamp(0, 255) as u8,
                tag: generation << 2 | known.bound as u8,
            };
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.clusters.fill(Cluster::EMPTY);
    }

    /// How full the table is with knowledge of the present search, in thousandths, from a sample.
    #[must_use]
    pub fn permille_full(&self) -> u32 {
        let sample = self.clusters.len().min(334);
        let entries = self.clusters.iter().take(sample).flat_map(|cluster| &cluster.0);
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
        let mut memory = [Cluster::EMPTY; 16];
        let mut table = Table::new(&mut memory, 0);
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 0), None);
        table.store(0x1234_5678_9abc_def0, 4, known(MATE - 9, 5));
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 4), Some(known(MATE - 9, 5)));
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 2), Some(known(MATE - 7, 5)));
        assert_eq!(table.probe(0x1234_5678_9abc_def1, 4), None);
    }

    #[test]
    fn the_shallowest_gives_way_and_the_old_before_it() {
        let mut memory = [Cluster::EMPTY; 1];
        let mut table = Table::new(&mut memory, 0);
        for (key, depth) in [(1, 9), (2, 3), (3, 6), (4, 5)] {
            table.store(key, 0, known(0, depth));
        }
        assert_eq!([1, 2, 3, 4].map(|key| table.probe(key, 0).is_some()), [true, false, true, true]);
        let mut table = Table::new(&mut memory, 3);
        table.store(5, 0, known(0, 1));
        table.store(6, 0, known(0, 1));
        assert_eq!([1, 3, 4, 5, 6].map(|key| table.probe(key, 0).is_some()), [true, false, false, true, true]);
    }

    #[test]
    fn a_table_without_memory_knows_nothing() {
        let mut table = Table::new(&mut [], 0);
        table.store(1, 0, known(0, 1));
        assert_eq!(table.probe(1, 0), None);
        assert_eq!(table.permille_full(), 0);
    }
}
