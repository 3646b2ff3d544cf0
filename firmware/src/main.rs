//! Knightlight on a desktop: standard input and output as the serial line.

use std::io::{self, IsTerminal, Read, Write};
use std::process::{self, ExitCode};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use engine_core::uci::NAME;
use firmware::native::openings::{self, Openings};
use firmware::native::{Files, Line};

/// Bytes read at once.
const CHUNK: usize = 4_096;
/// Chunks that may wait; then the reader waits, and with it the sender.
const WAITING: usize = 64;

/// What a pipe to a chess program on the same machine, and its scheduler, lose a move, in milliseconds.
const PIPE_OVERHEAD: u32 = 10;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let files = Files::new(PIPE_OVERHEAD);
    let input = match words.first().map(String::as_str) {
        None => standard_input(),
        Some("--version" | "-V") => {
            println!("{NAME}");
            return ExitCode::SUCCESS;
        }
        Some("--help" | "-h") => text("help"),
        Some(first) if first.starts_with(openings::COMMAND) => return tell_openings(&words),
        // As engines are started by test farms: the words are one command, and then the engine leaves.
        Some(_) => text(&words.join(" ")),
    };
    let mut line = Line::new(input, print);
    if words.is_empty() && io::stdin().is_terminal() {
        firmware::greet(&mut line, &files);
    }
    firmware::run(&mut line, files);
    ExitCode::SUCCESS
}

/// Does a command `genfens`, in one word or in several; a second command can only be `quit`.
fn tell_openings(words: &[String]) -> ExitCode {
    let command = words.join(" ");
    let command = command.strip_suffix(" quit").unwrap_or(&command);
    let told = Openings::parse(command).and_then(|openings| openings.tell(|line| println!("{line}")));
    if let Err(fault) = &told {
        eprintln!("knightlight: {fault}");
    }
    if told.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What comes in on standard input, read by a thread that ends with the input, or with the program.
fn standard_input() -> Receiver<Vec<u8>> {
    let (sender, chunks) = mpsc::sync_channel(WAITING);
    thread::spawn(move || {
        let mut buffer = [0; CHUNK];
        loop {
            match io::stdin().lock().read(&mut buffer) {
                Ok(count @ 1..) if sender.send(buffer[..count].to_vec()).is_ok() => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => return,
            }
        }
    });
    chunks
}

/// One line of text, and no more.
fn text(line: &str) -> Receiver<Vec<u8>> {
    let (sender, chunks) = mpsc::sync_channel(1);
    // There is room for one, and the receiver is here.
    let _ = sender.send(format!("{line}\n").into_bytes());
    chunks
}

fn print(bytes: &[u8]) {
    if io::stdout().write_all(bytes).is_err() {
        // Nobody reads any more: then there is nobody to think for.
        process::exit(0);
    }
}
