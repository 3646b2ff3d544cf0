//! Batches, made ready by a thread of their own while the last one is learnt from.

use std::{sync::mpsc, thread};

use super::{kind::Data, order::Epoch};

/// Batches that wait, so that neither side does.
const AHEAD: usize = 2;

/// Which batches a run takes.
#[derive(Clone, Debug)]
pub struct Order {
    /// Positions of a batch.
    pub batch: usize,
    /// Seed of the order.
    pub seed: u64,
    /// The step to begin with.
    pub first: usize,
    /// Steps in all.
    pub steps: usize,
}

/// The batches of a run, in order.
#[derive(Debug)]
pub struct Loader<T>(mpsc::Receiver<anyhow::Result<T>>);

impl<T: Send + 'static> Loader<T> {
    /// Starts reading. The thread ends with the last step, or when the loader is dropped.
    pub fn start(mut data: impl Data<Batch = T>, order: Order) -> Loader<T> {
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        thread::spawn(move || {
            let Order { batch, seed, first, steps } = order;
            let per_epoch = Epoch::batches(data.positions(), batch);
            let mut current = None;
            for step in first..steps {
                let number = step / per_epoch;
                let epoch = match current.take() {
                    Some((of, epoch)) if of == number => epoch,
                    _ => Epoch::new(data.positions(), seed, number),
                };
                let course = step as f32 / steps as f32;
                let made = data.batch(epoch.pieces(step % per_epoch, batch), course);
                current = Some((number, epoch));
                if sender.send(made).is_err() {
                    break;
                }
            }
        });
        Loader(receiver)
    }
}

impl<T> Iterator for Loader<T> {
    type Item = anyhow::Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.recv().ok()
    }
}
