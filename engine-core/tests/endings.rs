//! Endings that are won are won: mate within fifty moves, against the engine's own best defence.

use engine_core::chess::{Bitboard, Board, Ending, Game, Role};
use engine_core::net::ValueNet;
use engine_core::nets;
use engine_core::search::{Blind, Cluster, Knowledge, Limits, Searcher, Table};

/// What a Cortex-M4 searches in a second.
const NODES: u64 = 20_000;

/// Plays a position out, and says how it ended.
fn play(board: Board, network: Option<&ValueNet<'_>>) -> Option<Ending> {
    let mut game = Game::new(board);
    let (mut searcher, memory) = (Searcher::new(), vec![Cluster::new(); 1 << 12]);
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let knowledge = Knowledge { network, ..Knowledge::default() };
    let mut generation = 0;
    while game.ending().is_none() {
        let table = Table::new(&memory, generation);
        let best = searcher.think(&game, &limits, table, knowledge, &mut Blind).expect("a move");
        game.play(best.mv);
        generation = generation.wrapping_add(1);
    }
    game.ending()
}

/// White's king and pieces against a king that is to move and not in check, somewhere.
fn somewhere(pieces: &str, random: &mut fastrand::Rng) -> Board {
    loop {
        let mut squares = [None; 64];
        for piece in ["k", "K"].into_iter().chain(pieces.split("")).filter(|piece| !piece.is_empty()) {
            squares[random.usize(..64)] = Some(piece);
        }
        let rank = |squares: &[Option<&str>]| squares.iter().map(|square| square.unwrap_or("1")).collect::<String>();
        let ranks: Vec<String> = squares.chunks(8).map(rank).collect();
        let Ok(board) = Board::from_fen(&format!("{} b - - 0 1", ranks.join("/"))) else { continue };
        // Nothing was put where something else stands, nothing hangs, and two bishops are not of one colour.
        let all = board.occupied().len() as usize == pieces.len() + 2;
        let light = (board.role(Role::Bishop) & Bitboard::LIGHT_SQUARES).len();
        let can_mate = pieces != "BB" || light == 1;
        if all && can_mate && !board.in_check() && board.legal_moves().iter().all(|&mv| !board.is_capture(mv)) {
            return board;
        }
    }
}

#[test]
fn a_lone_king_is_mated() {
    let network = ValueNet::load(nets::DEFAULT).expect("a network");
    let mut random = fastrand::Rng::with_seed(1);
    // Of bishop and knight a few are not mated in time: the way to the corner is longer than the search.
    for (pieces, count, enough) in [("Q", 2, 2), ("R", 3, 3), ("BB", 3, 3), ("BN", 8, 7)] {
        let boards: Vec<Board> = (0..count).map(|_| somewhere(pieces, &mut random)).collect();
        for network in [Some(&network), None] {
            let mated = boards.iter().filter(|&&board| play(board, network) == Some(Ending::Checkmate)).count();
            assert!(mated >= enough, "{pieces}, by the network: {}: {mated} of {count}", network.is_some());
        }
    }
}
