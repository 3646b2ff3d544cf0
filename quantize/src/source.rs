//! Weights from a file, whatever its format.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use engine_core::net::blob::MAGIC;
use engine_core::net::header::Model;

use crate::blob::Blob;
use crate::float_net::FloatNet;
use crate::integer_net::IntegerNet;
use crate::policy;
use crate::settings::{Overrides, Settings, Words};
use crate::weights::{self, Weights};

/// A net in floats, and what goes into its blob's header besides the shape.
#[derive(Clone, Debug)]
pub enum Net {
    /// It judges positions.
    Value(FloatNet, Settings),
    /// It chooses moves.
    Policy(policy::FloatNet, Words),
}

/// Reads weights: ONNX if the file's name ends so, a blob's if it begins like one, else safetensors.
///
/// # Errors
/// If the file cannot be read, or is damaged.
pub fn read(path: &Path) -> Result<Weights> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx")) {
        return read_onnx(path);
    }
    if is_blob(path)? {
        return weights_of_blob(&Blob::read(path)?);
    }
    Ok(weights::read(path)?)
}

/// The floats that a blob's integers stand for.
///
/// # Errors
/// If it holds no network.
pub fn weights_of_blob(blob: &Blob) -> Result<Weights> {
    Ok(match blob.header()?.model {
        Model::Value(_) => {
            let net = IntegerNet::from_blob(blob)?;
            net.dequantise().to_weights(&net.settings())
        }
        Model::Policy(_) => {
            let net = policy::IntegerNet::from_blob(blob)?;
            net.dequantise().to_weights(&net.words())
        }
        Model::MoveOrder(_) => bail!("a move-order model is no network: there are no floats behind its integers"),
    })
}

/// Reads a net, and the settings that go with it.
///
/// # Errors
/// If the file cannot be read, holds no net, or a setting is missing or wrong.
pub fn read_net(path: &Path, overrides: &Overrides) -> Result<Net> {
    let weights = read(path)?;
    let file = || path.display().to_string();
    if is_policy(&weights).with_context(file)? {
        let net = policy::FloatNet::from_weights(&weights);
        let net = net.with_context(|| format!("{} is no policy net", path.display()))?;
        return Ok(Net::Policy(net, Words::of_policy(overrides, &weights.metadata).with_context(file)?));
    }
    let net = FloatNet::from_weights(&weights).with_context(|| format!("{} is no value net", path.display()))?;
    Ok(Net::Value(net, Settings::new(overrides, &weights.metadata).with_context(file)?))
}

/// Whether weights say that they are a policy net; without a word of it they are a value net.
///
/// # Errors
/// If they say that they are something else.
pub fn is_policy(weights: &Weights) -> Result<bool> {
    match weights.metadata.get("model").map(|model| model.trim()) {
        None | Some("value") => Ok(false),
        Some("policy") => Ok(true),
        Some(other) => bail!("metadata 'model' is '{}': 'value' or 'policy' wanted", other.escape_debug()),
    }
}

/// Whether a file begins as a blob does.
///
/// # Errors
/// If it cannot be read.
pub fn is_blob(path: &Path) -> Result<bool> {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start));
    read.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(start == MAGIC)
}

#[cfg(feature = "onnx")]
fn read_onnx(path: &Path) -> Result<Weights> {
    crate::onnx::read::file(path)
}

#[cfg(not(feature = "onnx"))]
fn read_onnx(path: &Path) -> Result<Weights> {
    anyhow::bail!("{}: this program was built without ONNX (cargo feature 'onnx')", path.display())
}
