//! Training data: from games that were mined to positions that a net learns from.
//!
//! [`format`] opens a file by its name; whatever it is, it gives [games](game::Game) of labelled positions. Games are
//! replayed with the engine's own board, for speed: tests hold the result to `shakmaty`.

#[cfg(feature = "binpack")]
pub mod binpack;
pub mod bullet;
pub mod convert;
pub mod duplicates;
pub mod filter;
pub mod format;
pub mod game;
pub mod logistic;
pub mod packed;
pub mod pgn;
pub mod prepare;
pub(crate) mod progress;
pub mod show;
pub mod shuffle;
pub mod statistics;
pub mod stats;
pub mod viri;

use std::process::ExitCode;

use crate::stop::Stop;

/// Turn games into training positions, and look at either.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Prepare(prepare::Args),
    Stats(stats::Args),
    Show(show::Args),
    Convert(convert::Args),
}

/// Does what the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Prepare(args) => prepare::run(args, stop),
        Command::Stats(args) => stats::run(args, stop),
        Command::Show(args) => show::run(args, stop),
        Command::Convert(args) => convert::run(args, stop),
    }
}
