//! `trainer book` from its command line, held to a slow counting of the same games on the engine's own boards.

mod common;
#[path = "common/random_games.rs"]
mod random_games;

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write,
    fs,
};

use common::{assert_has, finish, trainer};
use engine_core::{
    book::Book,
    chess::{Board, Move},
};
use random_games::{RandomGame, random_games};
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position, fen::Fen, san::SanPlus, uci::UciMove};

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::PseudoLegal).to_string()
}

/// A game as PGN text.
fn pgn(game: &RandomGame) -> String {
    let result = match game.white_points {
        1.0 => "1-0",
        0.5 => "1/2-1/2",
        _ => "0-1",
    };
    let start = game.plies.first().map_or_else(Chess::default, |first| first.position.clone());
    let mut text = format!("[Event \"?\"]\n[Result \"{result}\"]\n[SetUp \"1\"]\n[FEN \"{}\"]\n\n", fen(&start));
    for played in &game.plies {
        let _ = writeln!(text, "{}", SanPlus::from_move(played.position.clone(), played.mv));
    }
    text + result + "\n\n"
}

/// What each move of a position scored, twice a win and once a draw, and how often it was played.
type Counts = BTreeMap<(u64, u16), (Board, Move, u32, u32)>;

/// Counts the first moves of games by the engine's rules and keys.
fn slow_counts(games: &[RandomGame], plies: usize) -> Counts {
    let mut counts = Counts::new();
    for game in games {
        for played in game.plies.iter().take(plies) {
            let board = Board::from_fen(&fen(&played.position)).unwrap();
            let text = UciMove::from_move(played.mv, CastlingMode::Chess960).to_string();
            let mv = board.parse_move(text.as_bytes()).unwrap();
            let white = (2.0 * game.white_points) as u32;
            let points = if played.position.turn() == Color::White { white } else { 2 - white };
            let (.., score, count) = counts.entry((board.key(), mv.bits())).or_insert((board, mv, 0, 0));
            *score += points;
            *count += 1;
        }
    }
    counts
}

#[test]
fn a_book_knows_what_the_games_say() {
    let dir = tempfile::tempdir().unwrap();
    let games = random_games(7, 400);
    let text: Vec<String> = games.iter().map(pgn).collect();
    fs::write(dir.path().join("a.pgn"), text[..150].concat()).unwrap();
    fs::write(dir.path().join("b.pgn"), text[150..].concat()).unwrap();
    for (plies, least, percent) in [(80, 1, 0), (6, 2, 0), (10, 1, 60)] {
        let arguments = format!(
            "book make a.pgn b.pgn --out {plies}.bin --max-ply {plies} --min-count {least} --min-score {percent}"
        );
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let (out, _) = finish(&trainer(dir.path(), &arguments).output().unwrap(), 0);

        let mut expected = slow_counts(&games, plies);
        expected.retain(|_, (.., score, count)| *count >= least && *score > 0 && *score * 50 >= percent * *count);
        let positions: HashSet<u64> = expected.keys().map(|(key, _)| *key).collect();
        let size = expected.len();
        assert_has(
            &out,
            &["400 games\n", &format!("{} positions, {size} entries, {} bytes", positions.len(), 16 * size)],
        );

        let bytes = fs::read(dir.path().join(format!("{plies}.bin"))).unwrap();
        let book = Book::new(&bytes);
        assert_eq!(book.len(), size);
        let mut found = 0;
        for (board, mv, score, _) in expected.values() {
            let moves: Vec<(Move, u16)> = book.moves(board).collect();
            assert!(moves.is_sorted_by(|a, b| a.1 >= b.1), "the best move comes first");
            assert!(moves.contains(&(*mv, *score as u16)), "{} {} {score} in {moves:?}", board.fen(), board.san(*mv));
            found += 1;
        }
        assert!(found > 100, "the games have enough to say");
    }
}

#[test]
fn a_book_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let game = |moves: &str, result: &str| format!("[Result \"{result}\"]\n\n{moves} {result}\n\n");
    let games = game("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O", "1-0")
        + &game("1. e4 c5", "1/2-1/2")
        + &game("1. d4 d5", "1/2-1/2")
        + &game("1. a4 Na3", "1-0");
    fs::write(dir.path().join("games.pgn"), games).unwrap();
    let make = ["book", "make", "games.pgn", "--out", "small.bin", "--min-count", "1"];
    let (out, _) = finish(&trainer(dir.path(), &make).output().unwrap(), 0);
    assert_has(&out, &["3 games; left out: 1 damaged\n", "games.pgn, game 4: "]);
    // The book is never written over.
    let (_, err) = finish(&trainer(dir.path(), &make).output().unwrap(), 1);
    assert_has(&err, &["small.bin is there already"]);

    let show = |rest: &[&str], status| {
        let arguments = [&["book", "show", "small.bin"], rest].concat();
        finish(&trainer(dir.path(), &arguments).output().unwrap(), status)
    };
    assert_has(&show(&[], 0).0, &["6 positions, 7 entries", "e4          3  75.0%\nd4          1  25.0%\n"]);
    assert_has(&show(&["--moves", "e4", "e5", "Nf3 Nc6 Bc4 Bc5"], 0).0, &["O-O         2 100.0%\n"]);
    assert_has(&show(&["--moves", "a4"], 0).0, &["the book knows no move here"]);
    assert_has(&show(&["--fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"], 0).0, &["the book knows no move here"]);
    assert_has(&show(&["--moves", "e4 e4"], 1).1, &["--moves: half-move 2, `e4`, is not legal there"]);
    assert_has(&show(&["--fen", "x"], 1).1, &["--fen: "]);
}

#[test]
fn what_makes_no_book_is_named_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("games.pgn"), "1. e4 1-0\n").unwrap();
    for (arguments, status, expected) in [
        ("games.pgn --out b.bin", 1, "no move was played 3 times or more"),
        ("nothing.pgn --out b.bin", 1, "cannot read nothing.pgn"),
        ("games.pgn --out no/b.bin --min-count 1", 1, "cannot write no/b.bin"),
        ("games.pgn --out b.bin --min-score 101", 2, "a number from 0 to 100 is wanted"),
        (". --out b.bin", 1, ". is a folder"),
    ] {
        let arguments: Vec<&str> = ["book", "make"].into_iter().chain(arguments.split(' ')).collect();
        let (_, err) = finish(&trainer(dir.path(), &arguments).output().unwrap(), status);
        assert_has(&err, &[expected]);
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn the_small_book_of_the_boards_is_made_of_its_lines() {
    let dir = tempfile::tempdir().unwrap();
    let boards = concat!(env!("CARGO_MANIFEST_DIR"), "/../firmware/boards");
    let lines = format!("{boards}/openings.pgn");
    let make = ["book", "make", &lines, "--min-count", "1", "--out", "openings.bin"];
    assert_has(&finish(&trainer(dir.path(), &make).output().unwrap(), 0).0, &["40 games\n"]);
    let made = fs::read(dir.path().join("openings.bin")).unwrap();
    assert!(made == fs::read(format!("{boards}/openings.bin")).unwrap(), "make it anew: see docs/book.md");
}
