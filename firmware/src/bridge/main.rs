//! A board on a serial port as an engine of a chess program: what the program says goes to the board and back, and a
//! cable that was pulled is waited for.

mod bridge;
mod conversation;
mod line;
mod ports;
mod search;

use std::process::ExitCode;

use clap::Parser;

use bridge::Bridge;
use ports::Target;

/// Starts a board on a serial port as the engine of a chess program.
///
/// Speaks UCI on standard input and output. Pull the cable, and it waits for the board to come back and goes on with the
/// game. Leaves at `quit`, and when the program closes the line; the board then starts anew.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Arguments {
    /// The board's serial port, such as /dev/ttyACM0 or COM3; found if there is only one that may be meant
    port: Option<String>,
    /// Bits a second; ports that are USB to the end take any
    #[arg(long, value_name = "RATE", default_value_t = line::BAUD)]
    baud: u32,
    /// List the serial ports of this machine, and leave
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Chess programs show what engines say on standard output, and people read the other.
            println!("info string {error:#}");
            eprintln!("knightlight-bridge: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    if arguments.list {
        return ports::list();
    }
    let target = arguments.port.map_or_else(Target::find, |port| Ok(Target::named(port)))?;
    Bridge::new(target, arguments.baud).run()
}
