//! A value network as the quantiser reads it.

use burn::tensor::backend::Backend;

use super::{net::ValueNet, settings::Settings};
use crate::train::{
    export::{Exchange, list},
    layer::Layer,
};

/// Tensors and metadata of a network: `features.weight [704, width]`, `features.bias [width]`, for each dense layer from
/// 0 on `dense.N.weight [inputs, outputs]` and `dense.N.bias [outputs]`, `output.weight [inputs, buckets]` and
/// `output.bias [buckets]`.
///
/// # Errors
/// If they cannot be taken from their device.
pub fn exchange<B: Backend>(net: &ValueNet<B>, settings: &Settings) -> anyhow::Result<Exchange> {
    let names = (0..net.dense.len()).map(|index| format!("dense.{index}"));
    let names = ["features".to_owned()].into_iter().chain(names).chain(["output".to_owned()]);
    let mut exchange = Exchange::default();
    for (name, Layer { weight, bias }) in names.zip(net.layers()) {
        exchange.tensor(format!("{name}.weight"), weight.val())?;
        exchange.tensor(format!("{name}.bias"), bias.val())?;
    }
    exchange.say("name", &settings.name);
    exchange.say("width", settings.width);
    exchange.say("dense", list(&settings.dense));
    exchange.say("buckets", settings.buckets);
    exchange.say("qa", settings.qa);
    exchange.say("qb", settings.qb);
    exchange.say("scale", settings.scale.map(|scale| scale.to_string()).unwrap_or_default());
    Ok(exchange)
}
