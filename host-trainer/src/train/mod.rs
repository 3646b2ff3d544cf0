//! Training: from positions to a network's weights.
//!
//! What is common to every kind of network stands here. Positions are read in random order ([`order`]) by a thread of
//! its own ([`loader`]); a [`run`] takes batch after batch through a learner, along a [`schedule`], and keeps its
//! [`curve`], its [`checkpoint`] and its [`best`] network. Networks are modules of burn's made of [`layer`]s, with a
//! first layer of our own ([`sparse`]); a [`pupil`] takes their steps on one device or on several.
//!
//! What a network learns from, how, and how it is judged is its [`kind`]: [`value`] or [`policy`].

pub mod best;
pub mod checkpoint;
pub mod command;
pub mod curve;
pub mod descent;
pub mod device;
pub mod export;
pub mod few_rows;
pub mod first_layer;
pub mod given;
pub mod kind;
pub mod layer;
pub mod loader;
pub mod order;
pub mod policy;
pub mod progress;
pub mod pupil;
pub mod run;
pub mod schedule;
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
    Policy(Box<policy::Args>),
    Bench(value::bench::Args),
    BenchPolicy(policy::bench::Args),
}

/// Does what the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Value(args) => value::run(args, stop),
        Command::Policy(args) => policy::run(args, stop),
        Command::Bench(args) => value::bench::run(args),
        Command::BenchPolicy(args) => policy::bench::run(args),
    }
}
