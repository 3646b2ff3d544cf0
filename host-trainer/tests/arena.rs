//! The arena from its command line, with scripted engines.
#![cfg(unix)]

mod common;

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use common::{FAKES, assert_has, finish, trainer};

fn uci(name: &str, deed: &str) -> String {
    format!("cmd=\"sh {FAKES}/uci.sh {deed}\" name={name}")
}

fn arena(dir: &Path, engines: &[&str], rest: &str, status: i32) -> (String, String) {
    let mut arguments = vec!["arena"];
    for engine in engines {
        arguments.extend(["--engine", engine]);
    }
    arguments.extend(rest.split_whitespace());
    finish(&trainer(dir, &arguments).output().unwrap(), status)
}

/// The scripted engines only know the usual start.
fn start_position(dir: &Path) {
    fs::write(dir.join("start.fen"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n").unwrap();
}

#[test]
fn a_match_is_played_counted_and_written_down() {
    let dir = tempfile::tempdir().unwrap();
    start_position(dir.path());
    let (a, b) = (uci("A", ""), uci("B", ""));
    let rest =
        "--games 7 --concurrency 2 --openings start.fen --tc 10+0.1 --pgn games.pgn --json out.json --report-every 4";
    let (out, err) = arena(dir.path(), &[&a, &b], rest, 0);
    // 7 games are rounded up to 4 pairs.
    assert_has(&out, &["A against B", "+0 =8 -0, score 50.0%", "[0, 0, 4, 0, 0]", "Games: 8, 8 half-moves each"]);
    assert_has(&err, &["4/8  +0 =4 -0", "8/8  "]);
    let pgn = fs::read_to_string(dir.path().join("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event ").count(), 8);
    assert_eq!(pgn.matches("[White \"A\"]").count(), 4);
    assert_has(&pgn, &["[TimeControl \"10+0.1\"]", "[PlyCount \"8\"]", "{Draw by threefold"]);
    let json = fs::read_to_string(dir.path().join("out.json")).unwrap();
    assert_has(&json, &["\"games\": 8", "\"draws\": 8"]);
}

#[test]
fn faults_are_counted_by_engine_and_kind_and_the_engine_starts_again() {
    let dir = tempfile::tempdir().unwrap();
    start_position(dir.path());
    let (good, crash, illegal) = (uci("good", ""), uci("crasher", "crash 2"), uci("cheat", "illegal 2"));
    let rest = "--games 8 --concurrency 1 --openings start.fen --tc 10";
    let (out, err) = arena(dir.path(), &[&good, &crash, &illegal], rest, 0);
    assert_has(
        &out,
        &[
            "good against crasher\n  +4 =0 -0",
            "good against cheat\n  +4 =0 -0",
            "good: 0.0",
            "a move; faults: none",
            "faults: 4 crash",
            "faults: 4 illegal move",
        ],
    );
    assert_has(&err, &["crashed (exit status: 3)", "! dying of crash", "< bestmove e2e5", "illegal move `e2e5`"]);
}

#[test]
fn a_process_for_each_game_where_reuse_is_off() {
    let dir = tempfile::tempdir().unwrap();
    start_position(dir.path());
    // This engine does not live to see a second game.
    let good = uci("good", "");
    let fresh = format!("{} reuse=0", uci("fresh", "mayfly"));
    let rest = "--games 4 --concurrency 1 --openings start.fen --tc 10";
    let (out, _) = arena(dir.path(), &[&good, &fresh], rest, 0);
    assert_has(&out, &["+0 =4 -0"]);
    let (out, _) = arena(dir.path(), &[&good, &uci("reused", "mayfly")], rest, 0);
    assert_has(&out, &["reused: 0.0", "crash"]);
}

#[test]
fn a_test_stops_the_match_when_it_is_decided() {
    let dir = tempfile::tempdir().unwrap();
    start_position(dir.path());
    let (good, bad) = (uci("good", ""), uci("bad", "illegal"));
    let rest = "--games 1000 --concurrency 1 --openings start.fen --tc 10 --sprt elo0=0 elo1=10";
    let (out, _) = arena(dir.path(), &[&good, &bad], rest, 0);
    assert_has(&out, &["+20 =0 -0", "SPRT elo0=0 elo1=10 alpha=0.05 beta=0.05: LLR", "passed"]);
}

#[test]
fn what_cannot_work_is_said_before_the_first_game() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("end.epd"), "4k3/8/8/8/8/8/4P3/4K3 w - - id \"KPK\";\n").unwrap();
    let good = uci("good", "");
    let old = format!("cmd=\"sh {FAKES}/cecp.sh\" proto=xboard name=old");
    for (second, rest, expected) in [
        ("/no/such/engine", "", "engine `/no/such/engine`: cannot run `/no/such/engine`"),
        ("false", "", "engine `false`: crashed (exit status: 1)"),
        (&*format!("{good} option.Hsh=1"), "", "has no option `Hsh`; it has Hash"),
        (&*format!("{good} hash=1"), "", "`hash=1` is no setting"),
        (&*old, "--openings end.epd", "old: cannot be given a position (no `setboard`)"),
        (&*old, "--nodes 5", "old: the xboard protocol has no limit by nodes"),
        (&*old, "--movetime 1500", "old: the xboard protocol counts the time for a move in whole seconds"),
        (&*format!("{old} option.Width=1"), "", "no option `Width`; it has Depth"),
        (&*good, "--openings none.epd", "cannot read none.epd"),
        (&*good, "--sprt elo0=5 elo1=0", "elo0 must be less than elo1"),
        (&*good, "--tc soon", "`soon` is not a time control"),
        (&*good, "--variant chess960", "has no option `UCI_Chess960`"),
    ] {
        let mut arguments = vec!["arena", "--engine", &good, "--engine", second];
        arguments.extend(rest.split_whitespace());
        let output = trainer(dir.path(), &arguments).output().unwrap();
        assert!(!output.status.success());
        assert_has(&String::from_utf8_lossy(&output.stderr), &[expected]);
    }
    let output = trainer(dir.path(), &["arena", "--engine", &good]).output().unwrap();
    assert_has(&finish(&output, 1).1, &["a match needs two engines"]);
}

