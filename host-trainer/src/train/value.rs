//! The command that trains a value network.

use std::{num::NonZeroUsize, path::PathBuf, process::ExitCode};

use anyhow::Context;

use super::{
    device::{self, DeviceKind, Task},
    run::{Ended, Run},
    settings::Given,
    sparse::Sparse,
};
use crate::stop::{INTERRUPTED, Stop};
use burn::tensor::{backend::AutodiffBackend, ops::Device};

/// Train a value network from positions with scores and results.
///
/// The folder of a run holds config.json (written before the first step), curves.csv and curves.svg, best.safetensors
/// (the network of the lowest validation loss), last.safetensors, and a checkpoint to go on from.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the run
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// Go on with the run that the folder holds
    #[arg(long)]
    resume: bool,

    /// Steps between two checkpoints: what a killed run loses at most
    #[arg(long, value_name = "STEPS", default_value = "500")]
    checkpoint_every: NonZeroUsize,

    /// Where to compute
    #[arg(long, value_enum, default_value_t)]
    device: DeviceKind,

    /// So many devices of that kind, each with its share of every batch
    #[arg(long, value_name = "N", default_value = "1")]
    devices: NonZeroUsize,

    /// Draw the curves in the terminal, by burn's dashboard: it takes a processor core of its own
    #[arg(long, overrides_with = "no_tui")]
    tui: bool,

    /// Show plain progress, which is the default
    #[arg(long)]
    no_tui: bool,

    /// Processor threads [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    #[command(flatten)]
    given: Given,
}

/// Trains as the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .build_global()
            .context("cannot set the number of threads")?;
    }
    let every = args.checkpoint_every.get();
    let run = if args.resume {
        Run::resume(&args.out, &args.given, every)?
    } else {
        Run::begin(&args.out, &args.given, every)?
    };
    eprintln!("{}", run.describe());
    Ok(
        match device::with(
            args.device,
            args.devices.get(),
            Training { run, dashboard: args.tui && !args.no_tui, stop },
        )? {
            Ended::Finished => ExitCode::SUCCESS,
            Ended::Interrupted => ExitCode::from(INTERRUPTED),
        },
    )
}

/// A run that waits for its device.
struct Training<'a> {
    run: Run,
    dashboard: bool,
    stop: &'a Stop,
}

impl Task for Training<'_> {
    type Outcome = Ended;

    fn on<B>(self, devices: &[Device<B>]) -> anyhow::Result<Ended>
    where
        B: AutodiffBackend + Sparse,
        B::InnerBackend: Sparse,
    {
        self.run.train::<B>(devices, self.dashboard, self.stop)
    }
}
