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
    let clusters = [const { Cluster::new() }; 256];
    said_with(FixedResources::new(&clusters), input)
}

/// What a session on these resources says.
fn said_with(resources: FixedResources<'_>, input: &[u8]) -> String {
    let mut script = Script { input, said: Vec::new(), micros: 0 };
    Session::new(resources).run(&mut script);
    String::from_utf8(script.said).expect("replies are text")
}

/// Every line that begins like this.
fn lines<'a>(said: &'a str, start: &str) -> Vec<&'a str> {
    said.lines().filter(|line| line.starts_with(start)).collect()
}

/// A policy net of random weights, for as long as the test runs.
fn policy_blob() -> &'static [u8] {
    let shape = networks::policy_shape(32, &[16]);
    let bytes = networks::policy_blob(&shape, &networks::policy_weights(&shape, 3));
    Box::leak(Box::new(networks::Blob::of(&bytes))).bytes()
}

fn said_with_policy(input: &str, policy: &'static [u8]) -> String {
    let clusters = [const { Cluster::new() }; 256];
    said_with(FixedResources::new(&clusters).with_policy(policy), input.as_bytes())
}

#[test]
fn the_policy_net_plays_where_it_is_asked_to() {
    let blob = policy_blob();
    let net = PolicyNet::load(blob).expect("a net");
    let with_policy = |text: &str| said_with_policy(text, blob);
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
    let answer = said_with_policy(mode, b"KLNN");
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
        "Evaluation",
        "Simplified",
        "OwnBook",
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
        Just("setoption name Evaluation value Simplified".to_owned()),
        Just("setoption name Selective value false".to_owned()),
        Just("setoption name Mode value Policy".to_owned()),
    ]
}

#[test]
fn what_judges_is_chosen_and_told() {
    let clusters = [const { Cluster::new() }; 256];
    let resources = FixedResources::new(&clusters).with_network(engine_core::nets::DEFAULT);
    let script = "position fen 4k3/8/8/8/8/2N5/8/4K3 w - - 0 1
uci
eval
setoption name Evaluation value simplified
uci
eval
bench 1
setoption name UCI_LimitStrength value true
bench 1
setoption name UCI_LimitStrength value false
setoption name Evaluation value Hopeful
eval
setoption name Evaluation value Network
eval
";
    let said = said_with(resources, script.as_bytes());
    let option = "option name Evaluation type combo default Network var Network var Classical var Simplified";
    assert_eq!(lines(&said, "option name Evaluation"), [option; 2]);
    let judges = [
        "info string network 'knightlight-128', 128 wide",
        "info string the simplified evaluation plays",
        "info string the simplified evaluation plays",
        "info string the classical evaluation plays",
        "info string Evaluation: 'Network', 'Classical' or 'Simplified' wanted, not 'Hopeful'",
    ];
    assert_eq!(lines(&said, "info string"), judges);
    // A knight and 10 for its square, of which a sixteenth counts, for nobody can mate; and 10 for the move.
    let simplified = "Simplified evaluation: 30 centipawns for White, 30 for the side to move";
    assert_eq!(lines(&said, "Simplified"), [simplified; 2]);
    assert_eq!(lines(&said, "Evaluation by the network").len(), 2, "{said}");
}

#[test]
fn full_width_searches_every_move() {
    let script = "go depth 6\nsetoption name Selective value false\ngo depth 6\n";
    let said = said(script.as_bytes());
    let nodes = |line: &&str| -> u64 {
        let mut words = line.split(' ').skip_while(|&word| word != "nodes");
        words.nth(1).and_then(|word| word.parse().ok()).expect("a number of nodes")
    };
    let nodes: Vec<u64> = lines(&said, "info depth 6 ").iter().map(nodes).collect();
    assert!(nodes.len() == 2 && nodes[1] > 3 * nodes[0], "{nodes:?}");
}

/// An entry of a book for a line from the start: key, king's pawn or queen's pawn, weight.
fn book_entry(key: u64, from: u16, to: u16, weight: u16) -> Vec<u8> {
    [&key.to_be_bytes()[..], &(to | from << 6).to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
}

/// 1. e4 (weight 2), 1. d4 (1) or 1. Nf3 (1), and 1... Nf6 2. Ng1 Ng8 after that, sorted.
fn small_book() -> Vec<u8> {
    use engine_core::chess::Board;
    let mut board = Board::start();
    let mut entries = vec![book_entry(board.key(), 12, 28, 2), book_entry(board.key(), 11, 27, 1)];
    for (text, from, to) in [("g1f3", 6, 21), ("g8f6", 62, 45), ("f3g1", 21, 6), ("f6g8", 45, 62)] {
        entries.push(book_entry(board.key(), from, to, 1));
        board = board.after(board.parse_move(text.as_bytes()).expect("a legal move"));
    }
    // Stable: the moves of the start stay in their order.
    entries.sort_by_key(|entry| entry[..8].to_vec());
    entries.concat()
}

fn said_with_book(input: &str) -> String {
    let (clusters, book) = ([const { Cluster::new() }; 256], small_book());
    said_with(FixedResources::new(&clusters).with_book(&book), input.as_bytes())
}

#[test]
fn a_book_in_flash_is_played_from_and_left() {
    const START: &str = "go depth 1\n";
    let asleep = said_with_book(START);
    assert_eq!(lines(&asleep, "info string book move"), Vec::<&str>::new(), "it must be asked for");

    let best = said_with_book(&format!(
        "setoption name OwnBook value true\nsetoption name Best Book Move value true\n{START}"
    ));
    assert_eq!(lines(&best, "bestmove"), ["bestmove e2e4"]);

    let script = "setoption name OwnBook value true
position startpos moves g1f3
go depth 1
position startpos moves e2e4
go depth 1
position startpos moves g1f3 g8f6 f3g1 f6g8
go depth 1
position startpos
go depth 1 searchmoves a2a3
go infinite
stop
setoption name BookFile value other.bin
";
    let said = said_with_book(script);
    assert_eq!(lines(&said, "bestmove")[0], "bestmove g8f6");
    // Out of the book, come round again, told what to play, and told to think: four times it thinks.
    assert_eq!(lines(&said, "info string book move").len(), 1, "{said}");
    assert_eq!(lines(&said, "info depth 1 ").len(), 4, "{said}");
    assert_eq!(lines(&said, "info string BookFile"), ["info string BookFile: this machine has no files"]);
}

#[test]
fn a_seed_decides_what_the_book_plays() {
    let choices = |seed: u32| {
        let script = format!("setoption name OwnBook value true\nsetoption name Book Seed value {seed}\ngo depth 1\n");
        let first = said_with_book(&script);
        assert_eq!(first, said_with_book(&script), "the same seed, the same move");
        lines(&first, "bestmove")[0].to_owned()
    };
    let mut counts = [0u32; 3];
    for seed in 1..=200 {
        let choice = ["bestmove e2e4", "bestmove d2d4", "bestmove g1f3"].iter().position(|&mv| mv == choices(seed));
        counts[choice.expect("a move of the book")] += 1;
    }
    // Weights 2, 1, 1: within three standard deviations of 100, 50, 50.
    assert!(counts[0].abs_diff(100) < 22 && counts[1].abs_diff(50) < 19, "{counts:?}");
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
        let said = said_with_policy(&(commands.join("\n") + "\n"), *POLICY);
        prop_assert_eq!(said.lines().filter(|line| line.starts_with("bestmove")).count(), asked, "{}", said);
        prop_assert_eq!(said.lines().filter(|line| *line == "readyok").count(), ready, "{}", said);
    }
}
