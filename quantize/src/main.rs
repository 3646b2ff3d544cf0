//! `quantize`: float weights in, integers out.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use quantize::{fixed, weights};

#[derive(Parser)]
#[command(version, about = "Knightlight's quantiser: from trained float weights to a microcontroller's integers")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the tensors of a safetensors file, and what rounding each to int8 would cost
    Inspect {
        /// The weights, as the trainer writes them
        file: PathBuf,
        /// What a weight of 1.0 becomes
        #[arg(long, default_value_t = 127.0)]
        scale: f32,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Inspect { file, scale } => {
            ensure!(scale.is_finite() && scale > 0.0, "--scale {scale}: a number above zero wanted");
            let tensors = weights::read(&file)?;
            println!(
                "{:<24} {:>16} {:>9} {:>9} {:>8} {:>10} {:>10}",
                "tensor", "shape", "least", "greatest", "clipped", "max error", "rms error"
            );
            for tensor in tensors {
                let cost = fixed::cost(&tensor.values, scale);
                let least = tensor.values.iter().copied().fold(f32::INFINITY, f32::min);
                let greatest = tensor.values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let shape = tensor.shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("x");
                println!(
                    "{:<24} {shape:>16} {least:>9.4} {greatest:>9.4} {:>8} {:>10.6} {:>10.6}",
                    tensor.name, cost.clipped, cost.largest_error, cost.rms_error
                );
            }
            Ok(())
        }
    }
}
