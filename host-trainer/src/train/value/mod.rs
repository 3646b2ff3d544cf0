//! Value networks: they learn how a game will end, from positions with scores and results.
//!
//! A file of positions ([`data`], [`examples`]) has what a search and the game's end said of them; how many centipawns
//! are how much of a win is fitted ([`scale`]). The network ([`net`]) is held to its integers ([`grid`]).

pub mod bench;
pub mod data;
pub mod examples;
pub mod export;
pub mod grid;
pub mod learner;
pub mod net;
pub mod scale;
pub mod settings;

use std::process::ExitCode;

use self::{
    data::{Batch, DataFile, TrainingData},
    learner::ValueLearner,
    settings::{Given, Settings},
};
use super::{
    command::RunArgs,
    device::{self, Task, Trains},
    kind::{Kind, Plan},
    run::{Ended, Run},
};
use crate::{data::game::mix, stop::Stop};
use burn::tensor::ops::Device;

/// Positions that a scale is fitted to.
const SCALE_POSITIONS: usize = 1_000_000;

/// Train a value network from positions with scores and results.
///
/// The folder of a run holds config.json (written before the first step), curves.csv and curves.svg, best.safetensors
/// (the network of the lowest validation loss), last.safetensors, and a checkpoint to go on from.
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
        Run::begin(&args.run, || with_scale(args.given.settings()?))?
    };
    eprintln!("{}", run.describe());
    Ok(device::with(args.run.device, args.run.devices.get(), Training { run, stop })?.into())
}

/// Settings with a scale, fitted if none was given.
fn with_scale(mut settings: Settings) -> anyhow::Result<Settings> {
    if settings.scale.is_none() {
        let fitted = scale::fit(&DataFile::open(&settings.data)?.sample(SCALE_POSITIONS)?)?;
        // The engine keeps whole centipawns.
        settings.scale = Some(f64::from(fitted).round());
    }
    Ok(settings)
}

/// A run that waits for its device.
struct Training<'a> {
    run: Run<Value>,
    stop: &'a Stop,
}

impl Task for Training<'_> {
    type Outcome = Ended;

    fn on<B: Trains>(self, devices: &[Device<B>]) -> anyhow::Result<Ended> {
        let learner = ValueLearner::<B>::new(self.run.settings(), devices);
        self.run.train(learner, self.stop)
    }
}

/// The kind of network that values positions.
#[derive(Debug)]
pub struct Value;

impl Kind for Value {
    type Settings = Settings;
    type Data = TrainingData;
    type Batch = Batch;

    fn plan(settings: &Settings) -> Plan {
        settings.plan()
    }

    fn open(settings: &Settings) -> anyhow::Result<(TrainingData, Vec<Batch>)> {
        let data = TrainingData::new(DataFile::open(&settings.data)?, settings);
        let validation = DataFile::open(&settings.validation)?.sample(settings.validation_positions)?;
        let wdl = settings.wdl_end as f32;
        Ok((data, learner::batches(&validation, settings.batch, wdl, settings.known_scale())))
    }

    fn positions(batch: &Batch) -> usize {
        batch.targets.len()
    }

    fn identity(_settings: &Settings, batch: &Batch) -> u64 {
        batch.examples.iter().zip(&batch.targets).fold(0, |identity, (example, target)| {
            let inputs = example.inputs(0).iter().fold(identity, |identity, &input| mix(identity ^ u64::from(input)));
            mix(inputs ^ u64::from(target.to_bits()))
        })
    }

    fn measures(_settings: &Settings) -> &'static [&'static str] {
        &[]
    }

    fn describe(settings: &Settings) -> String {
        format!("scale {} centipawns", settings.known_scale())
    }
}
