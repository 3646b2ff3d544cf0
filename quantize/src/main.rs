//! `quantize`: the command line; the work is in the library.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use quantize::{convert, inspect};
#[cfg(feature = "onnx")]
use quantize::{export_onnx, verify};

/// Knightlight's quantiser: from trained float weights to a microcontroller's integers.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Convert(convert::Args),
    Inspect(inspect::Args),
    #[cfg(feature = "onnx")]
    ExportOnnx(export_onnx::Args),
    #[cfg(feature = "onnx")]
    Verify(verify::Args),
}

fn main() -> ExitCode {
    let done = match &Arguments::parse().command {
        Command::Convert(args) => convert::run(args).map(|()| ExitCode::SUCCESS),
        Command::Inspect(args) => inspect::run(args).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "onnx")]
        Command::ExportOnnx(args) => export_onnx::run(args).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "onnx")]
        Command::Verify(args) => verify::run(args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
