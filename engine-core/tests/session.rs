//! Random conversations: nothing that comes in may break a session, and every `go` gets one answer.

mod networks;

use std::sync::LazyLock;

use engine_core::chess::{Board, Game};
use engine_core::net::PolicyNet;
use engine_core::platform::{Platform, Received};
use engine_core::search::Cluster;
use engine_core::uci::{FixedResources, Session};
use proptest::prelude::*;

/// A line that says a text and closes, with a clock that runs as it is looked at.
struct Script<'a> {
    input: &'a [u8],
    said: Vec<u8>,
    micros: u64,
}

impl Platform for Script<'_> {
    fn read(&mut self) -> Received {
        let Some((&byte, rest)) = self.input.split_first() else { return Received::Closed };
        self.input = rest;
        Received::Byte(byte)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.said.extend(bytes);
    }

    fn micros(&mut self) -> u64 {
        self.micros += 50;
        self.micros
    }

    fn idle(&mut self) {}
}

fn said(input: &[u8]) -> String {
    said_with(input, |resources| resources)
}

/// What a session says that has more than a hash table.
fn said_with(input: &[u8], equip: impl for<'a> FnOnce(FixedResources<'a>) -> FixedResources<'a>) -> String {
    let mut clusters = [Cluster::EMPTY; 256];
    let mut script = Script { input, said: Vec::new(), micros: 0 };
    Session::new(equip(FixedResources::new(&mut clusters))).run(&mut script);
    String::from_utf8(script.said).expect("replies are text")
}

/// A policy net of random weights, for as long as the test runs.
fn policy_blob() -> &'static [u8] {
    let shape = networks::policy_shape(32, &[16]);
    let bytes = networks::policy_blob(&shape, &networks::policy_weights(&shape, 3));
    Box::leak(Box::new(networks::Blob::of(&bytes))).bytes()
}

#[test]
fn the_policy_net_plays_where_it_is_asked_to() {
    let blob = policy_blob();
    let net = PolicyNet::load(blob).expect("a net");
    let with_policy = |text: &str| said_with(text.as_bytes(), |resources| resources.with_policy(blob));
    let game = Game::new(Board::start());
    let preferences = net.preferences(&game, &game.board().legal_moves());
    let line = |number: usize| {
        let preference = preferences[number - 1];
        let (mv, chance) = (preference.mv.long_algebraic(false), preference.chance);
        let percent = format!("{}.{:02} %", chance / 100, chance % 100);
        format!("info string policy: {mv} {percent}\ninfo depth 1 multipv {number} nodes 1 pv {mv}\n")
    };
    let best = |number: usize| format!("bestmove {}\n", preferences[number - 1].mv.long_algebraic(false));
    let mode = "setoption name mode value policy\n";
    assert_eq!(with_policy(&format!("{mode}go depth 3\n")), line(1) + &best(1));
    // As many as asked for, and only those that are allowed.
    let two = format!("{mode}setoption name MultiPV value 2\ngo depth 3\n");
    assert_eq!(with_policy(&two), line(1) + &line(2) + &best(1));
    let second = preferences[1].mv.long_algebraic(false);
    let answer = with_policy(&format!("{mode}go searchmoves {second}\n"));
    assert!(answer.contains(" 100.00 %\n") && answer.ends_with(&best(2)), "{answer}");
    // An answer waits for its command.
    let answer = with_policy(&format!("{mode}go infinite\nisready\nstop\n"));
    assert!(answer.ends_with(&format!("readyok\n{}", best(1))), "{answer}");
    // Back to the search; and no legal move is no move.
    let answer = with_policy(&format!("{mode}setoption name Mode value Search\ngo depth 1\n"));
    assert!(answer.contains(" score cp ") && !answer.contains("policy"), "{answer}");
    let mated = "position startpos moves f2f3 e7e5 g2g4 d8h4\n";
    assert_eq!(with_policy(&format!("{mode}{mated}go\n")), "info depth 0 score mate 0\nbestmove (none)\n");
    let greeting = with_policy("uci\n");
    assert!(greeting.contains("\noption name Mode type combo default Search var Search var Policy\n"), "{greeting}");
    assert!(greeting.contains("\ninfo string policy net 'random'\n"), "{greeting}");
}

