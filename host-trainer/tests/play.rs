//! Games in the terminal, typed over a pipe.
#![cfg(unix)]

mod common;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Output, Stdio},
};

use common::{FAKES, assert_has, finish, trainer};
use host_trainer::report::games::{self, Game};
use rustix::process::{Pid, Signal, kill_process};

/// Types lines and gives what the program said; `rest` are further arguments.
fn play(dir: &Path, rest: &str, typed: &[&str]) -> Output {
    let mut arguments = vec!["play"];
    let rest = shlex::split(rest).unwrap();
    arguments.extend(rest.iter().map(String::as_str));
    let mut child =
        trainer(dir, &arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that refuses its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all((typed.join("\n") + "\n").as_bytes());
    child.wait_with_output().unwrap()
}

/// The games of a file, as pgn-reader and shakmaty read them.
fn saved(dir: &Path, name: &str) -> Vec<Game> {
    games::read(&dir.join(name)).unwrap()
}

fn moves(game: &Game) -> Vec<&str> {
    game.line.plies().iter().map(|ply| ply.san.as_str()).collect()
}

#[test]
fn a_policy_net_takes_a_queen_that_is_put_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let fen = "--fen 'r1bqkbnr/pppp1ppp/2n5/8/8/8/PPP1PPPP/RNBQKBNR w KQkq - 0 3'";
    let (out, err) = finish(&play(dir.path(), &format!("--ascii --policy {fen}"), &["Qd4", "resign", "quit"]), 0);
    assert!(out.contains("Nxd4"), "{out}{err}");
    let net = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine-core/nets/value-32.net");
    let (_, err) = finish(&play(dir.path(), &format!("--policy {}", net.display()), &["quit"]), 1);
    assert_has(&err, &["--policy", "it holds a value net, and a policy net is wanted"]);
}

#[test]
fn a_game_with_a_move_taken_back_mistakes_and_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let typed = [
        "e4",
        "undo",
        "undo",
        "d4",
        "Ne5",
        "e2e5",
        "e7e5",
        "blunder",
        "hint",
        "eval",
        "moves d4",
        "save my.pgn",
        "save my.pgn",
        "resign",
        "e3",
        "quit",
    ];
    let (out, err) = finish(&play(dir.path(), "--nodes 200 --ascii --name Ann", &typed), 0);
    assert_has(
        &out,
        &[
            "You have White against Knightlight",
            " 1  R  N  B  Q  K  B  N  R ",
            " 2  P  P  P  P [.] P  P  P ",
            " plays 1... ",
            "White #",
            "Taken back: 2 half-moves.",
            "You cannot take back 1: you have made 0 moves.",
            "No such knight can go to e5.",
            "The pawn on e2 cannot go to e5. It can play e3 or e4.",
            "The pawn on e7 is Black's, and you have White.",
            "`blunder` is neither a move nor a command.",
            "Hint: ",
            "White wins ",
            "Saved to my.pgn.",
            "White resigns: 0-1. You lose.",
            "The game is over: `new` begins another",
            "The game is saved in games.pgn.",
        ],
    );
    assert!(err.is_empty(), "{err}");
    let (early, whole) = (saved(dir.path(), "my.pgn"), saved(dir.path(), "games.pgn"));
    assert_eq!((early.len(), whole.len()), (1, 1));
    assert_eq!((early[0].result(), whole[0].result()), ("*", "0-1"));
    assert_eq!((moves(&whole[0])[0], moves(&whole[0]).len()), ("d4", 2));
    assert_eq!(whole[0].white, "Ann");
    assert!(whole[0].black.starts_with("Knightlight"), "{}", whole[0].black);
    assert!(whole[0].scores[1].is_some(), "the engine's move has its score");
}

