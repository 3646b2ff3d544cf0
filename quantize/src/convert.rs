//! `quantize convert`: float weights in, a blob out.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use engine_core::chess::Board;

use crate::calibrate::{self, Shift};
use crate::integer_net::{Entry, IntegerNet};
use crate::settings::Overrides;
use crate::source::{self, Net};
use crate::{policy, positions, whole};

/// How many positions a value net is calibrated with.
const CALIBRATION: usize = 10_000;

/// How many a policy net: it may be thousands of times as large.
const POLICY_CALIBRATION: usize = 2_000;

/// The seed that they are drawn by; not that of `verify`, which should see others.
const SEED: u64 = 2;

/// Round a net's weights to integers and write the blob that the engine plays with.
///
/// Reads safetensors as the trainer writes them, and ONNX graphs of the same architecture (`quantize help export-onnx`
/// describes them). What the file's metadata does not say, the options must; what they say comes first.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The weights: .safetensors or .onnx
    weights: PathBuf,
    /// The blob to write
    #[arg(short, long, value_name = "NET.net")]
    output: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
    /// Take back what the rounding does to the output on the whole: move each bucket's bias by the mean error over the
    /// positions of a file (lines of FEN or EPD, or .bullet records), or of random games if none is given. A policy net
    /// is always calibrated: the positions show how large the activations behind its ReLUs become
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    calibrate: Option<Option<PathBuf>>,
    /// Cut off weights that eight bits cannot hold, instead of refusing the net
    #[arg(long)]
    clip: bool,
}

/// Does what the command line asks for.
///
/// # Errors
/// If the weights are no net, do not fit, or the blob cannot be written. Then nothing is.
pub fn run(args: &Args) -> Result<()> {
    let file = || args.weights.display().to_string();
    let (name, blob) = match source::read_net(&args.weights, &args.overrides)? {
        Net::Value(net, settings) => {
            let (mut integers, entries) = IntegerNet::quantise(&net, &settings, args.clip).with_context(file)?;
            let shifts = match &args.calibrate {
                Some(_) => calibrate::calibrate(&net, &mut integers, &boards(args, CALIBRATION)?).with_context(file)?,
                None => Vec::new(),
            };
            let blob = integers.to_blob().with_context(file)?;
            print!("{}", table(&entries));
            for (bucket, Shift { positions, centipawns }) in shifts.iter().enumerate() {
                println!(
                    "bucket {bucket}: moved by {centipawns:.2} centipawns, the mean error over {positions} positions"
                );
            }
            (settings.name, blob)
        }
        Net::Policy(net, words) => {
            ensure!(!args.clip, "--clip: a policy net's scales are made for its weights, so that none is cut off");
            let (integers, entries) =
                policy::IntegerNet::quantise(&net, &words, &boards(args, POLICY_CALIBRATION)?).with_context(file)?;
            let blob = integers.to_blob().with_context(file)?;
            print!("{}", table(&entries));
            (words.name, blob)
        }
    };
    let output = args.output.display();
    whole::write(&args.output, blob.bytes()).with_context(|| format!("cannot write {output}"))?;
    println!("{output}: '{name}', {} bytes, checksum {:08x}", blob.bytes().len(), blob.checksum());
    Ok(())
}

/// So many positions to calibrate with.
fn boards(args: &Args, count: usize) -> Result<Vec<Board>> {
    match &args.calibrate {
        Some(Some(path)) => positions::read(path, count, SEED),
        _ => Ok(positions::random(count, SEED)),
    }
}

/// What became of each tensor, as a table.
#[must_use]
pub fn table(entries: &[Entry]) -> String {
    let mut table = format!(
        "{:<16} {:>10} {:>12} {:>8} {:>8} {:>10} {:>10}\n",
        "tensor", "shape", "scale", "bytes", "clipped", "max error", "rms error"
    );
    for Entry { tensor, shape, scale, bytes, cost } in entries {
        table += &format!(
            "{tensor:<16} {shape:>10} {scale:>12} {bytes:>8} {:>8} {:>10.3e} {:>10.3e}\n",
            cost.clipped, cost.largest_error, cost.rms_error
        );
    }
    table
}
