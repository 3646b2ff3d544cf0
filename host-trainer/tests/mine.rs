//! `trainer mine` from its command line: with Knightlight's core, and with scripted teachers.
#![cfg(unix)]

mod common;

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use common::{FAKES, assert_has, finish, trainer};
use host_trainer::{
    epd,
    line::{Line, Ruling},
};
use shakmaty::{CastlingMode, Color, uci::UciMove};
use viriformat::dataformat::{Game, WDL};

/// Small searches by the core, with a choice of moves.
const OWN: &str = "mine --self-play --nodes 40 --choose 80,15,5 --seed 3";

fn mine(dir: &Path, arguments: &str, status: i32) -> (String, String) {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    finish(&trainer(dir, &words).output().unwrap(), status)
}

/// Has a scripted teacher play from the usual start.
fn taught(dir: &Path, teacher: &str, arguments: &str, status: i32) -> (String, String) {
    let mut words = vec!["mine", "--teacher", teacher, "--random-plies", "0", "--choose", "100"];
    words.extend(arguments.split_whitespace());
    finish(&trainer(dir, &words).env("SCORE", "35").output().unwrap(), status)
}

fn fake(deed: &str) -> String {
    format!("sh {FAKES}/uci.sh {deed}")
}

/// The games of a file; one that is not whole, or has an illegal move, is an error.
fn games(path: &Path) -> Vec<Game> {
    let bytes = fs::read(path).unwrap();
    let mut rest = &bytes[..];
    let mut games = Vec::new();
    while !rest.is_empty() {
        games.push(Game::deserialise_from(&mut rest, Vec::new()).unwrap());
    }
    games
}

#[test]
fn games_are_legal_and_end_as_they_say() {
    let dir = tempfile::tempdir().unwrap();
    let (out, _) = mine(dir.path(), &format!("{OWN} --games 12 --workers 2 --no-adjudication"), 0);
    assert_has(&out, &["12 games with ", "White won ", "positions a second"]);
    let mut decided = 0;
    for worker in ["mined/worker-1.viri", "mined/worker-2.viri"] {
        let games = games(&dir.path().join(worker));
        assert_eq!(games.len(), 6);
        for game in games {
            let start = epd::parse_position(&game.initial_position().to_string(), CastlingMode::Standard).unwrap();
            let mut line = Line::new(start);
            for mv in game.moves() {
                assert_eq!(line.ruling(), None, "moves behind the end of a game");
                let text = mv.display(false).to_string();
                let mv = text.parse::<UciMove>().unwrap().to_move(line.position());
                line.play(mv.unwrap_or_else(|_| panic!("{text} is not legal")));
            }
            let expected = match (line.ruling(), line.turn()) {
                (Some(Ruling::Checkmate), Color::White) => WDL::Loss,
                (Some(Ruling::Checkmate), Color::Black) => WDL::Win,
                (Some(_), _) => WDL::Draw,
                (None, _) => panic!("a game without an end"),
            };
            assert_eq!(game.outcome(), expected);
            decided += usize::from(expected != WDL::Draw);
        }
    }
    assert!(decided > 0);
}

#[test]
fn a_killed_run_is_continued_as_if_nothing_had_been() {
    let dir = tempfile::tempdir().unwrap();
    let run = |out: &str| format!("{OWN} --games 60 --workers 2 --out {out}");
    mine(dir.path(), &run("whole"), 0);

    let words = run("killed");
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut child = trainer(dir.path(), &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let first = dir.path().join("killed/worker-1.viri");
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::metadata(&first).map_or(0, |file| file.len()) < 2000 {
        assert!(Instant::now() < deadline, "no games");
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9), "it was to be killed while it ran");

    let files = ["worker-1.viri", "worker-2.viri", "worker-1.pgn", "worker-2.pgn"];
    let read = |out: &str, file: &str| fs::read(dir.path().join(out).join(file)).unwrap();
    for file in files {
        let (whole, killed) = (read("whole", file), read("killed", file));
        assert!(whole.starts_with(&killed) && killed.len() < whole.len(), "{file}");
    }
    let (out, _) = mine(dir.path(), &format!("{} --resume", run("killed")), 0);
    assert_has(&out, &["In all: 60 games"]);
    for file in files {
        assert!(read("whole", file) == read("killed", file), "{file}");
    }
}

