//! How fast a policy network learns on a device.

use std::{num::NonZeroUsize, process::ExitCode, time::Instant};

use burn::tensor::ops::Device;
use engine_core::chess::Board;

use super::{
    Policy,
    examples::{Batch, Examples},
    learner::PolicyLearner,
    settings::{Objective, Preset, Settings},
};
use crate::{
    arena::random::SplitMix64,
    train::{
        device::{self, DeviceKind, Task, Trains},
        kind::Learner,
    },
};

/// Measure how fast a policy network learns here, without reading any file.
///
/// Steps of positions from random games are timed with the loss over the legal moves and over all. The fastest step
/// counts: it is the least disturbed one.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where to compute
    #[arg(long, value_enum, default_value_t)]
    device: DeviceKind,

    /// Whose layers and way of learning
    #[arg(long, value_enum, default_value_t)]
    preset: Preset,

    /// Sizes of the layers between inputs and moves [default: as the preset has them]
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    layers: Option<Vec<usize>>,

    /// Positions of a step [default: as the preset has them]
    #[arg(long)]
    batch: Option<NonZeroUsize>,

    /// Steps to time; as many as two more come before them
    #[arg(long, default_value = "5")]
    steps: NonZeroUsize,

    /// Only the loss over these moves
    #[arg(long, value_enum)]
    loss: Option<Objective>,
}

/// Measures what the command line asks for.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let preset = args.preset.settings();
    let settings = Settings {
        layers: args.layers.clone().unwrap_or(preset.layers.clone()),
        batch: args.batch.map_or(preset.batch, NonZeroUsize::get),
        ..preset
    };
    settings.check()?;
    device::with(args.device, 1, Bench { args, settings })?;
    Ok(ExitCode::SUCCESS)
}

struct Bench<'a> {
    args: &'a Args,
    settings: Settings,
}

impl Task for Bench<'_> {
    type Outcome = ();

    fn on<B: Trains>(self, devices: &[Device<B>]) -> anyhow::Result<()> {
        let Bench { args, settings } = self;
        println!("{}, {:?}, steps of {} positions", B::name(&devices[0]), settings.sizes(), settings.batch);
        let batch = Batch::new(&random_examples(settings.batch, 1), 0..settings.batch);
        for loss in args.loss.map_or(vec![Objective::Legal, Objective::All], |loss| vec![loss]) {
            let settings = Settings { loss, ..settings.clone() };
            let mut learner = PolicyLearner::<B>::new(&settings, devices);
            let mut fastest = f64::INFINITY;
            let warm_up = args.steps.get().min(2);
            for step in 0..warm_up + args.steps.get() {
                let begun = Instant::now();
                // Reading the loss waits for the device.
                let loss = Learner::<Policy>::step(&mut learner, &batch, settings.lr, 0.0);
                std::hint::black_box(<PolicyLearner<B> as Learner<Policy>>::read(loss));
                if step >= warm_up {
                    fastest = fastest.min(begun.elapsed().as_secs_f64());
                }
            }
            println!("loss over {loss:?} moves: {:.0} positions/s", settings.batch as f64 / fastest);
        }
        Ok(())
    }
}

/// Positions of games of random moves.
pub fn random_examples(count: usize, seed: u64) -> Examples {
    let mut random = SplitMix64::new(seed);
    let mut examples = Examples::default();
    let mut board = Board::start();
    while examples.len() < count {
        let moves = board.legal_moves();
        if moves.is_empty() || board.halfmove_clock() > 50 {
            board = Board::start();
            continue;
        }
        let played = moves[(random.next_u64() % moves.len() as u64) as usize];
        examples.add(&board, 0, played);
        board.play(played);
    }
    examples
}
