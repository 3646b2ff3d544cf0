//! `trainer data`, held to a slow reading of the same games by other crates.

mod common;
#[path = "common/random_games.rs"]
mod random_games;

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
};

use bulletformat::{BulletFormat, ChessBoard};
use common::{assert_has, finish, trainer};
use random_games::{RandomGame, random_games};
use serde_json::Value;
use shakmaty::Position;

type Record = [u8; 32];

fn bytes(record: ChessBoard) -> Record {
    ChessBoard::as_bytes_slice(&[record]).try_into().unwrap()
}

/// What the placement of a record is, without its labels.
fn placement(record: &Record) -> [u8; 24] {
    record[..24].try_into().unwrap()
}

fn records(path: &Path) -> Vec<Record> {
    fs::read(path).unwrap().as_chunks::<32>().0.to_vec()
}

fn sorted(mut records: Vec<Record>) -> Vec<Record> {
    records.sort_unstable();
    records
}

fn write_viri(path: &Path, games: &[RandomGame]) {
    fs::write(path, games.iter().flat_map(RandomGame::viri).collect::<Vec<u8>>()).unwrap();
}

fn prepare(dir: &Path, arguments: &[&str]) -> (String, String) {
    let arguments: Vec<&str> = ["data", "prepare"].iter().chain(arguments).copied().collect();
    finish(&trainer(dir, &arguments).output().unwrap(), 0)
}

fn summary(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("data.json")).unwrap()).unwrap()
}

/// The records that the default filters keep of a game, each with whether it may be kept, and the reasons.
fn slow_reading(game: &RandomGame, rejected: &mut HashMap<&'static str, u64>) -> Vec<Record> {
    let mut kept = Vec::new();
    for played in &game.plies {
        let score = i32::from(played.score());
        let white = i32::from(played.white_score);
        let lost = game.white_points == 0.0 && white >= 600 || game.white_points == 1.0 && white <= -600;
        let reason = if played.ply() < 16 {
            "early"
        } else if played.position.is_check() {
            "check"
        } else if played.mv.is_capture() || played.mv.is_promotion() {
            "capture"
        } else if score.abs() >= 30_000 {
            "mate"
        } else if score.abs() > 2400 {
            "score"
        } else if lost {
            "contradiction"
        } else {
            kept.push(bytes(played.record(game.white_points)));
            continue;
        };
        *rejected.entry(reason).or_default() += 1;
    }
    kept
}

/// The kept records of all games, without those whose placement came before.
fn without_duplicates(games: &[Vec<Record>]) -> Vec<Record> {
    let mut seen = HashSet::new();
    games.iter().flatten().filter(|record| seen.insert(placement(record))).copied().collect()
}

#[test]
fn prepare_keeps_what_a_slow_reading_keeps() {
    for seed in 0..4 {
        let dir = tempfile::tempdir().unwrap();
        let games = random_games(seed, 120);
        write_viri(&dir.path().join("a.viri"), &games[..50]);
        write_viri(&dir.path().join("b.viri"), &games[50..]);
        prepare(dir.path(), &["a.viri", "b.viri", "--out", "out", "--validation", "0.3"]);

        let mut rejected = HashMap::new();
        let kept: Vec<_> = games.iter().map(|game| slow_reading(game, &mut rejected)).collect();
        let out = dir.path().join("out");
        let mut both = records(&out.join("train.bullet"));
        both.extend(records(&out.join("validation.bullet")));
        let expected = without_duplicates(&kept);
        assert!(expected.len() > 500, "{} positions prove little", expected.len());
        assert_eq!(sorted(both), sorted(expected.clone()));

        let summary = summary(&out);
        for reason in ["early", "check", "capture", "mate", "score", "contradiction"] {
            assert_eq!(summary["rejected"][reason], rejected[reason], "{reason}");
        }
        let duplicates = kept.iter().flatten().count() - expected.len();
        let [same, other] = ["same_side", "other_side"].map(|side| summary["duplicates"][side].as_u64().unwrap());
        assert_eq!(same + other, duplicates as u64);
        assert_eq!(summary["read"]["games"], 120);
        assert_eq!(summary["read"]["positions"], games.iter().map(|game| game.plies.len()).sum::<usize>());
    }
}

