//! A network and its optimiser: gradients on one device or on several, and a step along them.
//!
//! On one device the gradients are computed here and now. On several, burn-train's workers compute those of a part of
//! the batch each, and their sum is applied on the first device.

use std::fmt::Display;

use anyhow::anyhow;
use burn::{
    data::dataloader::{DataLoaderIterator, Progress},
    lr_scheduler::constant::ConstantLr,
    module::AutodiffModule,
    optim::{AdamW, AdamWConfig, GradientsAccumulator, Optimizer, adaptor::OptimizerAdaptor},
    record::{FullPrecisionSettings, NamedMpkBytesRecorder, Record, Recorder},
    tensor::{
        ElementConversion, Tensor,
        backend::{AutodiffBackend, Backend},
        ops::Device,
    },
    train::{InferenceStep, ItemLazy, LearningComponentsMarker, TrainStep, train::MultiDevicesTrainStep},
};

use super::{descent::Descent, device::Trains};

/// A network that burn can train.
pub trait Net<B: AutodiffBackend>:
    TrainStep<Output = Loss<B::InnerBackend>> + AutodiffModule<B, InnerModule: InferenceStep> + Display + 'static
{
}

impl<B, N> Net<B> for N
where
    B: AutodiffBackend,
    N: TrainStep<Output = Loss<B::InnerBackend>> + AutodiffModule<B, InnerModule: InferenceStep> + Display + 'static,
{
}

/// A part's share of a batch's mean loss, perhaps still being computed.
#[derive(Clone, Debug)]
pub struct Loss<B: Backend>(pub(super) Tensor<B, 1>);

impl<B: Backend> Loss<B> {
    /// Waits for the number.
    #[must_use]
    pub fn read(self) -> f32 {
        self.0.into_scalar().elem()
    }
}

impl<B: Backend> ItemLazy for Loss<B> {
    type ItemSync = f32;

    fn sync(self) -> f32 {
        self.read()
    }
}

/// A way to use gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// AdamW (0.9, 0.999).
    Adamw,
    /// Stochastic gradient descent with a momentum of 0.9.
    Sgd,
}

#[derive(Clone)]
enum Optimiser<B: Trains, N: AutodiffModule<B>> {
    AdamW(OptimizerAdaptor<AdamW, N, B>),
    Sgd(OptimizerAdaptor<Descent, N, B>),
}

/// burn-train's threads, one for each device. They know the kind of an optimiser, but use none.
type Workers<B, N> = MultiDevicesTrainStep<LearningComponentsMarker<B, ConstantLr, N, OptimizerAdaptor<AdamW, N, B>>>;

/// A network that learns.
#[expect(missing_debug_implementations, reason = "burn's optimisers have none")]
pub struct Pupil<B: Trains, N: Net<B>> {
    /// Taken out for a step alone: where nothing else has its tensors, they are changed where they lie.
    net: Option<N>,
    optimiser: Optimiser<B, N>,
    devices: Vec<Device<B>>,
    /// Where there is more than one device.
    workers: Option<Workers<B, N>>,
}

impl<B: Trains, N: Net<B>> Pupil<B, N> {
    /// A network that has not learnt yet, on one device at least.
    pub fn new(net: N, method: Method, weight_decay: f64, devices: &[Device<B>]) -> Self {
        let optimiser = match method {
            // Gradients of a mean over thousands of positions are small: burn's own epsilon of 1e-5 would drown them.
            Method::Adamw => {
                Optimiser::AdamW(AdamWConfig::new().with_epsilon(1e-8).with_weight_decay(weight_decay as f32).init())
            }
            Method::Sgd => Optimiser::Sgd(Descent.into()),
        };
        let workers = (devices.len() > 1).then(|| Workers::new(devices));
        Pupil { net: Some(net), optimiser, workers, devices: devices.to_vec() }
    }

    /// The network as it is.
    pub fn net(&self) -> &N {
        self.net.as_ref().expect("a step puts it back")
    }

    /// How many of so many positions a device takes.
    pub fn share(&self, positions: usize) -> usize {
        positions.div_ceil(self.devices.len()).max(1)
    }

