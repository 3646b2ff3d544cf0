//! Where a run stands, in one file: enough to go on as if it had never stopped.

use std::{fs, path::Path};

use anyhow::{Context, anyhow};
use burn::{
    module::Module,
    optim::{AdamW, Optimizer, adaptor::OptimizerAdaptor},
    record::{FullPrecisionSettings, NamedMpkBytesRecorder, Recorder},
    tensor::{backend::AutodiffBackend, ops::Device},
};
use serde::{Deserialize, Serialize};

use super::net::ValueNet;
use quantize::whole;

/// The optimiser of a value network.
pub type Optimiser<B> = OptimizerAdaptor<AdamW, ValueNet<B>, B>;

/// What a run knows besides its network and its optimiser.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Steps done. The order of positions follows from it and the seed.
    pub step: usize,
    /// The lowest validation loss so far.
    pub best: Option<f32>,
    /// Losses of the steps since the curve's last row.
    pub losses: Vec<f32>,
}

/// Writes a checkpoint: a line of JSON for the position, then network and optimiser in burn's named MessagePack.
pub fn save<B: AutodiffBackend>(
    path: &Path,
    position: &Position,
    net: &ValueNet<B>,
    optimiser: &Optimiser<B>,
) -> anyhow::Result<()> {
    let recorder = NamedMpkBytesRecorder::<FullPrecisionSettings>::default();
    let record = (net.clone().into_record(), optimiser.to_record());
    let learner: Vec<u8> =
        Recorder::<B>::record(&recorder, record, ()).map_err(|error| anyhow!("cannot record the run: {error}"))?;
    let mut bytes = serde_json::to_vec(position)?;
    bytes.push(b'\n');
    bytes.extend(learner);
    whole::write(path, &bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Reads a checkpoint into a network and an optimiser of the same shape.
pub fn load<B: AutodiffBackend>(
    path: &Path,
    net: ValueNet<B>,
    optimiser: Optimiser<B>,
    device: &Device<B>,
) -> anyhow::Result<(Position, ValueNet<B>, Optimiser<B>)> {
    let name = path.display();
    let bytes = fs::read(path).with_context(|| format!("cannot read {name}, so there is nothing to go on from"))?;
    let end = bytes.iter().position(|&byte| byte == b'\n').with_context(|| format!("{name} is no checkpoint"))?;
    let position = serde_json::from_slice(&bytes[..end]).with_context(|| format!("{name} is no checkpoint"))?;
    let recorder = NamedMpkBytesRecorder::<FullPrecisionSettings>::default();
    let (net_record, optimiser_record) = Recorder::<B>::load(&recorder, bytes[end + 1..].to_vec(), device)
        .map_err(|error| anyhow!("{name} cannot be read by this program: {error}"))?;
    Ok((position, net.load_record(net_record), optimiser.load_record(optimiser_record)))
}