#[test]
fn the_rules_end_games_and_colours_change() {
    let dir = tempfile::tempdir().unwrap();
    let fen = "--fen '6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1' --nodes 100";
    let (out, _) = finish(&play(dir.path(), fen, &["ra8", "undo", "O-O-O", "quit"]), 0);
    assert_has(&out, &["White mates: 1-0. You win.", "Taken back: 1 half-move.", "[♔] ♖ [·]"]);
    let castled = &saved(dir.path(), "games.pgn")[0];
    assert_eq!((moves(castled)[0], castled.result()), ("O-O-O", "*"));

    let shuffle = format!("--engine 'sh {FAKES}/uci.sh' --pgn b.pgn");
    let (out, _) = finish(&play(dir.path(), &shuffle, &["Nf3", "Ng1", "Nf3", "Ng1", "new"]), 0);
    assert_has(&out, &["Draw by threefold repetition: 1/2-1/2.", "You have Black against Fake", "Fake plays 1. Nf3"]);
    let games = saved(dir.path(), "b.pgn");
    assert_eq!((games.len(), games[0].result(), games[1].white.as_str()), (2, "½-½", "Fake"));

    let bare = "--fen 'k7/8/8/8/8/8/1p6/K7 w - - 0 1' --pgn c.pgn";
    let (out, _) = finish(&play(dir.path(), bare, &["kb2"]), 0);
    assert_has(&out, &["Draw by insufficient material: 1/2-1/2."]);
}

#[test]
fn fischer_s_chess_and_the_other_side() {
    let dir = tempfile::tempdir().unwrap();
    let rest = "--variant chess960 --seed 3 --side black --nodes 100 --ascii";
    let (out, _) = finish(&play(dir.path(), rest, &["fen", "quit"]), 0);
    assert_has(&out, &["You have Black", " plays 1. ", "    h  g  f  e  d  c  b  a "]);
    let text = fs::read_to_string(dir.path().join("games.pgn")).unwrap();
    assert_has(&text, &["[Variant \"Chess960\"]", "[SetUp \"1\"]", "[Termination \"unterminated\"]"]);
    assert_eq!(saved(dir.path(), "games.pgn")[0].line.plies().len(), 1);
}

#[test]
fn an_interrupted_game_is_saved() {
    let dir = tempfile::tempdir().unwrap();
    let mut child =
        trainer(dir.path(), &["play", "--nodes", "100"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(b"e4\n").unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains(" plays 1... ") {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "the program left");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
    assert!(rest.contains("The game is saved in games.pgn."), "{rest}");
    let games = saved(dir.path(), "games.pgn");
    assert_eq!((moves(&games[0])[0], moves(&games[0]).len(), games[0].result()), ("e4", 2, "*"));
}

#[test]
fn an_opponent_that_fails_leaves_the_game_behind() {
    let dir = tempfile::tempdir().unwrap();
    let (_, err) = finish(&play(dir.path(), &format!("--engine 'sh {FAKES}/uci.sh crash 3'"), &["Nf3", "Ng1"]), 1);
    assert_has(&err, &["Fake crashed (exit status: 3)", "! dying of crash"]);
    assert_eq!(moves(&saved(dir.path(), "games.pgn")[0]), ["Nf3", "Nf6", "Ng1"]);
}

#[test]
fn what_cannot_be_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (rest, expected) in [
        ("--elo 500", "option `UCI_Elo`: a number from 600 to 2500 wanted, not `500`"),
        ("--option Nonsense=1", "has no option `Nonsense`; it has Hash"),
        ("--option Nonsense", "it must be NAME=VALUE"),
        ("--fen '8/8/8/8/8/8/8/8 w - - 0 1'", "--fen: "),
        ("--net /nowhere.net", "--net: cannot read /nowhere.net"),
        ("--serial /nowhere/tty", "cannot open the serial port /nowhere/tty"),
        ("--engine 'cat tc=1+1'", "there are no clocks"),
        ("--engine 'cat proto=xboard' --elo 1500", "--elo: only UCI engines"),
        ("--engine /nowhere/engine", "cannot run `/nowhere/engine`"),
        ("--baud 9600", "--serial"),
    ] {
        let output = play(dir.path(), rest, &[]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && err.contains(expected), "{rest}: {err}");
    }
    assert!(!dir.path().join("games.pgn").exists());
}
