//! The numbers of moves, held against a table that is made by enumeration, on the positions of random games.

use std::collections::{BTreeMap, BTreeSet};

use engine_core::chess::Board;
use engine_core::net::move_planes::{OUTPUTS, index, legal_move};
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, File, Move, Position, Rank, Role, Square, fen::Fen};
use tests::games::{Random, walk};

const POSITIONS: usize = 5_000;
const STANDARD: usize = 518;

/// A move of the mover's view: from, to, and what a pawn becomes if that is less than a queen.
type Key = (Square, Square, Option<Role>);

/// All numbers there are: each square's 73 are counted up while rays are walked, knights hop and pawns reach the end.
fn table() -> BTreeMap<Key, u16> {
    let mut table = BTreeMap::new();
    let mut number = 0;
    for square in Square::ALL {
        let mut next = |files: i32, ranks: i32, role: Option<Role>| {
            if let Some(to) = shifted(square, files, ranks) {
                assert_eq!(table.insert((square, to, role), number), None);
            }
            number += 1;
        };
        // Clockwise from the north, each ray to its seventh square whether it is on the board or not.
        let (mut files, mut ranks) = (0, 1);
        for _ in 0..8 {
            for distance in 1..=7 {
                next(files * distance, ranks * distance, None);
            }
            (files, ranks) = eighth_turn(files, ranks);
        }
        for (files, ranks) in [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)] {
            next(files, ranks, None);
        }
        for files in [-1, 0, 1] {
            for role in [Role::Knight, Role::Bishop, Role::Rook] {
                next(files, 1, Some(role));
            }
        }
    }
    assert_eq!(usize::from(number), OUTPUTS);
    table
}

/// The next of the eight directions, clockwise.
fn eighth_turn(files: i32, ranks: i32) -> (i32, i32) {
    ((files + ranks).signum(), (ranks - files).signum())
}

fn shifted(square: Square, files: i32, ranks: i32) -> Option<Square> {
    let file = File::try_from(square.file() as i32 + files).ok()?;
    let rank = Rank::try_from(square.rank() as i32 + ranks).ok()?;
    Some(Square::from_coords(file, rank))
}

/// The key of a move as the mover sees it.
fn key(position: &Chess, mv: Move) -> Key {
    let turn = |square: Square| if position.turn() == Color::Black { square.rotate_180() } else { square };
    let from = mv.from().expect("no drops in chess");
    let to = match mv {
        Move::Castle { king, rook } if king.file() == File::E => {
            Square::from_coords(if rook > king { File::G } else { File::C }, king.rank())
        }
        Move::Castle { rook, .. } => rook,
        _ => mv.to(),
    };
    (turn(from), turn(to), mv.promotion().filter(|&role| role != Role::Queen))
}

fn compare(position: &Chess, mode: CastlingMode, table: &BTreeMap<Key, u16>) {
    let fen = Fen::from_position(position, EnPassantMode::PseudoLegal).to_string();
    let board = Board::from_fen(&fen).expect("a position");
    let mut numbers = BTreeSet::new();
    for their_move in position.legal_moves() {
        let text = their_move.to_uci(mode).to_string();
        let mv = board.parse_move(text.as_bytes()).expect("a legal move");
        let number = index(&board, mv);
        assert_eq!(Some(&number), table.get(&key(position, their_move)), "{fen} {text}");
        assert_eq!(legal_move(&board, number), Some(mv), "{fen} {text}");
        assert!(numbers.insert(number), "{fen} {text}: {number} is taken");
    }
    let other = (0..OUTPUTS as u16).step_by(61).find(|number| !numbers.contains(number)).expect("few moves");
    assert_eq!(legal_move(&board, other), None, "{fen}");
}

#[test]
fn every_move_has_the_number_that_enumeration_gives() {
    let table = table();
    for (seed, chess960) in [(1, false), (2, true)] {
        let mut random = Random::new(seed);
        let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let mut seen = 0;
        while seen < POSITIONS {
            let number = if chess960 { random.below(960) } else { STANDARD };
            walk(&mut random, number, 200, |position| {
                compare(position, mode, &table);
                seen += 1;
            });
        }
    }
}

#[test]
fn known_moves_have_their_numbers() {
    let numbers = |fen: &str, moves: &[(&str, u16)]| {
        let board = Board::from_fen(fen).expect("a position");
        for &(text, number) in moves {
            assert_eq!(index(&board, board.parse_move(text.as_bytes()).expect("a move")), number, "{fen} {text}");
        }
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    numbers(start, &[("e2e4", 877), ("e2e3", 876), ("g1f3", 6 * 73 + 63), ("b1c3", 73 + 56)]);
    // Turned, e7 is d2.
    let replied = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    numbers(replied, &[("e7e5", 11 * 73 + 1), ("g8f6", 73 + 56)]);
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    numbers(castling, &[("e1g1", 4 * 73 + 2 * 7 + 1), ("e1c1", 4 * 73 + 6 * 7 + 1), ("e1f1", 4 * 73 + 2 * 7)]);
    let promotions = "1r5k/2P5/8/8/8/8/8/K7 w - - 0 1";
    numbers(
        promotions,
        &[("c7c8q", 50 * 73), ("c7b8q", 50 * 73 + 49), ("c7b8n", 50 * 73 + 64), ("c7c8r", 50 * 73 + 69)],
    );
}

/// All ways to castle in Chess960 and all promotions are met on the way.
#[test]
fn crowded_positions_have_no_two_moves_of_one_number() {
    let table = table();
    for fen in [
        "1r1r3k/2P5/8/8/8/8/2p5/1R1RK3 w - - 0 1",
        "1r1rk3/2P5/8/8/8/8/2p5/1R1R3K b - - 0 1",
        "4k3/8/8/8/8/8/8/RKR5 w AC - 0 1",
        "4k3/8/8/8/8/8/8/5RKR w FH - 0 1",
        "4k3/8/8/8/8/8/8/R4KR1 w AG - 0 1",
        "rk5r/8/8/8/8/8/8/4K3 b ah - 0 1",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w BGbg - 0 1",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b BGbg - 0 1",
        "7k/8/8/8/8/8/8/R2KR3 w AE - 0 1",
    ] {
        let setup: Fen = fen.parse().expect("a position");
        let position: Chess = setup.into_position(CastlingMode::Chess960).expect("a position");
        compare(&position, CastlingMode::Chess960, &table);
    }
}
