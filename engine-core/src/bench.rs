//! The bench: a fixed amount of thinking, for measuring speed and for telling two builds apart.
//!
//! The number of nodes is the engine's signature with a network, or without: the same on every machine, for it depends
//! on no clock and not on the size of the machine's hash table.

use crate::chess::{Board, Game};
use crate::search::{Cluster, Knowledge, Limits, Observer, Order, Searcher, Table};

/// The depth of the bench when none is asked for.
pub const DEFAULT_DEPTH: u32 = 10;

/// The clusters of the hash table used: 4 KB, so that the smallest board has as much.
pub const CLUSTERS: usize = 128;

/// Openings, middlegames, endings, and one Chess960 position; from games everybody knows, and made for the purpose.
pub const POSITIONS: [&str; 20] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/pp3ppp/2p1pn2/3p4/2PP4/2N1PN2/PP3PPP/R1BQKB1R b KQkq - 0 5",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP3PPP/R1BQKB1R w KQ - 2 6",
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 15",
    "2r2rk1/1p1q1ppp/p2bpn2/3p4/3P1B2/2PQ1N2/PP3PPP/R3R1K1 b - - 6 17",
    "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1NBPN2/1PQ2PPP/R1B2RK1 w - - 0 12",
    "1k1r3r/pp2qpp1/3b1n1p/3pNQ2/2pP1P2/2N1P3/PP4PP/1K1RR3 b - - 0 20",
    "6k1/5pp1/p2qp2p/1p1n4/3P4/P4N1P/1PQ2PP1/6K1 w - - 2 30",
    "2r3k1/pp3ppp/4p3/3pP3/3P4/1P1rK3/P2R2PP/2R5 w - - 3 27",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/5pk1/4p1p1/3pP2p/r2P1P1P/4K1P1/R7/8 b - - 8 45",
    "8/8/1p3k2/p1p2p2/P1P2P2/1P3K2/8/8 w - - 0 50",
    "8/3k4/3p4/3P1p2/5P2/4K3/8/6B1 w - - 5 60",
    "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1",
    "r5k1/3n1ppp/1p6/3p1p2/3P1B2/r3P2P/PR3PP1/2R3K1 b - - 0 1",
    "r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 3 17",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

/// What a bench has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Nodes searched.
    pub nodes: u64,
    /// Microseconds taken.
    pub micros: u64,
}

impl Tally {
    /// Nodes a second; 0 if no time was measured.
    #[must_use]
    pub fn nodes_per_second(&self) -> u64 {
        per_second(self.nodes, self.micros)
    }
}

/// How many a second, of something counted over so many microseconds; 0 if no time was measured.
#[must_use]
pub fn per_second(count: u64, micros: u64) -> u64 {
    count.saturating_mul(1_000_000).checked_div(micros).unwrap_or(0)
}

/// Searches every position to a depth, each as if it were the first, or until the observer stops it. `after_each` is
/// told the position and its nodes.
/// What the searcher and the first [`CLUSTERS`] of `clusters` knew is forgotten.
pub fn run<O: Observer>(
    searcher: &mut Searcher,
    clusters: &[Cluster],
    depth: u32,
    knowledge: Knowledge<'_>,
    observer: &mut O,
    mut after_each: impl FnMut(&mut O, &str, u64),
) -> Tally {
    let mut tally = Tally::default();
    let used = clusters.len().min(CLUSTERS);
    let table = Table::new(&clusters[..used], 0);
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    for fen in POSITIONS {
        if observer.order() == Order::Stop {
            break;
        }
        let Ok(board) = Board::from_fen(fen) else { continue };
        table.clear();
        searcher.forget();
        let start = observer.micros();
        let best = searcher.think(&Game::new(board), &limits, table, knowledge, observer);
        let nodes = best.map_or(0, |best| best.nodes);
        tally.micros += observer.micros().saturating_sub(start);
        tally.nodes += nodes;
        after_each(observer, fen, nodes);
    }
    table.clear();
    searcher.forget();
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_legal() {
        for fen in POSITIONS {
            assert!(Board::from_fen(fen).is_ok(), "{fen}");
        }
    }
}
