//! The `trainer` program: subcommands, logging and Ctrl-C; the work is in the library.

use std::process::ExitCode;

use anyhow::Context;
use clap::{Parser, Subcommand};
use host_trainer::{arena, book, data, mine, move_order, piece_values, play, report, stop::Stop, suite, train};
use tracing_subscriber::EnvFilter;

/// A step of learning asks for megabytes and gives them back. Most systems' own allocators return such memory at once, and
/// then half of a step is the kernel clearing it anew.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Make networks, measure chess engines and play them: mine, prepare data, train, matches, suites of positions.
#[derive(Debug, Parser)]
#[command(name = "trainer", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Arena(arena::Args),
    Book(book::Args),
    Data(data::Args),
    Mine(mine::Args),
    MoveOrder(move_order::Args),
    PieceValues(piece_values::Args),
    Play(Box<play::Args>),
    Report(report::Args),
    Suite(suite::Args),
    Train(train::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .without_time()
        .with_target(false)
        .init();

    run(&cli.command).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn run(command: &Command) -> anyhow::Result<ExitCode> {
    let stop = Stop::new();
    stop.on_signal().context("cannot watch for Ctrl-C")?;
    match command {
        Command::Arena(args) => arena::run(args, &stop),
        Command::Book(args) => book::run(args, &stop),
        Command::Data(args) => data::run(args, &stop),
        Command::Mine(args) => mine::run(args, &stop),
        Command::MoveOrder(args) => move_order::run(args, &stop),
        Command::PieceValues(args) => piece_values::run(args, &stop),
        Command::Play(args) => play::run(args, &stop),
        Command::Report(args) => report::run(args),
        Command::Suite(args) => suite::run(args, &stop),
        Command::Train(args) => train::run(args, &stop),
    }
}