#[test]
fn without_a_policy_net_the_search_plays_and_says_so() {
    let mode = "setoption name Mode value Policy\ngo depth 1\n";
    let answer = said(mode.as_bytes());
    assert!(
        answer.starts_with("info string Mode Policy: no policy net, so the search plays\ninfo depth 1 "),
        "{answer}"
    );
    let answer = said_with(mode.as_bytes(), |resources| resources.with_policy(b"KLNN"));
    let complaint = "info string Mode Policy: the search plays: 4 bytes are no network: it has 16 before its header\n";
    assert!(answer.starts_with(complaint) && answer.contains("bestmove"), "{answer}");
    let answer = said(b"setoption name Mode value Both\n");
    assert_eq!(answer, "info string Mode: 'Search' or 'Policy' wanted, not 'Both'\n");
    let answer = said(b"setoption name PolicyFile value some.net\n");
    assert_eq!(answer, "info string PolicyFile: this machine has no files\n");
}

/// A word that some command knows, or that none does.
fn word() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] = &[
        "uci",
        "isready",
        "ucinewgame",
        "position",
        "startpos",
        "fen",
        "moves",
        "setoption",
        "name",
        "value",
        "Hash",
        "MultiPV",
        "UCI_Chess960",
        "true",
        "3",
        "0",
        "-7",
        "99999999999999999999",
        "stop",
        "ponderhit",
        "debug",
        "on",
        "d",
        "eval",
        "help",
        "perft",
        "e2e4",
        "e7e5",
        "e1g1",
        "a7a8q",
        "0000",
        "depth",
        "searchmoves",
        "register",
        "8/8/8/8/8/8/8/8",
        "4k3/P7/8/8/8/8/8/4K2R",
        "w",
        "b",
        "KQkq",
        "K",
        "-",
        "e3",
        "\r",
        "\n",
    ];
    prop_oneof![
        8 => prop::sample::select(KNOWN).prop_map(str::to_owned),
        1 => "[ -~]{0,12}",
        1 => prop::collection::vec(any::<char>(), 0..6).prop_map(|chars| chars.into_iter().collect()),
    ]
}

/// A whole command that ends by itself.
fn command() -> impl Strategy<Value = String> {
    prop_oneof![
        (1u32..4).prop_map(|depth| format!("go depth {depth}")),
        (1u32..500).prop_map(|nodes| format!("go nodes {nodes}")),
        (0u32..3).prop_map(|millis| format!("go movetime {millis}")),
        (0i32..20, 0u32..3).prop_map(|(time, moves)| format!("go wtime {time} btime {time} movestogo {moves}")),
        Just("go infinite\nstop".to_owned()),
        Just("go ponder wtime 5 btime 5\nponderhit".to_owned()),
        Just("position startpos moves e2e4 e7e5".to_owned()),
        Just("position fen 4k3/P7/8/8/8/8/8/4K2R w K - 98 1".to_owned()),
        Just("position fen 7k/8/5KQ1/8/8/8/8/8 b - - 0 1".to_owned()),
        Just("ucinewgame".to_owned()),
        Just("isready".to_owned()),
        Just("setoption name MultiPV value 4".to_owned()),
        Just("setoption name UCI_LimitStrength value true".to_owned()),
        Just("setoption name Mode value Policy".to_owned()),
    ]
}

static POLICY: LazyLock<&[u8]> = LazyLock::new(policy_blob);

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_words_in_any_order_break_it(words in prop::collection::vec(word(), 0..80)) {
        said(words.join(" ").as_bytes());
    }

    #[test]
    fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        said(&bytes);
    }

    #[test]
    fn every_go_gets_one_answer(commands in prop::collection::vec(command(), 0..12)) {
        let asked = commands.iter().filter(|command| command.starts_with("go")).count();
        let ready = commands.iter().filter(|command| *command == "isready").count();
        let said = said_with((commands.join("\n") + "\n").as_bytes(), |resources| resources.with_policy(*POLICY));
        prop_assert_eq!(said.lines().filter(|line| line.starts_with("bestmove")).count(), asked, "{}", said);
        prop_assert_eq!(said.lines().filter(|line| *line == "readyok").count(), ready, "{}", said);
    }
}
