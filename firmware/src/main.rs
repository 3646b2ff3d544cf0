//! Knightlight on a desktop: standard input and output as the serial line.

mod native;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use engine_core::uci::NAME;
use native::{Files, Stdio};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let files = Files::new();
    let mut platform = match words.first().map(String::as_str) {
        None => {
            let mut stdio = Stdio::from_stdin();
            if io::stdin().is_terminal() {
                firmware::greet(&mut stdio, &files);
            }
            stdio
        }
        Some("--version" | "-V") => {
            println!("{NAME}");
            return ExitCode::SUCCESS;
        }
        Some("--help" | "-h") => Stdio::from_text("help\n"),
        // As engines are started by test farms: the words are one command, and then the engine leaves.
        Some(_) => Stdio::from_text(&(words.join(" ") + "\n")),
    };
    firmware::run(&mut platform, files);
    ExitCode::SUCCESS
}