#[test]
fn an_interrupt_ends_the_match_with_its_summary_and_no_child_lives_on() {
    let dir = tempfile::tempdir().unwrap();
    start_position(dir.path());
    // The first game of a pair is a draw; in the second this engine, now with White, hangs.
    let pid = dir.path().join("pid");
    let hang = format!("sh -c 'echo $$ > {} && exec sh {FAKES}/uci.sh hang 0' name=hang", pid.display());
    let loser = uci("loser", "illegal");
    let mut child = trainer(
        dir.path(),
        &[
            "arena",
            "--engine",
            &loser,
            "--engine",
            &hang,
            "--games",
            "2",
            "--concurrency",
            "1",
            "--openings",
            "start.fen",
            "--depth",
            "1",
            "--pgn",
            "games.pgn",
            "--report-every",
            "1",
        ],
    )
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let mut news = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(news.any(|line| line.unwrap().starts_with("1/2")));

    let interrupt = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(interrupt.success());
    let (out, _) = finish(&child.wait_with_output().unwrap(), 130);
    assert_has(&out, &["loser against hang\n  +0 =0 -1", "Games: 1"]);
    let pgn = fs::read_to_string(dir.path().join("games.pgn")).unwrap();
    assert!(pgn.ends_with("0-1\n\n"));

    let hung = fs::read_to_string(&pid).unwrap();
    let deadline = Instant::now() + Duration::from_secs(5);
    while Path::new("/proc").join(hung.trim()).exists() {
        assert!(Instant::now() < deadline, "process {hung} lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn openings_depend_on_the_seed_and_not_on_concurrency() {
    let dir = tempfile::tempdir().unwrap();
    let openings = |name: &str, rest: &str| {
        let (a, b) = (uci("A", "illegal"), uci("B", "illegal"));
        arena(dir.path(), &[&a, &b], &format!("--games 20 --tc 10 --pgn {name} {rest}"), 0);
        let pgn = fs::read_to_string(dir.path().join(name)).unwrap();
        let tag = |line: &str, tag: &str| line.strip_prefix(tag).map(str::to_owned);
        let rounds = pgn.lines().filter_map(|line| tag(line, "[Round \""));
        let names = pgn.lines().filter_map(|line| tag(line, "[Opening "));
        let mut games: Vec<(String, String)> = rounds.zip(names).collect();
        games.sort();
        games
    };
    let lone = openings("1.pgn", "--concurrency 1 --seed 7");
    assert_eq!(lone.len(), 20);
    assert_eq!(lone, openings("2.pgn", "--concurrency 4 --seed 7"));
    assert_ne!(lone, openings("3.pgn", "--concurrency 1 --seed 8"));
}
