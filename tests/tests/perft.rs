//! Perft against published counts, deeper than the unit tests go, and for Chess960.

use engine_core::chess::{Board, perft};

/// The start position and the five other positions that everybody counts.
/// Source: <https://www.chessprogramming.org/Perft_Results>.
const STANDARD: [(&str, u32, u64); 6] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6, 119_060_324),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5, 193_690_690),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5, 15_833_292),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5, 89_941_194),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 5, 164_075_551),
];

/// Source: <https://www.chessprogramming.org/Chess960_Perft_Results>.
const CHESS960: [(&str, u32, u64); 6] = [
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 5, 8_146_062),
    ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 5, 16_253_601),
    ("b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", 5, 6_417_013),
    ("qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9", 5, 9_183_776),
    ("1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9", 5, 34_030_312),
    ("qnbnr1kr/ppp1b1pp/4p3/3p1p2/8/2NPP3/PPP1BPPP/QNB1R1KR w HEhe - 1 9", 4, 824_055),
];

/// En passant that a pin, a check or an uncovered rank allows or forbids, and other corners.
const CORNERS: [(&str, u32, u64); 6] = [
    ("6k1/8/8/8/1Pp5/8/B7/6K1 b - b3 0 1", 3, 324),
    ("8/8/8/r2Pp2K/8/8/4k3/8 w - e6 0 1", 3, 761),
    ("1b6/8/8/3Pp3/8/8/4k2K/8 w - e6 0 1", 3, 336),
    ("8/8/8/2k1K3/2pP4/8/8/8 b - d3 0 1", 3, 255),
    ("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6, 1_134_888),
    ("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", 5, 1_004_658),
];

fn hold(counts: &[(&str, u32, u64)]) {
    for &(fen, depth, count) in counts {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(perft(&board, depth), count, "{fen} depth {depth}");
    }
}

#[test]
fn published_counts_of_standard_chess() {
    hold(&STANDARD);
}

#[test]
fn published_counts_of_chess960() {
    hold(&CHESS960);
}

#[test]
fn corners_of_the_rules() {
    hold(&CORNERS);
}
