//! Where a run stands, in one file: enough to go on as if it had never stopped.

use std::{fs, path::Path};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use quantize::whole;

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

/// Writes a checkpoint: a line of JSON for the position, then the learner's bytes.
pub fn save(path: &Path, position: &Position, learner: &[u8]) -> anyhow::Result<()> {
    let mut bytes = serde_json::to_vec(position)?;
    bytes.push(b'\n');
    bytes.extend(learner);
    whole::write(path, &bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Reads a checkpoint: the position, and the learner's bytes.
pub fn load(path: &Path) -> anyhow::Result<(Position, Vec<u8>)> {
    let name = path.display();
    let mut bytes = fs::read(path).with_context(|| format!("cannot read {name}, so there is nothing to go on from"))?;
    let end = bytes.iter().position(|&byte| byte == b'\n').with_context(|| format!("{name} is no checkpoint"))?;
    let position = serde_json::from_slice(&bytes[..end]).with_context(|| format!("{name} is no checkpoint"))?;
    bytes.drain(..=end);
    Ok((position, bytes))
}
