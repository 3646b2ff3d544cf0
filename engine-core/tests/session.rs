//! Random conversations: nothing that comes in may break a session, and every `go` gets one answer.

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
    let mut clusters = [Cluster::EMPTY; 256];
    let mut script = Script { input, said: Vec::new(), micros: 0 };
    Session::new(FixedResources::new(&mut clusters)).run(&mut script);
    String::from_utf8(script.said).expect("replies are text")
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
    ]
}

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
        let said = said((commands.join("\n") + "\n").as_bytes());
        prop_assert_eq!(said.lines().filter(|line| line.starts_with("bestmove")).count(), asked, "{}", said);
        prop_assert_eq!(said.lines().filter(|line| *line == "readyok").count(), ready, "{}", said);
    }
}
