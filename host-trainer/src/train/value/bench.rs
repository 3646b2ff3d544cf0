//! How fast a network learns on a device, and what the sparse first layer is worth there.

use std::{num::NonZeroUsize, process::ExitCode, time::Instant};

use anyhow::ensure;
use bulletformat::ChessBoard;
use burn::tensor::ops::Device;

use super::{Value, data::Batch, examples::Example, learner::ValueLearner, settings::Settings};
use crate::{
    arena::random::SplitMix64,
    train::{
        device::{self, DeviceKind, Task, Trains},
        first_layer::FirstLayer,
        kind::Learner,
        sparse::WIDTH_UNIT,
    },
};

/// Measure how fast a value network learns here, without reading any file.
///
/// Steps of random positions are timed with the first layer sparse and with burn's dense product, one after the other.
/// The fastest step counts: it is the least disturbed one.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where to compute
    #[arg(long, value_enum, default_value_t)]
    device: DeviceKind,

    /// Outputs of the first layer for each side, a multiple of 16
    #[arg(long, default_value = "128")]
    width: usize,

    /// Sizes of dense layers behind it, such as 16,32
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    dense: Vec<usize>,

    /// Outputs
    #[arg(long, default_value = "8")]
    buckets: NonZeroUsize,

    /// Positions of a step
    #[arg(long, default_value = "16384")]
    batch: NonZeroUsize,

    /// Steps to time; as many as two more come before them
    #[arg(long, default_value = "5")]
    steps: NonZeroUsize,

    /// Only this way to compute the first layer
    #[arg(long, value_enum)]
    first_layer: Option<FirstLayer>,
}

/// Measures what the command line asks for.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let width = args.width;
    ensure!(width > 0 && width.is_multiple_of(WIDTH_UNIT), "--width {width}: it must be a multiple of {WIDTH_UNIT}");
    device::with(args.device, 1, Bench(args))?;
    Ok(ExitCode::SUCCESS)
}

struct Bench<'a>(&'a Args);

impl Task for Bench<'_> {
    type Outcome = ();

    fn on<B: Trains>(self, devices: &[Device<B>]) -> anyhow::Result<()> {
        let Bench(args) = self;
        println!(
            "{}, (704 -> {})x2, dense {:?}, {} buckets",
            B::name(&devices[0]),
            args.width,
            args.dense,
            args.buckets
        );
        let ways = args.first_layer.map_or(vec![FirstLayer::Sparse, FirstLayer::Dense], |way| vec![way]);
        let mut speeds = Vec::new();
        for way in ways {
            let speed = speed::<B>(args, way, devices)?;
            println!("{way:?}: {speed:.0} positions/s");
            speeds.push(speed);
        }
        if let [sparse, dense] = speeds[..] {
            println!("sparse is {:.1} times as fast", sparse / dense);
        }
        Ok(())
    }
}

/// Positions a second of the fastest step.
fn speed<B: Trains>(args: &Args, first_layer: FirstLayer, devices: &[Device<B>]) -> anyhow::Result<f64> {
    let settings = Settings {
        width: args.width,
        dense: args.dense.clone(),
        buckets: args.buckets.get(),
        first_layer,
        ..Settings::default()
    };
    let boards = random_boards(args.batch.get(), 1);
    let examples = boards.iter().map(Example::new).collect::<Result<_, _>>()?;
    let batch = Batch::new(examples, 0.1, 400.0);
    let mut learner = ValueLearner::<B>::new(&settings, devices);
    let mut fastest = f64::INFINITY;
    let warm_up = args.steps.get().min(2);
    for step in 0..warm_up + args.steps.get() {
        let begun = Instant::now();
        // Reading the loss waits for the device.
        let loss = Learner::<Value>::step(&mut learner, &batch, 1e-3, 0.0);
        std::hint::black_box(<ValueLearner<B> as Learner<Value>>::read(loss));
        if step >= warm_up {
            fastest = fastest.min(begun.elapsed().as_secs_f64());
        }
    }
    Ok(args.batch.get() as f64 / fastest)
}

/// Boards with two kings and up to thirty other pieces anywhere, with random scores and results.
pub fn random_boards(count: usize, seed: u64) -> Vec<ChessBoard> {
    let mut random = SplitMix64::new(seed);
    let mut below = move |limit: u64| random.next_u64() % limit;
    (0..count)
        .map(|_| {
            let mut pieces = [None; 64];
            for code in [5, 13] {
                let square = below(64) as usize;
                let free = (square..64).chain(0..square).find(|&square| pieces[square].is_none());
                pieces[free.unwrap_or(square)] = Some(code);
            }
            for _ in 0..below(31) {
                let (square, role, side) = (below(64) as usize, below(5) as u8, below(2) as u8);
                let possible = role > 0 || (8..56).contains(&square);
                if possible && pieces[square].is_none() {
                    pieces[square] = Some(side << 3 | role);
                }
            }
            let mut board =
                ChessBoard { score: below(2001) as i16 - 1000, result: below(3) as u8, ..ChessBoard::default() };
            let stand = pieces.iter().enumerate().filter_map(|(square, code)| Some((square, (*code)?)));
            for (index, (square, code)) in stand.enumerate() {
                board.occ |= 1 << square;
                board.pcs[index / 2] |= code << (4 * (index % 2));
            }
            board
        })
        .collect()
}
