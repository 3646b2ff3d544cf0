//! What one kind of network has of its own, and every run needs to know.

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

use super::{export::Exchange, schedule::Rates};

/// A kind of network: its settings, its positions, and the words for how it is judged.
pub trait Kind: Debug + Sized + 'static {
    /// All settings of a run.
    type Settings: Clone + Debug + PartialEq + Serialize + DeserializeOwned;
    /// The positions to learn from.
    type Data: Data<Batch = Self::Batch> + Debug;
    /// The positions of a step.
    type Batch: Debug + Send + 'static;

    /// What of the settings every run needs.
    fn plan(settings: &Self::Settings) -> Plan;

    /// The positions to learn from, and those to judge by in batches.
    ///
    /// # Errors
    /// If they cannot be read.
    fn open(settings: &Self::Settings) -> anyhow::Result<(Self::Data, Vec<Self::Batch>)>;

    /// How many positions a batch has.
    fn positions(batch: &Self::Batch) -> usize;

    /// A number for the content of a batch that is judged by, and for what it is judged on.
    fn identity(settings: &Self::Settings, batch: &Self::Batch) -> u64;

    /// The names of what is measured besides the loss, as columns of the curve.
    fn measures(settings: &Self::Settings) -> &'static [&'static str];

    /// What a reader should know of the settings before he waits.
    fn describe(settings: &Self::Settings) -> String;
}

/// What of a run's settings every kind of network has.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Times that every position is seen.
    pub epochs: usize,
    /// Positions of a step.
    pub batch: usize,
    /// Seed of the first weights and of the order.
    pub seed: u64,
    /// Steps between two validations; none means an epoch.
    pub validate_every: Option<usize>,
    /// Steps between two rows of the curve.
    pub report_every: usize,
    /// The course of the learning rate.
    pub rates: Rates,
}

/// Positions to learn from. They go to the thread that makes batches of them.
pub trait Data: Send + 'static {
    /// The positions of a step.
    type Batch;

    /// How many positions there are.
    fn positions(&self) -> usize;

    /// A batch of the pieces of the data that it consists of, each a first position and a count. `course` is the share of
    /// all steps that are done before it.
    ///
    /// # Errors
    /// If the positions cannot be read, or are none.
    fn batch(&mut self, pieces: impl Iterator<Item = (usize, usize)>, course: f32) -> anyhow::Result<Self::Batch>;
}

/// A network that learns, on its device.
pub trait Learner<K: Kind> {
    /// A step's loss, perhaps still being computed.
    type Loss;

    /// Learns from a batch. `course` is the share of all steps that are done before it.
    fn step(&mut self, batch: &K::Batch, lr: f64, course: f64) -> Self::Loss;

    /// Waits for a loss.
    fn read(loss: Self::Loss) -> f32;

    /// Judges the network, as it will play, by positions.
    fn validate(&self, batches: &[K::Batch]) -> Judgement;

    /// Network and optimiser.
    ///
    /// # Errors
    /// If they cannot be recorded.
    fn save(&self) -> anyhow::Result<Vec<u8>>;

    /// Goes on from there.
    ///
    /// # Errors
    /// If the bytes are of another network or another program.
    fn load(&mut self, bytes: Vec<u8>) -> anyhow::Result<()>;

    /// The network's tensors and what is to be said of them.
    ///
    /// # Errors
    /// If they cannot be taken from the device.
    fn export(&self, settings: &K::Settings) -> anyhow::Result<Exchange>;
}

/// How good a network is.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The mean loss.
    pub loss: f64,
    /// What [`Kind::measures`] names, in that order.
    pub measures: Vec<f64>,
}

impl Judgement {
    /// The loss as column 0, and the measures behind it.
    pub fn column(&self, column: usize) -> Option<f64> {
        if column == 0 { Some(self.loss) } else { self.measures.get(column - 1).copied() }
    }
}
