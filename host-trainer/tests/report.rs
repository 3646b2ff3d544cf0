//! The report from its command line: what is in the page, and what is said when it cannot be made.
#![cfg(all(unix, feature = "cpu"))]

mod common;

use std::{collections::BTreeSet, fs, path::Path};

use common::{FAKES, assert_has, finish, trainer};
use engine_core::nets;
use host_trainer::data::{bullet, game::Outcome};
use html5gum::{DefaultEmitter, Token, Tokenizer};
use quantize::positions;

fn report(dir: &Path, rest: &str, status: i32) -> (String, String) {
    let arguments: Vec<&str> = ["report"].into_iter().chain(rest.split_whitespace()).collect();
    finish(&trainer(dir, &arguments).output().unwrap(), status)
}

/// Positions of random games as a file of them, won, drawn and lost in turn.
fn records(count: usize, seed: u64) -> Vec<u8> {
    let outcomes = [Outcome::Win, Outcome::Draw, Outcome::Loss].into_iter().cycle();
    let boards = positions::random(count, seed).into_iter().zip(outcomes);
    boards.flat_map(|(board, outcome)| bullet::encode(&board, 50, outcome)).collect()
}

/// A run of a few steps, and a match of a few games.
fn material(dir: &Path) {
    for (name, seed) in [("train", 1), ("valid", 2)] {
        fs::write(dir.join(name).with_extension("bullet"), records(600, seed)).unwrap();
    }
    let train = "train value --data train.bullet --validation valid.bullet --width 16 --buckets 2 --batch 100 --epochs 2 \
                 --warm-up 2 --scale 400 --report-every 1 --validate-every 3 --name tiny --out run";
    finish(&trainer(dir, &train.split_whitespace().collect::<Vec<_>>()).output().unwrap(), 0);
    fs::write(dir.join("start.fen"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n").unwrap();
    let engine = |name: &str, deed: &str| format!("cmd=\"sh {FAKES}/uci.sh {deed}\" name={name}");
    let (a, b) = (engine("A<B>", "score 2 35"), engine("B", "illegal 6"));
    let arena = ["arena", "--engine", &a, "--engine", &b, "--games", "4", "--concurrency", "1", "--tc", "10"];
    let rest = ["--openings", "start.fen", "--pgn", "match.pgn"];
    finish(&trainer(dir, &[arena.as_slice(), &rest].concat()).output().unwrap(), 0);
}

/// Reads a page as a browser does: every tag has its end, and nothing is fetched. Gives the anchors of the sections.
fn checked(page: &str) -> BTreeSet<String> {
    const VOID: [&str; 5] = ["meta", "link", "img", "input", "br"];
    const FETCHING: [&str; 6] = ["src", "href", "srcset", "data", "poster", "action"];
    let mut open: Vec<String> = Vec::new();
    let mut sections = BTreeSet::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // What is inside of a script or a style is no markup.
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for Ok(token) in Tokenizer::new_with_emitter(page, emitter) {
        match token {
            Token::StartTag(tag) => {
                let name = text(&tag.name);
                for (attribute, value) in &tag.attributes {
                    let (attribute, value) = (text(attribute), text(value));
                    let fetches = FETCHING.contains(&attribute.as_str());
                    assert!(
                        !fetches || value.starts_with('#') || value.starts_with("data:"),
                        "<{name} {attribute}={value}> is outside of the page"
                    );
                    if name == "section" && attribute == "id" {
                        sections.insert(value);
                    }
                }
                if !tag.self_closing && !VOID.contains(&name.as_str()) {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => assert_eq!(open.pop(), Some(text(&tag.name)), "an end without its beginning"),
            Token::Error(error) => panic!("{error:?}"),
            Token::String(_) | Token::Comment(_) | Token::Doctype(_) => {}
        }
    }
    assert!(open.is_empty(), "not ended: {open:?}");
    for outside in ["http://", "https://", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    sections
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn a_run_and_a_match_on_one_page() {
    let dir = tempfile::tempdir().unwrap();
    material(dir.path());
    let (out, _) = report(dir.path(), "--run run --pgn match.pgn -o page.html", 0);
    assert_has(&out, &["page.html: Settings, Curves, Calibration, Network, Matches, Openings, Games"]);
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    let all = ["settings", "curves", "calibration", "network", "matches", "openings", "games"];
    assert_eq!(checked(&page), set(&all));
    assert_has(
        &page,
        &[
            "<title>tiny</title>",
            "The lowest validation loss is",
            "600 positions of valid.bullet",
            "data:image/png;base64,",
            "A&lt;B&gt;",
            "won all",
            "4 rules infraction",
            "<b>Nf3</b>",
            "data-boards=\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR ",
            "illegal move `e2e5`",
        ],
    );

    let (_, err) = report(dir.path(), "--run run -o page.html", 1);
    assert_has(&err, &["page.html is there already"]);
    // A run that has only begun, its data cleared away.
    fs::remove_file(dir.path().join("valid.bullet")).unwrap();
    fs::remove_file(dir.path().join("run/curves.csv")).unwrap();
    let (out, _) = report(dir.path(), "--run run -o page.html --force", 0);
    assert_has(&out, &["left out: Curves: the run has no row", "left out: Calibration: there is no file of positions"]);
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert_eq!(checked(&page), set(&["settings", "network", "missing"]));
}

#[test]
fn a_network_alone_and_what_cannot_be() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
    write("a.net", nets::VALUE_32);
    write("valid.bullet", &records(200, 5));
    report(dir.path(), "--net a.net --validation valid.bullet --positions 50 --title <me> -o a.html", 0);
    let page = fs::read_to_string(dir.path().join("a.html")).unwrap();
    assert_eq!(checked(&page), set(&["calibration", "network", "missing"]));
    assert_has(&page, &["50 positions of valid.bullet", "<h1>&lt;me&gt;</h1>"]);

    write("empty.pgn", b"");
    write("bad.pgn", b"1. e4 e5 2. Ke3 *\n");
    write("bad.net", b"KNLT nonsense");
    write("torn.bullet", &[0; 33]);
    for (rest, expected) in [
        ("", "nothing to report on: give --run FOLDER, --pgn FILE or --net FILE"),
        ("--run nowhere", "cannot read nowhere/config.json: is nowhere the folder of a run?"),
        ("--pgn nowhere.pgn", "cannot read nowhere.pgn"),
        ("--pgn bad.pgn", "bad.pgn, game 1: half-move 3, `Ke3`"),
        ("--net bad.net", "bad.net"),
        ("--net a.net --validation torn.bullet", "torn.bullet has 33 bytes"),
        ("--net a.net --validation nowhere.bullet", "cannot read nowhere.bullet"),
    ] {
        let (_, err) = report(dir.path(), &format!("{rest} -o b.html"), 1);
        assert_has(&err, &[expected]);
        assert!(!dir.path().join("b.html").exists(), "{rest}");
    }
    let (out, _) = report(dir.path(), "--pgn empty.pgn -o c.html", 0);
    assert_has(&out, &["left out: Matches, openings and games: the PGN files hold none."]);
}