    /// Learns from the parts of a batch, one a device at most. `hold` brings the network back to where it may be. Returns
    /// the parts' losses, whose sum is the batch's: as tensors, for reading them may have to wait for a device.
    pub fn step(&mut self, parts: Vec<N::Input>, lr: f64, hold: impl FnOnce(N) -> N) -> Vec<Loss<B::InnerBackend>> {
        let mut losses = Vec::new();
        let gradients = match &self.workers {
            None => {
                let mut gradients = None;
                for part in parts {
                    let output = TrainStep::step(self.net(), part);
                    losses.push(output.item);
                    gradients = Some(output.grads);
                }
                gradients.unwrap_or_default()
            }
            Some(workers) => {
                let mut loaders: Vec<Box<dyn DataLoaderIterator<N::Input>>> = Vec::new();
                for part in parts {
                    loaders.push(Box::new(Once(Some(part))));
                }
                // Every worker looks for a part of its own.
                loaders.resize_with(self.devices.len(), || Box::new(Once(None)));
                let (mut outputs, _) = workers.step(&mut loaders, self.net());
                // They answer in any order; a sum of floating point numbers is the same only in the same order.
                outputs.sort_by_key(|output| output.device);
                let mut sum = GradientsAccumulator::new();
                for output in outputs {
                    let gradients = output.output.grads.to_device(&self.devices[0], self.net());
                    sum.accumulate(self.net(), gradients);
                    losses.push(output.output.item);
                }
                sum.grads()
            }
        };
        self.net = self.net.take().map(|net| {
            hold(match &mut self.optimiser {
                Optimiser::AdamW(optimiser) => optimiser.step(lr, net, gradients),
                Optimiser::Sgd(optimiser) => optimiser.step(lr, net, gradients),
            })
        });
        losses
    }

    /// Network and optimiser in burn's named MessagePack.
    ///
    /// # Errors
    /// If burn cannot record them.
    pub fn save(&self) -> anyhow::Result<Vec<u8>> {
        let net = self.net().clone().into_record();
        match &self.optimiser {
            Optimiser::AdamW(optimiser) => record::<B, _>((net, optimiser.to_record())),
            Optimiser::Sgd(optimiser) => record::<B, _>((net, optimiser.to_record())),
        }
    }

    /// Goes on from what [`save`](Self::save) gave of a network of the same shape.
    ///
    /// # Errors
    /// If the bytes are of another network or another program.
    pub fn load(&mut self, bytes: Vec<u8>) -> anyhow::Result<()> {
        let device = &self.devices[0];
        let (net, optimiser) = (self.net().clone(), self.optimiser.clone());
        let (net, optimiser) = match optimiser {
            Optimiser::AdamW(optimiser) => {
                let (of_net, of_optimiser) = recall::<B, _>(bytes, device)?;
                (net.load_record(of_net), Optimiser::AdamW(optimiser.load_record(of_optimiser)))
            }
            Optimiser::Sgd(optimiser) => {
                let (of_net, of_optimiser) = recall::<B, _>(bytes, device)?;
                (net.load_record(of_net), Optimiser::Sgd(optimiser.load_record(of_optimiser)))
            }
        };
        (self.net, self.optimiser) = (Some(net), optimiser);
        Ok(())
    }
}

fn record<B: Backend, R: Record<B>>(record: R) -> anyhow::Result<Vec<u8>> {
    let recorder = NamedMpkBytesRecorder::<FullPrecisionSettings>::default();
    Recorder::<B>::record(&recorder, record, ()).map_err(|error| anyhow!("cannot record the run: {error}"))
}

fn recall<B: Backend, R: Record<B>>(bytes: Vec<u8>, device: &Device<B>) -> anyhow::Result<R> {
    let recorder = NamedMpkBytesRecorder::<FullPrecisionSettings>::default();
    Recorder::<B>::load(&recorder, bytes, device)
        .map_err(|error| anyhow!("the checkpoint cannot be read by this program: {error}"))
}

/// One part, as burn-train's workers ask for it.
struct Once<P>(Option<P>);

impl<P> Iterator for Once<P> {
    type Item = P;

    fn next(&mut self) -> Option<P> {
        self.0.take()
    }
}

impl<P> DataLoaderIterator<P> for Once<P> {
    fn progress(&self) -> Progress {
        Progress::new(0, 1)
    }
}
