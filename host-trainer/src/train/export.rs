//! The exchange file between trainer and quantiser: safetensors, with the network's sizes in its metadata.

use std::collections::HashMap;

use anyhow::Context;
use burn::tensor::{Tensor, backend::Backend};
use safetensors::{Dtype, tensor::TensorView};

use super::{
    net::{Layer, ValueNet},
    settings::Settings,
};

/// A network's file, all numbers 32-bit floats: `features.weight [704, width]`, `features.bias [width]`, for each
/// dense layer from 0 on `dense.N.weight [inputs, outputs]` and `dense.N.bias [outputs]`, `output.weight
/// [inputs, buckets]` and `output.bias [buckets]`. `record` is a line on how it was trained.
pub fn safetensors<B: Backend>(net: &ValueNet<B>, settings: &Settings, record: &str) -> anyhow::Result<Vec<u8>> {
    let names = (0..net.dense.len()).map(|index| format!("dense.{index}"));
    let names = ["features".to_owned()].into_iter().chain(names).chain(["output".to_owned()]);
    let mut tensors = Vec::new();
    for (name, Layer { weight, bias }) in names.zip(net.layers()) {
        tensors.push((format!("{name}.weight"), weight.dims().to_vec(), bytes(weight.val())?));
        tensors.push((format!("{name}.bias"), bias.dims().to_vec(), bytes(bias.val())?));
    }
    let views = tensors
        .iter()
        .map(|(name, shape, bytes)| Ok((name, TensorView::new(Dtype::F32, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()?;
    safetensors::serialize(views, Some(metadata(settings, record))).context("cannot write the network as safetensors")
}

fn metadata(settings: &Settings, record: &str) -> HashMap<String, String> {
    let dense: Vec<String> = settings.dense.iter().map(usize::to_string).collect();
    let scale = settings.scale.map(|scale| scale.to_string()).unwrap_or_default();
    let entries = [
        ("name", settings.name.clone()),
        ("width", settings.width.to_string()),
        ("dense", dense.join(",")),
        ("buckets", settings.buckets.to_string()),
        ("qa", settings.qa.to_string()),
        ("qb", settings.qb.to_string()),
        ("scale", scale),
        ("record", record.to_owned()),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn bytes<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> anyhow::Result<Vec<u8>> {
    let values: Vec<f32> = tensor.into_data().to_vec().map_err(|error| anyhow::anyhow!("{error:?}"))?;
    Ok(values.into_iter().flat_map(f32::to_le_bytes).collect())
}
