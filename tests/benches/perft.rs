//! Perft with bulk counting, ours beside cozy-chess and shakmaty on the same positions.
//!
//! `cargo bench -p tests --bench perft`. Items are leaves, so the last column reads as leaves a second.

use divan::counter::ItemsCount;

/// A position and the depth that gives a few million leaves.
const POSITIONS: [(&str, u32); 5] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4),
];

fn main() {
    divan::main();
}

fn leaves(perft: impl Fn(&str, u32) -> u64) -> u64 {
    POSITIONS.iter().map(|&(fen, depth)| perft(fen, depth)).sum()
}

fn run(bencher: divan::Bencher<'_, '_>, perft: impl Fn(&str, u32) -> u64 + Sync) {
    bencher.counter(ItemsCount::new(leaves(&perft))).bench(|| leaves(&perft));
}

#[divan::bench(sample_count = 15)]
fn knightlight(bencher: divan::Bencher<'_, '_>) {
    use engine_core::chess::{Board, perft};

    run(bencher, |fen, depth| perft(&Board::from_fen(fen).expect("a legal FEN"), depth));
}

#[divan::bench(sample_count = 15)]
fn cozy_chess(bencher: divan::Bencher<'_, '_>) {
    use cozy_chess::Board;

    fn perft(board: &Board, depth: u32) -> u64 {
        let mut leaves = 0;
        board.generate_moves(|moves| {
            if depth == 1 {
                leaves += moves.len() as u64;
            } else {
                for mv in moves {
                    let mut child = board.clone();
                    child.play_unchecked(mv);
                    leaves += perft(&child, depth - 1);
                }
            }
            false
        });
        leaves
    }
    run(bencher, |fen, depth| perft(&fen.parse().expect("a legal FEN"), depth));
}

#[divan::bench(sample_count = 15)]
fn shakmaty(bencher: divan::Bencher<'_, '_>) {
    use shakmaty::{CastlingMode, Chess, fen::Fen};

    run(bencher, |fen, depth| {
        let fen: Fen = fen.parse().expect("a legal FEN");
        let position: Chess = fen.into_position(CastlingMode::Standard).expect("a legal position");
        shakmaty::perft(&position, depth)
    });
}
