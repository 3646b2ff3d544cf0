//! The options of a run that change nothing of what it learns.

use std::{num::NonZeroUsize, path::PathBuf};

use anyhow::Context;

use super::device::DeviceKind;

/// Options that every training command has.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Folder of the run
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,

    /// Go on with the run that the folder holds
    #[arg(long)]
    pub resume: bool,

    /// Keep the best network of several runs in this file too: only a lower validation loss replaces what is there
    #[arg(long, value_name = "FILE")]
    pub best: Option<PathBuf>,

    /// Steps between two checkpoints: what a killed run loses at most
    #[arg(long, value_name = "STEPS", default_value = "500")]
    pub checkpoint_every: NonZeroUsize,

    /// Where to compute
    #[arg(long, value_enum, default_value_t)]
    pub device: DeviceKind,

    /// So many devices of that kind, each with its share of every batch
    #[arg(long, value_name = "N", default_value = "1")]
    pub devices: NonZeroUsize,

    /// Draw the curves in the terminal, by burn's dashboard: it takes a processor core of its own
    #[arg(long, overrides_with = "no_tui")]
    tui: bool,

    /// Show plain progress, which is the default
    #[arg(long)]
    no_tui: bool,

    /// Processor threads [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

impl RunArgs {
    /// Whether burn's dashboard is wanted.
    pub fn dashboard(&self) -> bool {
        self.tui && !self.no_tui
    }

    /// Makes the threads that work is divided among.
    ///
    /// # Errors
    /// If the system has no room for them.
    pub fn make_threads(&self) -> anyhow::Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
        pool.context("cannot set the number of threads")
    }
}
