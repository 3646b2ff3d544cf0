//! Policy networks: they learn by imitation which move a player makes.
//!
//! Games ([`games`]) become positions with their legal moves and the one that was played ([`examples`]). The network
//! ([`net`]) has an output for every move that chess knows; over the legal ones alone its loss is an operation of our own
//! ([`legal`]).

pub mod bench;
pub mod examples;
pub mod export;
pub mod games;
pub mod learner;
pub mod legal;
pub mod net;
pub mod settings;

use std::process::ExitCode;

use self::{
    examples::{Batch, TrainingData},
    learner::PolicyLearner,
    settings::{Given, Objective, Settings},
};
use super::{
    command::RunArgs,
    device::{self, Task, Trains},
    kind::{Kind, Plan},
    run::{Ended, Run},
};
use crate::stop::Stop;
use burn::tensor::ops::Device;

/// Train a policy network to make the moves that the players of games made.
///
/// Games are in viriformat (.viri, as `trainer mine` writes them) or PGN (.pgn). Each goes as a whole to one side of the
/// split, by its content and the seed. The folder of a run holds config.json (written before the first step),
/// curves.csv and curves.svg, best.safetensors (the network of the lowest validation loss), last.safetensors, and a
/// checkpoint to go on from.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    given: Given,
}

/// Trains as the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    args.run.make_threads()?;
    let run = if args.run.resume {
        Run::resume(&args.run, |begun| args.given.agree_with(begun))?
    } else {
        Run::begin(&args.run, || args.given.settings())?
    };
    eprintln!("{}", run.describe());
    Ok(device::with(args.run.device, args.run.devices.get(), Training { run, stop })?.into())
}

/// A run that waits for its device.
struct Training<'a> {
    run: Run<Policy>,
    stop: &'a Stop,
}

impl Task for Training<'_> {
    type Outcome = Ended;

    fn on<B: Trains>(self, devices: &[Device<B>]) -> anyhow::Result<Ended> {
        let learner = PolicyLearner::<B>::new(self.run.settings(), devices);
        self.run.train(learner, self.stop)
    }
}

/// The kind of network that chooses moves.
#[derive(Debug)]
pub struct Policy;

/// Positions that are judged at a time: over all moves each has 4672 logits.
const JUDGED: usize = 1024;

impl Kind for Policy {
    type Settings = Settings;
    type Data = TrainingData;
    type Batch = Batch;

    fn plan(settings: &Settings) -> Plan {
        settings.plan()
    }

    fn open(settings: &Settings) -> anyhow::Result<(TrainingData, Vec<Batch>)> {
        let split = games::Split { seed: settings.seed, validation: settings.validation, most: settings.positions };
        let [train, validation] = games::read(&settings.data, &split)?;
        let judged = validation.len().min(settings.validation_positions);
        let batches = (0..judged)
            .step_by(JUDGED)
            .map(|first| Batch::new(&validation, first..(first + JUDGED).min(judged)))
            .collect();
        Ok((TrainingData::new(train, settings.seed), batches))
    }

    fn positions(batch: &Batch) -> usize {
        batch.positions()
    }

    fn identity(settings: &Settings, batch: &Batch) -> u64 {
        batch.identity() ^ u64::from(settings.loss == Objective::All)
    }

    fn measures(settings: &Settings) -> &'static [&'static str] {
        match settings.loss {
            Objective::Legal => &["top1", "top5"],
            Objective::All => &["top1", "top5", "top1_of_all", "top5_of_all"],
        }
    }

    fn describe(settings: &Settings) -> String {
        let sizes = settings.sizes();
        let weights: usize = sizes.windows(2).map(|pair| pair[0] * pair[1]).sum();
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        format!("{} ({weights} weights)", sizes.join("-"))
    }
}
