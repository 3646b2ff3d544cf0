//! Learnt orders of moves: models of good and bad moves, and what they save a search.
//!
//! - [`fit`] clusters the [features](engine_core::net::move_order::features) of good and bad moves.
//! - [`prior`] learns weights of what a move does from the moves that were chosen.
//! - [`judge`] counts nodes to a depth with and without a model.
//!
//! A model is a blob that the engine loads (`setoption name MoveOrderFile`).

mod agreement;
mod asked;
mod bare;
mod blob;
mod coordinates;
pub mod fit;
mod games;
pub mod judge;
mod labels;
mod positions;
pub mod prior;
mod sample;

use std::process::ExitCode;

use crate::stop::Stop;

/// Learn which moves to search first, and measure what that saves.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Fit(fit::Args),
    Prior(prior::Args),
    Judge(judge::Args),
}

/// Does what the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Fit(args) => fit::run(args, stop),
        Command::Prior(args) => prior::run(args, stop),
        Command::Judge(args) => judge::run(args, stop),
    }
}
