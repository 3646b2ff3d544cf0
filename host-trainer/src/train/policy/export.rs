//! A policy network as the quantiser reads it.

use burn::tensor::{Tensor, backend::Backend};

use super::{net::PolicyNet, settings::Settings};
use crate::train::export::{Exchange, list};

/// Tensors and metadata of a network: `features.weight [896, width]`, `features.bias [width]`, for each further layer
/// from 0 on `dense.N.weight [inputs, outputs]` and `dense.N.bias [outputs]`, `output.weight [inputs, 4672]` and
/// `output.bias [4672]`.
///
/// # Errors
/// If they cannot be taken from their device.
pub fn exchange<B: Backend>(net: &PolicyNet<B>, settings: &Settings) -> anyhow::Result<Exchange> {
    let mut exchange = Exchange::default();
    let mut layer = |name: &str, weight: Tensor<B, 2>, bias: Tensor<B, 1>| {
        exchange.tensor(format!("{name}.weight"), weight)?;
        exchange.tensor(format!("{name}.bias"), bias)
    };
    layer("features", net.features.weight.val(), net.features.bias.val())?;
    for (index, dense) in net.dense.iter().enumerate() {
        layer(&format!("dense.{index}"), dense.weight.val(), dense.bias.val())?;
    }
    layer("output", net.output.weight.val().transpose(), net.output.bias.val())?;
    let (width, dense) = settings.layers.split_first().unwrap_or((&0, &[]));
    exchange.say("model", "policy");
    exchange.say("activation", "relu");
    exchange.say("name", &settings.name);
    exchange.say("width", width);
    exchange.say("dense", list(dense));
    Ok(exchange)
}
