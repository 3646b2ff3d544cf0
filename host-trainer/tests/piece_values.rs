//! `trainer piece-values` on games whose results were drawn with values that are known.

mod common;

use std::{fmt::Write, fs, path::Path};

use common::{assert_has, finish, trainer};
use engine_core::chess::{Board, Colour, Role};
use host_trainer::{
    arena::random::SplitMix64,
    data::{
        game::{Game, Outcome, Sample, ply_of},
        pgn,
    },
};
use serde_json::Value;

/// What a pawn, a knight, a bishop, a rook and a queen are worth in these games, in units of the logistic function.
const WEIGHTS: [f64; 5] = [0.5, 2.0, 1.5, 2.25, 3.5];
const NAMES: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];

fn uniform(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A position with some pieces anywhere, White to move and nobody in check, and what White's surplus is worth.
fn position(random: &mut SplitMix64) -> Option<(Board, f64)> {
    let mut squares = [None; 64];
    let mut put = |random: &mut SplitMix64, letter: char| {
        let square = random.below(64) as usize;
        let is_end = !(8..56).contains(&square);
        if squares[square].is_none() && !(is_end && letter.eq_ignore_ascii_case(&'p')) {
            squares[square] = Some(letter);
        }
    };
    put(random, 'K');
    put(random, 'k');
    for _ in 0..random.below(8) {
        let letter = b"PNBRQpnbrq"[random.below(10) as usize];
        put(random, char::from(letter));
    }
    let ranks: Vec<String> = squares.chunks(8).map(|rank| rank.iter().map(|&p| p.unwrap_or('1')).collect()).collect();
    let board = Board::from_fen(&format!("{} w - - 0 20", ranks.join("/"))).ok().filter(|board| !board.in_check())?;
    let surplus = |role| {
        let count = |colour| f64::from(board.pieces(colour, role).len());
        count(Colour::White) - count(Colour::Black)
    };
    let worth = Role::ALL.iter().zip(WEIGHTS).map(|(&role, weight)| weight * surplus(role)).sum();
    Some((board, worth))
}

/// A game of quiet moves from a position.
fn game(mut board: Board, outcome: Outcome, random: &mut SplitMix64) -> Option<Game> {
    let mut game = Game::default();
    for _ in 0..3 {
        let quiet = |mv| !board.is_capture(mv) && mv.promotes_to().is_none() && !board.after(mv).in_check();
        let moves: Vec<_> = board.legal_moves().iter().copied().filter(|&mv| quiet(mv)).collect();
        let mv = *moves.get(random.below(moves.len().max(1) as u64) as usize)?;
        let us = board.side_to_move();
        let ply = Some(ply_of(&board));
        game.samples.push(Sample { board, played: Some(mv), score: None, outcome: outcome.seen_by(us), ply });
        board.play(mv);
    }
    Some(game)
}

/// Writes so many games, with results by chance as the weights say.
fn write_games(path: &Path, seed: u64, count: usize) {
    let mut random = SplitMix64::new(seed);
    let mut out = Vec::new();
    let mut written = 0;
    while written < count {
        let Some((board, worth)) = position(&mut random) else { continue };
        // Enough doubt about the winner, so that few games say much.
        if worth.abs() > 4.0 {
            continue;
        }
        let wins = uniform(&mut random) < 1.0 / (1.0 + (-worth).exp());
        let Some(game) = game(board, if wins { Outcome::Win } else { Outcome::Loss }, &mut random) else { continue };
        pgn::write(&mut out, &game).unwrap();
        written += 1;
    }
    fs::write(path, out).unwrap();
}

fn piece_values(dir: &Path, arguments: &[&str]) -> (String, Value) {
    let arguments = [&["piece-values"], arguments, &["--json", "out.json"]].concat();
    let (out, _) = finish(&trainer(dir, &arguments).output().unwrap(), 0);
    (out, serde_json::from_slice(&fs::read(dir.join("out.json")).unwrap()).unwrap())
}

fn weights(json: &Value) -> Vec<f64> {
    json["values"].as_array().unwrap().iter().map(|value| value["weight"].as_f64().unwrap()).collect()
}

#[test]
fn values_that_made_the_results_are_found_by_both_solvers() {
    let dir = tempfile::tempdir().unwrap();
    write_games(&dir.path().join("a.pgn"), 1, 1500);
    write_games(&dir.path().join("b.pgn"), 2, 1500);
    let (out, newton) = piece_values(dir.path(), &["a.pgn", "b.pgn", "--pictures", "pictures"]);
    assert_has(&out, &["read       3000 games", "trust region", "cost       0.", "knight"]);
    for (name, (value, weight)) in NAMES.iter().zip(newton["values"].as_array().unwrap().iter().zip(WEIGHTS)) {
        assert_eq!(value["name"], *name);
        let (found, error) = (value["weight"].as_f64().unwrap(), value["weight_error"].as_f64().unwrap());
        assert!((found - weight).abs() < 4.0 * error && error < 0.2, "{name}: {found} ± {error}, made with {weight}");
        let (value, error) = (value["value"].as_f64().unwrap(), value["value_error"].as_f64().unwrap());
        assert!((value - 100.0 * weight / WEIGHTS[0]).abs() <= 4.0 * error, "{name}: {value} ± {error}");
    }
    // One example a game, for a game of quiet moves has one balance.
    assert_eq!((newton["examples"].as_f64(), newton["used"]["games"].as_u64()), (Some(3000.0), Some(3000)));
    for picture in ["convergence.svg", "expectations.svg"] {
        let picture = fs::read_to_string(dir.path().join("pictures").join(picture)).unwrap();
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"), "{picture}");
    }

    let (out, descent) = piece_values(dir.path(), &["a.pgn", "b.pgn", "--solver", "gradient-descent"]);
    assert_has(&out, &["gradient descent: 10000 steps"]);
    for (one, other) in weights(&newton).iter().zip(weights(&descent)) {
        assert!((one - other).abs() < 1e-6 * one.abs(), "{one} {other}");
    }
}

#[test]
fn draws_and_the_first_move() {
    let dir = tempfile::tempdir().unwrap();
    let mut pgn = String::new();
    for _ in 0..3 {
        let _ = write!(pgn, "1. a3 a6 2. h3 h6 1-0\n\n1. a3 a6 2. h3 h6 1/2-1/2\n\n");
    }
    fs::write(dir.path().join("a.pgn"), pgn).unwrap();
    let (_, all) = piece_values(dir.path(), &["a.pgn", "--first-move", "--l2", "0.0001"]);
    // Level material: three points of four for White.
    assert!((weights(&all)[5] - 3f64.ln()).abs() < 1e-3, "{all}");
    assert_eq!((all["used"]["drawn"].as_u64(), all["examples"].as_f64()), (Some(3), Some(6.0)));
    let (_, decided) = piece_values(dir.path(), &["a.pgn", "--without-draws"]);
    assert_eq!((decided["used"]["drawn"].as_u64(), decided["used"]["won"].as_u64()), (Some(0), Some(3)));
}

#[test]
fn tables_are_fitted_to_what_was_held_out_and_written_for_the_engine() {
    let dir = tempfile::tempdir().unwrap();
    write_games(&dir.path().join("a.pgn"), 3, 5000);
    let arguments = ["a.pgn", "--features", "piece-square", "--l2", "10,100", "--write", "piece_square.rs"];
    let (out, json) = piece_values(dir.path(), &arguments);
    assert_has(&out, &["held out   0.", "  l2 10 ", "  l2 100 ", "tempo", "middlegame"]);
    let number = |name: &str| json[name].as_f64().unwrap();
    assert!(number("held_out") < number("held_out_before"), "{out}");
    assert_eq!(json["tried"].as_array().unwrap().len(), 2);
    // Knights are worth 0.57 of a queen here, and 0.32 in the tables that the fit begins with.
    let endgame = |role: &str| -> Vec<f64> {
        json["tables"]["endgame"][role].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    let mean = |role: &str| endgame(role).iter().sum::<f64>() / 64.0;
    let ratio = mean("knight") / mean("queen");
    assert!((0.36..0.65).contains(&ratio), "{ratio}\n{out}");

    let first = fs::read_to_string(dir.path().join("piece_square.rs")).unwrap();
    assert_has(&first, &["trainer piece-values a.pgn --features piece-square", "static ENDGAME: Worths = ["]);
    let first_rank: Vec<String> =
        endgame("king")[56..].iter().map(|value| format!("{:>4},", value.round() as i16)).collect();
    assert_has(&first, &[&first_rank.join(" ")]);
    piece_values(dir.path(), &arguments);
    assert_eq!(fs::read_to_string(dir.path().join("piece_square.rs")).unwrap(), first, "the same again");
}

#[test]
fn mistakes_are_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.pgn"), "[Event \"?\"]\n\n1. e4 e5 2. Nf3\nNf3 1-0\n").unwrap();
    fs::write(dir.path().join("b.pgn"), "1. e4 e5 *\n").unwrap();
    for (arguments, status, parts) in [
        (&["a.pgn"][..], 1, &["a.pgn: number 1 (line 4) is damaged: Nf3 is not legal in "][..]),
        (&["b.pgn"], 1, &["no quiet position is left"]),
        (&["c.pgn"], 1, &["cannot read c.pgn"]),
        (&["c.txt"], 1, &["c.txt: the ending of its name must be"]),
        (&["b.pgn", "--write", "x.rs"], 1, &["--write needs --features piece-square"]),
        (&["b.pgn", "--l2", "1,2"], 1, &["give --validation"]),
        (&["b.pgn", "--l2=-1"], 2, &["a number wanted, at least 0"]),
        (&["b.pgn", "--score-weight", "1.1"], 2, &["a number wanted, 0 to 1"]),
        (&["b.pgn", "--features", "piece-square", "--l2", "0"], 1, &["needs --l2 above 0"]),
        (&["b.pgn", "--features", "piece-square", "--first-move"], 1, &["--first-move"]),
        (&["--features", "piece-square"], 2, &["<FILE>"]),
    ] {
        let arguments = [&["piece-values"], arguments].concat();
        let (_, err) = finish(&trainer(dir.path(), &arguments).output().unwrap(), status);
        assert_has(&err, parts);
    }
    assert!(!dir.path().join("x.rs").exists());
}
