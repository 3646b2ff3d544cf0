//! Batches, made ready by a thread of their own while the last one is learnt from.

use std::{
    sync::{Arc, mpsc},
    thread,
};

use super::{data::DataFile, examples::Example, order::Epoch, schedule::Schedule};

/// Batches that wait, so that neither side does.
const AHEAD: usize = 2;

/// The positions of one step.
#[derive(Debug)]
pub struct Batch {
    /// The positions.
    pub examples: Arc<Vec<Example>>,
    /// What the net should expect of each, between 0 and 1.
    pub targets: Vec<f32>,
}

impl Batch {
    /// Positions and their targets, for a share of results and a scale as [`Example::target`] has them.
    pub fn new(examples: Vec<Example>, wdl: f32, scale: f32) -> Batch {
        let targets = examples.iter().map(|example| example.target(wdl, scale)).collect();
        Batch { examples: Arc::new(examples), targets }
    }
}

/// Which batches a run takes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Positions of a batch.
    pub batch: usize,
    /// Seed of the order.
    pub seed: u64,
    /// Centipawns of one unit of log odds.
    pub scale: f32,
    /// The share of results in each step's targets, and the number of steps.
    pub schedule: Schedule,
    /// The step to begin with.
    pub first: usize,
}

/// The batches of a run, in order.
#[derive(Debug)]
pub struct Loader(mpsc::Receiver<anyhow::Result<Batch>>);

impl Loader {
    /// Starts reading. The thread ends with the last step, or when the loader is dropped.
    pub fn start(mut file: DataFile, plan: Plan) -> Loader {
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        thread::spawn(move || {
            let per_epoch = Epoch::batches(file.positions(), plan.batch);
            let mut current = None;
            for step in plan.first..plan.schedule.steps() {
                let number = step / per_epoch;
                let epoch = match current.take() {
                    Some((of, epoch)) if of == number => epoch,
                    _ => Epoch::new(file.positions(), plan.seed, number),
                };
                let batch = read(&mut file, &epoch, step % per_epoch, step, &plan);
                current = Some((number, epoch));
                if sender.send(batch).is_err() {
                    break;
                }
            }
        });
        Loader(receiver)
    }
}

impl Iterator for Loader {
    type Item = anyhow::Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.recv().ok()
    }
}

fn read(file: &mut DataFile, epoch: &Epoch, index: usize, step: usize, plan: &Plan) -> anyhow::Result<Batch> {
    let mut examples = Vec::with_capacity(plan.batch);
    for (first, count) in epoch.pieces(index, plan.batch) {
        file.read(first, count, &mut examples)?;
    }
    Ok(Batch::new(examples, plan.schedule.wdl(step), plan.scale))
}
