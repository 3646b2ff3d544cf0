//! Opening books in the Polyglot format: made from games, and looked into.
//!
//! Source of the format: "Polyglot book format" by Michel Van den Bergh, <http://hgm.nubati.net/book_format.html>. The
//! rules and the keys come from `shakmaty` here; the engine reads books with its own.

pub mod games;
pub mod make;
pub mod polyglot;
pub mod show;
pub mod tally;

use std::process::ExitCode;

use crate::stop::Stop;

/// Make an opening book in the Polyglot format from games, or look into one.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Make(make::Args),
    Show(show::Args),
}

/// Does what the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Make(args) => make::run(args, stop),
        Command::Show(args) => show::run(args),
    }
}
