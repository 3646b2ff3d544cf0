//! Training: from scored positions to a network's weights.
//!
//! A file of positions ([`data`], [`examples`]) is read in random order ([`order`]) by a thread of its own ([`loader`]);
//! a [`run`] takes batch after batch through a [`learner`], along a [`schedule`], and keeps its [`curve`] and its
//! [`checkpoint`]. The network ([`net`]) is a module of burn's, with a first layer of our own ([`sparse`]).

pub mod bench;
pub mod checkpoint;
pub mod curve;
pub mod data;
pub mod device;
pub mod examples;
pub mod export;
pub mod grid;
pub mod learner;
pub mod loader;
pub mod net;
pub mod order;
pub mod progress;
pub mod run;
pub mod scale;
pub mod schedule;
pub mod settings;
pub mod sparse;
pub mod value;

use std::process::ExitCode;

use crate::stop::Stop;

/// Train networks.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Value(Box<value::Args>),
    Bench(bench::Args),
}

/// Does what the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Value(args) => value::run(args, stop),
        Command::Bench(args) => bench::run(args),
    }
}