#[test]
fn the_split_shares_no_game_and_no_position() {
    let dir = tempfile::tempdir().unwrap();
    let games = random_games(7, 200);
    write_viri(&dir.path().join("a.viri"), &games);
    prepare(dir.path(), &["a.viri", "--out", "out", "--validation", "0.4"]);
    let sides = ["train", "validation"].map(|side| records(&dir.path().join(format!("out/{side}.bullet"))));
    let [train, validation] = sides.map(|side| side.iter().map(placement).collect::<HashSet<_>>());
    assert!(train.is_disjoint(&validation));

    let kept: Vec<_> = games.iter().map(|game| slow_reading(game, &mut HashMap::new())).collect();
    let mut occurrences: HashMap<_, u32> = HashMap::new();
    for game in &kept {
        for placement in game.iter().map(placement).collect::<HashSet<_>>() {
            *occurrences.entry(placement).or_default() += 1;
        }
    }
    let mut games_of = [0, 0];
    for game in &kept {
        let own: Vec<_> = game.iter().map(placement).filter(|placement| occurrences[placement] == 1).collect();
        let in_train = own.iter().filter(|placement| train.contains(*placement)).count();
        assert!(in_train == 0 || in_train == own.len(), "{in_train} of a game's {} positions in train", own.len());
        if !own.is_empty() {
            games_of[usize::from(in_train == 0)] += 1;
        }
    }
    assert!(games_of.iter().all(|&games| games > 40), "{games_of:?}");
}

#[test]
fn a_game_that_occurs_twice_is_on_one_side() {
    let dir = tempfile::tempdir().unwrap();
    write_viri(&dir.path().join("a.viri"), &random_games(3, 60));
    fs::copy(dir.path().join("a.viri"), dir.path().join("b.viri")).unwrap();
    prepare(dir.path(), &["a.viri", "--out", "once", "--validation", "0.5"]);
    prepare(dir.path(), &["a.viri", "b.viri", "--out", "twice", "--validation", "0.5"]);
    for side in ["train", "validation"] {
        let [once, twice] =
            ["once", "twice"].map(|out| sorted(records(&dir.path().join(format!("{out}/{side}.bullet")))));
        assert_eq!(once, twice);
    }
}

#[test]
fn a_seed_names_the_files() {
    let dir = tempfile::tempdir().unwrap();
    write_viri(&dir.path().join("a.viri"), &random_games(11, 100));
    let train = |out: &str, seed: &str| {
        prepare(dir.path(), &["a.viri", "--out", out, "--validation", "0", "--seed", seed]);
        assert!(records(&dir.path().join(out).join("validation.bullet")).is_empty());
        records(&dir.path().join(out).join("train.bullet"))
    };
    let (first, again, other) = (train("first", "5"), train("again", "5"), train("other", "6"));
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert_eq!(sorted(first), sorted(other));
}

#[test]
fn half_a_game_at_the_end_is_left_out_with_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let games = random_games(2, 30);
    let whole: Vec<u8> = games[..29].iter().flat_map(RandomGame::viri).collect();
    let last = games[29].viri();
    assert!(last.len() > 40);
    fs::write(dir.path().join("whole.viri"), &whole).unwrap();
    prepare(dir.path(), &["whole.viri", "--out", "whole"]);
    for cut in [1, 31, 32, 34, 36, last.len() - 1] {
        fs::write(dir.path().join("torn.viri"), [&whole, &last[..cut]].concat()).unwrap();
        let (_, err) = prepare(dir.path(), &["torn.viri", "--out", "torn"]);
        assert_has(&err, &[&format!("torn.viri: game 30 (byte {}) is not whole", whole.len())]);
        let [whole, torn] = ["whole", "torn"].map(|out| records(&dir.path().join(out).join("train.bullet")));
        assert_eq!(sorted(whole), sorted(torn));
    }
}

#[test]
fn damage_is_named_and_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let games = random_games(4, 20);
    let third = games[..2].iter().map(|game| game.viri().len()).sum::<usize>();
    let mut whole: Vec<u8> = games.iter().flat_map(RandomGame::viri).collect();
    // The first move of the third game now comes from another square; later a byte is missing.
    whole[third + 32] ^= 0x3f;
    fs::write(dir.path().join("moved.viri"), &whole).unwrap();
    whole[third + 32] ^= 0x3f;
    whole.remove(third + 33);
    fs::write(dir.path().join("short.viri"), &whole).unwrap();
    for name in ["moved.viri", "short.viri"] {
        let output = trainer(dir.path(), &["data", "prepare", name, "--out", "out"]).output().unwrap();
        let (_, err) = finish(&output, 1);
        assert_has(&err, &[name, &format!("number 3 (from byte {third}) is damaged"), "is not legal in"]);
        assert_eq!(fs::read_dir(dir.path().join("out")).unwrap().count(), 0);
    }
}

