//! Weights from a file, whatever its format.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use engine_core::net::blob::MAGIC;

use crate::blob::Blob;
use crate::float_net::FloatNet;
use crate::integer_net::IntegerNet;
use crate::settings::{Overrides, Settings};
use crate::weights::{self, Weights};

/// Reads weights: ONNX if the file's name ends so, a blob's if it begins like one, else safetensors.
///
/// # Errors
/// If the file cannot be read, or is damaged.
pub fn read(path: &Path) -> Result<Weights> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx")) {
        return read_onnx(path);
    }
    if is_blob(path)? {
        let net = IntegerNet::from_blob(&Blob::read(path)?)?;
        return Ok(net.dequantise().to_weights(&net.settings()));
    }
    Ok(weights::read(path)?)
}

/// Reads a net, and the settings that go with it.
///
/// # Errors
/// If the file cannot be read, holds no value net, or a setting is missing or wrong.
pub fn read_net(path: &Path, overrides: &Overrides) -> Result<(FloatNet, Settings)> {
    let weights = read(path)?;
    let net = FloatNet::from_weights(&weights).with_context(|| format!("{} is no value net", path.display()))?;
    let settings = Settings::new(overrides, &weights.metadata).with_context(|| path.display().to_string())?;
    Ok((net, settings))
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