#[test]
fn a_run_is_continued_only_as_it_was_begun() {
    let dir = tempfile::tempdir().unwrap();
    let (_, err) = mine(dir.path(), &format!("{OWN} --games 2 --resume"), 1);
    assert_has(&err, &["mined holds no run to continue"]);
    mine(dir.path(), &format!("{OWN} --games 2 --workers 1"), 0);
    let before = fs::read(dir.path().join("mined/worker-1.viri")).unwrap();

    let (_, err) = mine(dir.path(), &format!("{OWN} --games 4 --workers 1"), 1);
    assert_has(&err, &["mined holds a run already: continue it with --resume"]);
    let (_, err) = mine(dir.path(), "mine --self-play --nodes 41 --seed 4 --games 4 --workers 1 --resume", 1);
    let words = "mined was begun otherwise: limit was \"nodes=40\" and is now \"nodes=41\"; seed was 3 and is now 4\n";
    assert_has(&err, &[words]);
    assert_eq!(fs::read(dir.path().join("mined/worker-1.viri")).unwrap(), before);

    // The workers are as they were, and the goal may be another.
    mine(dir.path(), &format!("{OWN} --positions 1 --resume"), 0);
    assert_eq!(fs::read(dir.path().join("mined/worker-1.viri")).unwrap(), before);
    mine(dir.path(), &format!("{OWN} --games 3 --resume"), 0);
    assert_eq!(games(&dir.path().join("mined/worker-1.viri")).len(), 3);
}

#[test]
fn positions_end_a_run_too() {
    let dir = tempfile::tempdir().unwrap();
    mine(dir.path(), &format!("{OWN} --positions 300 --workers 1 --no-pgn"), 0);
    let lengths: Vec<usize> = games(&dir.path().join("mined/worker-1.viri")).iter().map(Game::len).collect();
    let total: usize = lengths.iter().sum();
    assert!(total >= 300, "{lengths:?}");
    assert!(!dir.path().join("mined/worker-1.pgn").exists());
}

#[test]
fn a_teacher_s_games_are_kept_with_its_scores() {
    let dir = tempfile::tempdir().unwrap();
    let (out, _) = taught(dir.path(), &fake(""), "--games 3 --workers 1", 0);
    assert_has(&out, &["3 games with 24 positions", "White won 0, drawn 3", "3 draw by threefold repetition"]);
    let games = games(&dir.path().join("mined/worker-1.viri"));
    let mut scores = Vec::new();
    games[0].visit_positions(|_, score| scores.push(score));
    assert_eq!(scores, [35, -35, 35, -35, 35, -35, 35, -35]);
    assert_eq!(games[0].outcome(), WDL::Draw);
    let pgn = fs::read_to_string(dir.path().join("mined/worker-1.pgn")).unwrap();
    assert_has(&pgn, &["[White \"Fake\"]", "1. Nf3 {+0.35/7} 1... Nf6 {+0.35/7} 2. Ng1"]);
}

#[test]
fn a_teacher_that_fails_now_and_then_is_started_anew() {
    let dir = tempfile::tempdir().unwrap();
    // Each of its processes ends when it is asked for a second game.
    let (out, err) = taught(dir.path(), &fake("mayfly"), "--games 4 --workers 1", 0);
    assert_has(&out, &["4 games with 32 positions", "3 given up for a fault of the teacher"]);
    assert_has(&err, &["game 2: the teacher crashed (exit status: 4)"]);
    assert_eq!(games(&dir.path().join("mined/worker-1.viri")).len(), 4);
}

#[test]
fn a_teacher_that_always_fails_is_given_up() {
    for (deed, words) in [
        ("crash 3", "crashed (exit status: 3)"),
        ("hang 3", "gave no move within 1.000 s"),
        ("illegal 3", "played the illegal move `e2e5`"),
        ("none 3", "played the illegal move `(none)`"),
        ("flood 3", "bytes without an answer"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let (_, err) = taught(dir.path(), &fake(deed), "--games 2 --workers 1 --patience 1", 1);
        assert_has(&err, &["error: the teacher failed 5 times on end: ", words]);
        assert!(games(&dir.path().join("mined/worker-1.viri")).is_empty(), "{deed}");
    }
}

#[test]
fn a_teacher_that_cannot_teach_is_named_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    for (teacher, rest, words) in [
        ("no-such-engine", "", "`no-such-engine` is neither on the path nor in /usr/games: install it"),
        ("true", "", "teacher `true`: is it a UCI engine?: crashed (exit status: 0)"),
        (&fake("deaf"), "--option Threads=2", "has no option `Threads`; it has Hash"),
        (&fake(""), "--choose 80,20", "has no option `MultiPV`: only --choose 100 is possible with it"),
    ] {
        let words_of = |text: &'static str| text.split_whitespace();
        let mut arguments = vec!["mine", "--teacher", teacher, "--games", "1"];
        if !rest.contains("--choose") {
            arguments.extend(["--choose", "100"]);
        }
        arguments.extend(words_of(rest));
        let (_, err) = finish(&trainer(dir.path(), &arguments).output().unwrap(), 1);
        assert_has(&err, &[words]);
    }
    assert!(!dir.path().join("mined").exists());
}
