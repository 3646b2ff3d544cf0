//! The suite from its command line, with a scripted engine.
#![cfg(unix)]

mod common;

use std::fs;

use common::{FAKES, assert_has, finish, trainer};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn suite(epd: &str, deed: &str, rest: &str, status: i32) -> (String, String) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("s.epd"), epd).unwrap();
    let engine = format!("sh {FAKES}/uci.sh {deed}");
    let mut arguments = vec!["suite", "s.epd", "--engine", &engine];
    arguments.extend(rest.split_whitespace());
    finish(&trainer(dir.path(), &arguments).output().unwrap(), status)
}

#[test]
fn solutions_are_marked_and_counted() {
    let epd = format!(
        "{START} bm e4 Nf3; id \"right\";\n# a comment\n\n{START} bm e4; id \"wrong\"; c0 \"e4=10, Nf3=4\";\n{START} am e4;\n"
    );
    let (out, _) = suite(&epd, "score 0 -12", "--depth 3 --option Hash=2 --expect 2", 0);
    assert_has(
        &out,
        &[
            "Fake, 3 positions, depth=3",
            "right  ✓ Nf3     expected e4 Nf3",
            "-0.12/7",
            "wrong  ✗ Nf3     expected e4 ",
            "  4 points",
            "#3     ✓ Nf3     expected not e4",
            "2 of 3 solved, 27 nodes",
            "4 of 10 points (40.0%)",
        ],
    );
    assert_has(&suite(&epd, "score 0 -12", "--nodes 5 --expect 3", 1).0, &["fewer than the 3 expected"]);
}

#[test]
fn several_runs_make_a_table() {
    let epd = format!("{START} bm Nf3; c0 \"Nf3=4\";\n{START} bm e4;\n");
    let (out, _) = suite(&epd, "score 0 5", "--depth 3,4 --vary Hash=1,8 --expect 1", 0);
    let expected = "\
Fake, 2 positions
Hash  limits   solved         nodes       time
1     depth=3       1            18     0.00 s, 4 of 4 points (100.0%)
1     depth=4       1            18     0.00 s, 4 of 4 points (100.0%)
8     depth=3       1            18     0.00 s, 4 of 4 points (100.0%)
8     depth=4       1            18     0.00 s, 4 of 4 points (100.0%)
";
    assert_eq!(out, expected);
    assert_has(&suite(&epd, "score 0 5", "--depth 3,4 --expect 2", 1).0, &["fewer than the 2 expected"]);
}

#[test]
fn faults_of_file_and_engine_are_named() {
    let good = format!("{START} bm Nf3;\n");
    for (epd, deed, rest, expected) in [
        (format!("{good}{START} bm Nf6;\n"), "", "", "s.epd, line 2: operation `bm`: `Nf6` is not a legal move here"),
        ("nonsense\n".to_owned(), "", "", "s.epd, line 1: 1 of the 4 fields of a position"),
        (good.clone(), "crash", "", "#1: Fake: crashed (exit status: 3); its last lines:"),
        (good.clone(), "illegal", "", "played the illegal move `e2e5`"),
        (good, "", "--option Nothing=1", "has no option `Nothing`"),
    ] {
        assert_has(&suite(&epd, deed, rest, 1).1, &[expected]);
    }
}
