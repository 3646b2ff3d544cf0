//! `trainer move-order` from games to a table.

mod common;
#[path = "common/random_games.rs"]
mod random_games;

use std::{fs, path::Path};

use common::{assert_has, finish, trainer};
use random_games::{RandomGame, random_games};
use tempfile::TempDir;

fn run(dir: &Path, arguments: &[&str], status: i32) -> (String, String) {
    let arguments: Vec<&str> = ["move-order"].iter().chain(arguments).copied().collect();
    finish(&trainer(dir, &arguments).output().unwrap(), status)
}

/// A folder with games in `games.viri`, and the same as rated PGN in `games.pgn`.
fn games() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let games = random_games(3, 60);
    let viri: Vec<u8> = games.iter().filter(|game| !game.plies.is_empty()).flat_map(RandomGame::viri).collect();
    fs::write(folder.path().join("games.viri"), viri).unwrap();
    finish(&trainer(folder.path(), &["data", "convert", "games.viri", "games.pgn"]).output().unwrap(), 0);
    let pgn = fs::read_to_string(folder.path().join("games.pgn")).unwrap();
    let rated = pgn.replace("[Result", "[WhiteElo \"2500\"]\n[BlackElo \"1400\"]\n[Result");
    fs::write(folder.path().join("games.pgn"), rated).unwrap();
    folder
}

#[test]
fn models_are_made_and_judged() {
    let folder = games();
    let dir = folder.path();
    let fit =
        ["fit", "games.pgn", "--centres", "3", "--restarts", "2", "--winner-above", "2400", "--loser-below", "1500"];
    for metric in ["manhattan", "euclidean", "mahalanobis"] {
        let out = format!("{metric}.net");
        let (said, _) = run(dir, &[&fit[..], &["--metric", metric, "--out", &out]].concat(), 0);
        assert_has(&said, &["good moves: ", "good centres: inertia ", "bad centres: inertia ", "held out: "]);
        let (_, _) = run(dir, &[&fit[..], &["--metric", metric, "--out", "again.net"]].concat(), 0);
        assert!(fs::read(dir.join(&out)).unwrap() == fs::read(dir.join("again.net")).unwrap(), "{metric} again");
    }
    let (said, _) = run(dir, &["prior", "games.viri", "--epochs", "2", "--stages", "1", "--out", "prior.net"], 0);
    assert_has(&said, &["positions: ", "rounded", "prior.net: "]);
    let ask = ["prior", "games.viri", "--positions", "40", "--quiet", "--ask", "2", "--astray", "2", "--epochs", "1"];
    let (said, _) = run(dir, &[&ask[..], &["--out", "asked.net"]].concat(), 0);
    assert_has(&said, &["asked.net: "]);

    let models = ["--model", "manhattan.net", "--model", "mahalanobis.net", "--model", "prior.net"];
    let judge = ["judge", "games.pgn", "--count", "4", "--depth", "3", "--hash", "64"];
    let (said, _) = run(dir, &[&judge[..], &models].concat(), 0);
    assert_has(
        &said,
        &[
            "4 positions drawn from files, depth 3, built-in network",
            "captures first ",
            "killers and history ",
            "manhattan at the root ",
            "mahalanobis for all moves ",
            "history + prior added ",
        ],
    );
    // A header and two rows of the engine's, and seven of each model.
    assert_eq!(said.lines().count(), 2 + 2 + 3 * 7, "{said}");

    // Alpha-beta alone compares every value with that of captures first.
    let bare = ["judge", "--random", "--count", "4", "--depth", "2", "--bare"];
    let (said, _) = run(dir, &[&bare[..], &models].concat(), 0);
    assert_has(&said, &["4 positions of random play, depth 2, alpha-beta alone", "prior from depth 1 "]);
}

#[test]
fn what_cannot_be_learnt_from_is_said() {
    let folder = games();
    let dir = folder.path();
    let strong = ["fit", "games.pgn", "--winner-above", "2600", "--out", "x.net"];
    assert_has(&run(dir, &strong, 1).1, &["there are 0 good moves in the games, too few for 20 centres"]);
    fs::write(dir.join("some.bullet"), []).unwrap();
    assert_has(
        &run(dir, &["prior", "some.bullet", "--out", "x.net"], 1).1,
        &["some.bullet: it has positions and no games"],
    );
    assert_has(
        &run(dir, &["judge", "games.pgn", "--model", "games.pgn"], 1).1,
        &["games.pgn is no model that the engine can use"],
    );
    assert_has(&run(dir, &["judge"], 2).1, &["FILE"]);
    assert!(!dir.join("x.net").exists());
}