#[test]
fn what_cannot_be_is_said() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "").unwrap();
    fs::write(dir.path().join("a.viri"), "").unwrap();
    fs::write(dir.path().join("a.bullet"), [0; 40]).unwrap();
    for (arguments, parts) in [
        (&["prepare", "a.txt", "--out", "out"][..], &["a.txt", ".viri, .pgn, .bullet or .binpack"][..]),
        (&["prepare", "b.viri", "--out", "out"], &["cannot read b.viri"]),
        (&["prepare", "a.viri", "--out", "out"], &["no position is left"]),
        (&["stats", "a.bullet"], &["a.bullet", "number 1 (from byte 0) is damaged"]),
        (&["convert", "a.bullet", "a.pgn"], &["do not know their games", ".bullet"]),
        (&["convert", "a.viri", "a.binpack"], &["binpacks are only read"]),
    ] {
        let arguments: Vec<&str> = ["data"].iter().chain(arguments).copied().collect();
        let (_, err) = finish(&trainer(dir.path(), &arguments).output().unwrap(), 1);
        assert_has(&err, parts);
    }
    let output = trainer(dir.path(), &["data", "prepare", "a.viri", "--out", "o", "--validation", "1"]).output();
    assert_has(&finish(&output.unwrap(), 2).1, &["at least 0 and below 1"]);
}

#[test]
fn lone_positions_pass_the_filters_that_know_too_little() {
    let dir = tempfile::tempdir().unwrap();
    let games = random_games(9, 60);
    write_viri(&dir.path().join("a.viri"), &games);
    finish(&trainer(dir.path(), &["data", "convert", "a.viri", "a.bullet"]).output().unwrap(), 0);
    let all = games.iter().flat_map(|game| game.plies.iter().map(|played| bytes(played.record(game.white_points))));
    assert_eq!(records(&dir.path().join("a.bullet")), all.collect::<Vec<_>>());

    let (out, _) = prepare(dir.path(), &["a.bullet", "--out", "lone", "--validation", "0"]);
    assert_has(&out, &["not applied to .bullet files: early (no plies), capture (no moves)"]);
    let arguments = ["a.viri", "--out", "games", "--validation", "0", "--min-ply", "0", "--keep-captures"];
    prepare(dir.path(), &arguments);
    let [lone, games] = ["lone", "games"].map(|out| records(&dir.path().join(out).join("train.bullet")));
    assert_eq!(sorted(lone), sorted(games));
}

#[test]
fn games_come_back_from_pgn() {
    let dir = tempfile::tempdir().unwrap();
    // An empty game says nothing in PGN.
    let games: Vec<_> = random_games(13, 40).into_iter().filter(|game| !game.plies.is_empty()).collect();
    write_viri(&dir.path().join("a.viri"), &games);
    for (from, to) in [("a.viri", "a.pgn"), ("a.pgn", "b.viri")] {
        let (out, _) = finish(&trainer(dir.path(), &["data", "convert", from, to]).output().unwrap(), 0);
        let positions: usize = games.iter().map(|game| game.plies.len()).sum();
        assert_has(&out, &[&format!("{to}: {} games, {positions} positions", games.len())]);
    }
    assert!(fs::read(dir.path().join("a.viri")).unwrap() == fs::read(dir.path().join("b.viri")).unwrap());
    let pgn = fs::read_to_string(dir.path().join("a.pgn")).unwrap();
    assert!(pgn.lines().all(|line| line.starts_with('[') || line.len() <= 79));
}

#[test]
fn stats_and_show_tell_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let games = random_games(17, 30);
    write_viri(&dir.path().join("a.viri"), &games);
    let (out, _) = finish(&trainer(dir.path(), &["data", "stats", "a.viri"]).output().unwrap(), 0);
    let with_moves: Vec<_> = games.iter().filter(|game| !game.plies.is_empty()).collect();
    let positions: usize = with_moves.iter().map(|game| game.plies.len()).sum();
    let won = with_moves.iter().filter(|game| game.white_points == 1.0).count();
    assert_has(&out, &[&format!("games         {}: White won {won}", with_moves.len())]);
    assert_has(&out, &[&format!("positions     {positions}\n"), "duplicates", "mates", "30-32", "20-39"]);

    let played = &with_moves[0].plies[1];
    let arguments = ["data", "show", "a.viri", "--skip", "1", "--count", "1"];
    let (out, _) = finish(&trainer(dir.path(), &arguments).output().unwrap(), 0);
    let fen = shakmaty::fen::Fen::from_position(&played.position, shakmaty::EnPassantMode::PseudoLegal);
    let san = shakmaty::san::SanPlus::from_move(played.position.clone(), played.mv);
    assert_has(
        &out,
        &["position 1, ", &fen.to_string(), &format!("move   {san}\n"), &format!("ply    {}", played.ply())],
    );
    assert_eq!(out.matches("position ").count(), 1);
}
