//! A board on a serial port as an engine of a chess program: what the program says goes to the board and back, and a
//! cable that was pulled is waited for.

mod bridge;
mod conversation;
mod flash_net;
mod line;
mod ports;
mod search;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use bridge::Bridge;
use ports::Target;

/// Starts a board on a serial port as the engine of a chess program.
///
/// Speaks UCI on standard input and output. Pull the cable, and it waits for the board to come back and goes on with the
/// game. Leaves at `quit`, and when the program closes the line; the board then starts anew.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, args_conflicts_with_subcommands = true)]
struct Arguments {
    /// The board's serial port, such as /dev/ttyACM0 or COM3; found if there is only one that may be meant
    port: Option<String>,
    /// Bits a second; ports that are USB to the end take any
    #[arg(long, value_name = "RATE", default_value_t = line::BAUD)]
    baud: u32,
    /// List the serial ports of this machine, and leave
    #[arg(long)]
    list: bool,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Send the board a network, which it checks, keeps, and plays with from then on
    FlashNet {
        /// A value net in the engine's format, as `quantize convert` writes it
        file: PathBuf,
        /// The board's serial port; found if there is only one that may be meant
        #[arg(long)]
        port: Option<String>,
        /// Bits a second
        #[arg(long, value_name = "RATE", default_value_t = line::BAUD)]
        baud: u32,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let plays = arguments.task.is_none();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if plays {
                // Chess programs show what engines say on standard output, and people read the other.
                println!("info string {error:#}");
            }
            eprintln!("knightlight-bridge: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    if arguments.list {
        return ports::list();
    }
    let target = |port: Option<String>| port.map_or_else(Target::find, |port| Ok(Target::named(port)));
    if let Some(Task::FlashNet { file, port, baud }) = arguments.task {
        return flash_net::flash_net(&file, target(port)?, baud);
    }
    let target = target(arguments.port)?;
    Bridge::new(target, arguments.baud).run()
}
