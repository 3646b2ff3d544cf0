//! Perft: counting the leaves of the tree of legal moves, the proof of a move generator.
//!
//! Source of the method and of the counts: <https://www.chessprogramming.org/Perft_Results>.

use super::{Board, Move, MoveSink, Stage};

/// The number of lines of `depth` plies. The last ply is counted, not made.
#[must_use]
pub fn perft(board: &Board, depth: u32) -> u64 {
    perft_until(board, depth, &mut || false).unwrap_or(0)
}

/// The depth from which a count asks whether to stop: below it some hundred leaves are counted at once.
const ASKING_DEPTH: u32 = 3;

/// As [`perft`], but asks now and then whether to stop, and then gives nothing.
pub fn perft_until<F: FnMut() -> bool>(board: &Board, depth: u32, stop: &mut F) -> Option<u64> {
    match depth {
        0 => Some(1),
        1 => Some(board.count_legal_moves()),
        _ if depth >= ASKING_DEPTH && stop() => None,
        _ => {
            let mut leaves = Leaves { board, depth: depth - 1, stop, count: Some(0) };
            board.generate(Stage::All, &mut leaves);
            leaves.count
        }
    }
}

/// Follows each move as it is generated.
struct Leaves<'a, F> {
    board: &'a Board,
    /// The plies left after the move.
    depth: u32,
    stop: &'a mut F,
    /// The leaves so far; nothing once it has been told to stop.
    count: Option<u64>,
}

impl<F: FnMut() -> bool> MoveSink for Leaves<'_, F> {
    fn single(&mut self, mv: Move) {
        if let Some(count) = self.count {
            let below = perft_until(&self.board.after(mv), self.depth, self.stop);
            self.count = below.map(|below| count + below);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions with their published counts from depth 1.
    const PUBLISHED: [(&str, &[u64]); 6] = [
        (super::super::START_FEN, &[20, 400, 8_902, 197_281, 4_865_609]),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2_039, 97_862, 4_085_603]),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624]),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9_467, 422_333]),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379, 2_103_487]),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", &[46, 2_079, 89_890, 3_894_594]),
    ];

    #[test]
    fn published_counts() {
        for (fen, counts) in PUBLISHED {
            let board = Board::from_fen(fen).unwrap();
            for (depth, &count) in (1..).zip(counts) {
                assert_eq!(perft(&board, depth), count, "{fen} depth {depth}");
            }
        }
    }
}
