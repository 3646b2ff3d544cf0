//! Endings that are won are won: mate within fifty moves, against the engine's own best defence.

use engine_core::chess::{Bitboard, Board, Colour, Ending, Game, Move, Role};
use engine_core::eval::evaluate;
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

/// A king and a pawn of White's against a king: the index of a position among all there are, legal or not.
fn index(board: &Board) -> Option<usize> {
    let square = |role, colour| board.pieces(colour, role).first().map(|square| square.index());
    let pieces = [(Role::Pawn, Colour::White), (Role::King, Colour::White), (Role::King, Colour::Black)];
    let mut index = board.side_to_move().index();
    for (role, colour) in pieces {
        index = index << 6 | square(role, colour)?;
    }
    Some(index)
}

/// All positions of king and pawn against king, and which of them, by their index, are won: by working back from
/// promotions that cannot be taken.
fn pawn_endings() -> (Vec<Board>, Vec<bool>) {
    let mut boards = Vec::new();
    for index in 0..1 << 19 {
        let at = |shift: u32| index >> shift & 63;
        let mut squares = ["1"; 64];
        for (shift, piece) in [(12, "P"), (6, "K"), (0, "k")] {
            squares[at(shift)] = piece;
        }
        let ranks: Vec<String> = squares.chunks(8).rev().map(|rank| rank.concat()).collect();
        let side = if index >> 18 == 0 { "w" } else { "b" };
        // Where two share a square there is one piece too few.
        boards.extend(
            Board::from_fen(&format!("{} {side} - - 0 1", ranks.join("/")))
                .ok()
                .filter(|board| board.occupied().len() == 3),
        );
    }
    let mut won = vec![false; 1 << 19];
    let leads_to_win = |won: &[bool], board: &Board, mv: &Move| {
        let child = board.after(*mv);
        if let Some(index) = index(&child) {
            return won[index];
        }
        let stands = child.legal_moves().iter().all(|&reply| !child.is_capture(reply));
        let mates = matches!(mv.promotes_to(), Some(Role::Queen | Role::Rook)) && stands;
        mates && (child.has_legal_moves() || child.in_check())
    };
    loop {
        let mut settled = true;
        for board in &boards {
            let index = index(board).expect("three pieces");
            let moves = board.legal_moves();
            let wins = match board.side_to_move() {
                Colour::White => moves.iter().any(|mv| leads_to_win(&won, board, mv)),
                Colour::Black if moves.is_empty() => board.in_check(),
                Colour::Black => moves.iter().all(|mv| leads_to_win(&won, board, mv)),
            };
            settled &= won[index] == wins;
            won[index] = wins;
        }
        if settled {
            return (boards, won);
        }
    }
}

#[test]
fn a_pawn_that_is_stopped_is_worth_little() {
    let (boards, won) = pawn_endings();
    let count = |wins| boards.iter().filter(|board| won[index(board).expect("three pieces")] == wins).count();
    // As is known: on half of the board there are 111,282 wins.
    assert_eq!((boards.len(), count(true)), (331_352, 2 * 111_282));

    let network = ValueNet::load(nets::DEFAULT).expect("a network");
    let (mut seen, mut wrong) = (0, 0);
    for board in &boards {
        if evaluate(board, Some(&network)).abs() < 50 {
            let wins = won[index(board).expect("three pieces")];
            seen += usize::from(!wins);
            wrong += usize::from(wins);
        }
    }
    // Three quarters of the draws, and hardly a win.
    assert!(seen * 4 > 3 * count(false), "{seen} of {}", count(false));
    assert!(wrong * 1_000 < count(true), "{wrong} of {}", count(true));
}
