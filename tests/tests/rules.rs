//! The rules, held against shakmaty on the positions of random games.

use std::collections::BTreeSet;

use engine_core::chess::{Board, Move, MoveList, Role, Square, Stage};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen, san::SanPlus};
use tests::games::{Random, walk};

/// Positions of each variant: standard chess and Chess960.
const POSITIONS: usize = 10_000;
const STANDARD: usize = 518;

/// A board as shakmaty sees it, in our FEN.
fn board_of(position: &Chess) -> Board {
    let fen = Fen::from_position(position, EnPassantMode::PseudoLegal).to_string();
    Board::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn compare(position: &Chess, mode: CastlingMode, random: &mut Random) {
    let board = board_of(position);
    let fen = Fen::from_position(position, EnPassantMode::PseudoLegal).to_string();
    assert_eq!(board.fen().to_string(), fen);
    let Zobrist64(key) = position.zobrist_hash(EnPassantMode::PseudoLegal);
    assert_eq!(board.key(), key, "{fen}: Polyglot key");
    assert_eq!(board.in_check(), position.is_check(), "{fen}: check");
    assert_eq!(board.is_insufficient_material(), position.is_insufficient_material(), "{fen}: material");

    let chess960 = mode == CastlingMode::Chess960;
    let ours = board.legal_moves();
    assert_eq!(board.count_legal_moves(), ours.len() as u64, "{fen}: count");
    let ours: BTreeSet<String> = ours.iter().map(|mv| mv.long_algebraic(chess960).to_string()).collect();
    let moves = position.legal_moves();
    let theirs: BTreeSet<String> = moves.iter().map(|mv| mv.to_uci(mode).to_string()).collect();
    assert_eq!(ours, theirs, "{fen}: legal moves");

    for &their_move in &moves {
        let text = their_move.to_uci(mode).to_string();
        let mv = board.parse_move(text.as_bytes()).unwrap_or_else(|error| panic!("{fen} {text}: {error}"));
        assert_eq!(mv.long_algebraic(chess960).to_string(), text);
        assert_eq!(board.san(mv).to_string(), SanPlus::from_move(position.clone(), their_move).to_string(), "{fen}");

        let mut next = position.clone();
        next.play_unchecked(their_move);
        let after = board.after(mv);
        let their_fen = Fen::from_position(&next, EnPassantMode::PseudoLegal).to_string();
        assert_eq!(after.fen().to_string(), their_fen, "{fen} {text}");
        assert_eq!(after.key(), after.key_from_scratch(), "{fen} {text}: key");
        assert_eq!(Board::from_fen(&their_fen), Ok(after), "{fen} {text}: board from its FEN");
    }
    stages_and_legality(&board, random);
}

/// The stages share the legal moves out, and `is_legal` knows them among all that a hash collision might bring.
fn stages_and_legality(board: &Board, random: &mut Random) {
    let generated = |stage| {
        let mut moves = MoveList::new();
        board.generate(stage, &mut moves);
        moves
    };
    let noisy = generated(Stage::Noisy);
    let quiet = generated(Stage::Quiet);
    let is_noisy = |mv: &Move| board.is_capture(*mv) || mv.promotes_to().is_some();
    assert!(noisy.iter().all(is_noisy) && !quiet.iter().any(is_noisy), "{}", board.fen());
    let legal: BTreeSet<u16> = board.legal_moves().iter().map(|mv| mv.bits()).collect();
    let shared: BTreeSet<u16> = noisy.iter().chain(&quiet).map(|mv| mv.bits()).collect();
    assert_eq!(shared, legal, "{}", board.fen());
    assert_eq!(noisy.len() + quiet.len(), legal.len(), "{}", board.fen());

    for bits in legal.iter().copied().chain((0..64).map(|_| random.bits() as u16)) {
        if let Some(mv) = Move::from_bits(bits) {
            let normal_form = normalised(mv);
            assert_eq!(board.is_legal(normal_form), legal.contains(&normal_form.bits()), "{} {mv:?}", board.fen());
        }
    }
}

/// A move whose unused bits are as the generator leaves them.
fn normalised(mv: Move) -> Move {
    use engine_core::chess::MoveKind::{Castling, EnPassant, Normal, Promotion};
    let (from, to) = (mv.from(), mv.to());
    match mv.kind() {
        Normal => Move::normal(from, to),
        Castling => Move::castling(from, to),
        EnPassant => Move::en_passant(from, to),
        Promotion(role) => Move::promotion(from, to, role),
    }
}

#[test]
fn standard_chess_is_as_shakmaty_plays_it() {
    let mut random = Random::new(1);
    let mut seen = 0;
    while seen < POSITIONS {
        let mut compared = Random::new(seen as u64);
        walk(&mut random, STANDARD, 200, |position| {
            compare(position, CastlingMode::Standard, &mut compared);
            seen += 1;
        });
    }
}

#[test]
fn chess960_is_as_shakmaty_plays_it() {
    let mut random = Random::new(2);
    let mut seen = 0;
    while seen < POSITIONS {
        let number = random.below(960);
        let mut compared = Random::new(seen as u64);
        walk(&mut random, number, 200, |position| {
            compare(position, CastlingMode::Chess960, &mut compared);
            seen += 1;
        });
    }
}

#[test]
fn moves_that_are_nowhere_legal_are_refused() {
    let board = Board::start();
    for from in Square::all() {
        for to in Square::all() {
            for role in Role::PROMOTIONS {
                assert!(!board.is_legal(Move::promotion(from, to, role)));
            }
            assert!(!board.is_legal(Move::en_passant(from, to)));
            assert!(!board.is_legal(Move::castling(from, to)));
        }
    }
}
