//! Knightlight on a desktop: standard input and output as the serial line.

mod native;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use engine_core::uci::NAME;
use firmware::Session;
use native::{Files, Stdio};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut platform = match words.first().map(String::as_str) {
        None => {
            if io::stdin().is_terminal() {
                println!("{NAME}, a chess engine that speaks UCI. Type 'help' for the commands, 'quit' to leave.");
            }
            Stdio::from_stdin()
        }
        Some("--version" | "-V") => {
            println!("{NAME}");
            return ExitCode::SUCCESS;
        }
        Some("--help" | "-h") => Stdio::from_text("help\n"),
        // As engines are started by test farms: the words are one command, and then the engine leaves.
        Some(_) => Stdio::from_text(&(words.join(" ") + "\n")),
    };
    Session::new(Files::new()).run(&mut platform);
    ExitCode::SUCCESS
}
