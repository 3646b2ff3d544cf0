//! A value net in floats, as the trainer makes it.
//!
//! The exchange file has these tensors, all F32, the last dimension running fastest:
//!
//! ```text
//! features.weight [704, N]       features.bias [N]
//! dense.0.weight  [2N, units]    dense.0.bias  [units]     and so on, or no dense layer at all
//! output.weight   [in, buckets]  output.bias   [buckets]
//! ```

use engine_core::chess::Board;
use engine_core::net::blob::Layer;
use engine_core::net::features::{INPUTS, Perspective, bucket};
use engine_core::net::header::{MAX_DENSE, ValueShape};
use thiserror::Error;

use crate::settings::Settings;
use crate::weights::{Metadata, Tensor, Weights};

/// A layer: what comes in times weights, plus biases.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// How many numbers come in.
    pub inputs: usize,
    /// How many come out.
    pub units: usize,
    /// By input, a weight for each unit.
    pub weights: Vec<f32>,
    /// By unit.
    pub biases: Vec<f32>,
}

/// A value net: two perspectives through one first layer, SCReLU, dense layers if any, and an output for each bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatNet {
    /// The first layer.
    pub features: Linear,
    /// The layers between, each with SCReLU behind it.
    pub dense: Vec<Linear>,
    /// The output.
    pub output: Linear,
}

/// Why weights are no value net.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum NetError {
    /// A tensor is not there.
    #[error("tensor '{0}' is missing")]
    Missing(String),
    /// A tensor is there that no network has.
    #[error("tensor '{0}' belongs to no network: features, dense.0 and so on, and output are its layers")]
    Unknown(String),
    /// A tensor has other dimensions than the layers before it ask for.
    #[error("tensor '{name}' is {found}; {wanted} wanted")]
    Shape { name: String, found: String, wanted: String },
    /// The file's metadata and its tensors do not agree.
    #[error("metadata '{name}' is '{said}', but the tensors say '{found}'")]
    Metadata { name: &'static str, said: String, found: String },
    /// More dense layers than a blob can have.
    #[error("{found} dense layers; {most} at most")]
    TooDeep { found: usize, most: usize },
    /// A layer is wider than any that the header can name.
    #[error("{layer} has {units} units; {most} at most")]
    TooWide { layer: Layer, units: usize, most: usize },
    /// An activation that no policy net has.
    #[error("metadata 'activation' is '{0}': 'relu' or 'clipped-relu' wanted")]
    Activation(String),
}

/// The name of a layer's tensors, before the dot.
#[must_use]
pub fn tensor_name(layer: Layer) -> String {
    match layer {
        Layer::Features => "features".into(),
        Layer::Dense(index) => format!("dense.{index}"),
        Layer::Output => "output".into(),
    }
}

impl FloatNet {
    /// The net that the weights are.
    ///
    /// # Errors
    /// If a tensor is missing, is one too many, or has the wrong dimensions, or the metadata speaks of another net.
    pub fn from_weights(weights: &Weights) -> Result<Self, NetError> {
        let Layers { features, dense, output } = layers(weights, INPUTS, 2)?;
        let net = Self { features, dense, output };
        check_architecture(net.architecture(), &weights.metadata)?;
        Ok(net)
    }

    /// The weights as the exchange file has them.
    #[must_use]
    pub fn to_weights(&self, settings: &Settings) -> Weights {
        Weights { tensors: tensors(self.layers()), metadata: self.metadata(settings) }
    }

    /// What the exchange file says of the net.
    #[must_use]
    pub fn metadata(&self, settings: &Settings) -> Metadata {
        let mut metadata = settings.metadata();
        metadata.extend(self.architecture().map(|(name, value)| (name.to_owned(), value)));
        metadata
    }

    /// Judges a position for its side to move: the logarithmic odds of a win.
    #[must_use]
    pub fn output(&self, board: &Board) -> f64 {
        let us = board.side_to_move();
        let mut activations = Vec::with_capacity(2 * self.features.units);
        for colour in [us, !us] {
            let active: Vec<_> = Perspective::of(board, colour).active(board).map(|input| (input, 1.0)).collect();
            let sum = |unit| self.features.sum(unit, active.iter().copied());
            activations.extend((0..self.features.units).map(sum).map(screlu));
        }
        for dense in &self.dense {
            let inputs = activations.iter().copied().enumerate();
            activations = (0..dense.units).map(|unit| screlu(dense.sum(unit, inputs.clone()))).collect();
        }
        let bucket = bucket(board.occupied().len(), self.output.units);
        self.output.sum(bucket, activations.iter().copied().enumerate())
    }

    /// The layers in order, by name.
    pub fn layers(&self) -> impl Iterator<Item = (Layer, &Linear)> {
        in_order(&self.features, &self.dense, &self.output)
    }

    /// The shape that a blob's header says, its fields not yet looked at.
    ///
    /// # Errors
    /// If the header has no room for a number, or for the dense layers.
    pub fn shape(&self, settings: &Settings) -> Result<ValueShape, NetError> {
        let units = |layer: Layer, linear: &Linear, most: u16| {
            let too_wide = NetError::TooWide { layer, units: linear.units, most: most.into() };
            u16::try_from(linear.units).ok().filter(|&units| units <= most).ok_or(too_wide)
        };
        let mut dense = heapless::Vec::new();
        for (index, layer) in self.dense.iter().enumerate() {
            dense
                .push(units(Layer::Dense(index), layer, u16::MAX)?)
                .map_err(|_| NetError::TooDeep { found: self.dense.len(), most: MAX_DENSE })?;
        }
        Ok(ValueShape {
            width: units(Layer::Features, &self.features, u16::MAX)?,
            dense,
            buckets: units(Layer::Output, &self.output, u8::MAX.into())? as u8,
            qa: settings.qa,
            qb: settings.qb,
            scale: settings.scale,
        })
    }

    /// Its shape, as metadata says it.
    fn architecture(&self) -> [(&'static str, String); 3] {
        let [width, dense] = chain_metadata(&self.features, &self.dense);
        [width, dense, ("buckets", self.output.units.to_string())]
    }
}

/// The layers of a network.
pub(crate) struct Layers {
    pub(crate) features: Linear,
    pub(crate) dense: Vec<Linear>,
    pub(crate) output: Linear,
}

/// All layers that weights are: so many inputs into the first one, whose units come so many times into the next.
pub(crate) fn layers(weights: &Weights, inputs: usize, perspectives: usize) -> Result<Layers, NetError> {
    let mut tensors = Tensors(weights.tensors.iter().collect());
    let features = tensors.layer(Layer::Features, inputs)?;
    let mut dense = Vec::new();
    let mut inputs = perspectives * features.units;
    while tensors.has(Layer::Dense(dense.len())) {
        let layer = tensors.layer(Layer::Dense(dense.len()), inputs)?;
        inputs = layer.units;
        dense.push(layer);
    }
    let output = tensors.layer(Layer::Output, inputs)?;
    match tensors.0.first() {
        Some(tensor) => Err(NetError::Unknown(tensor.name.clone())),
        None => Ok(Layers { features, dense, output }),
    }
}

/// Layers in order, by name.
pub(crate) fn in_order<'a>(
    features: &'a Linear,
    dense: &'a [Linear],
    output: &'a Linear,
) -> impl Iterator<Item = (Layer, &'a Linear)> {
    let dense = dense.iter().enumerate().map(|(index, layer)| (Layer::Dense(index), layer));
    [(Layer::Features, features)].into_iter().chain(dense).chain([(Layer::Output, output)])
}

/// Layers as tensors of the exchange file.
pub(crate) fn tensors<'a>(layers: impl Iterator<Item = (Layer, &'a Linear)>) -> Vec<Tensor> {
    let mut tensors = Vec::new();
    for (layer, linear) in layers {
        let name = tensor_name(layer);
        let Linear { inputs, units, ref weights, ref biases } = *linear;
        tensors.push(Tensor { name: format!("{name}.bias"), shape: vec![units], values: biases.clone() });
        let shape = vec![inputs, units];
        tensors.push(Tensor { name: format!("{name}.weight"), shape, values: weights.clone() });
    }
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    tensors
}

/// The units of the layers before the output, as metadata says them.
pub(crate) fn chain_metadata(features: &Linear, dense: &[Linear]) -> [(&'static str, String); 2] {
    let dense: Vec<String> = dense.iter().map(|layer| layer.units.to_string()).collect();
    [("width", features.units.to_string()), ("dense", dense.join(","))]
}

/// Looks whether metadata speaks of this architecture, or of none.
pub(crate) fn check_architecture(
    architecture: impl IntoIterator<Item = (&'static str, String)>,
    metadata: &Metadata,
) -> Result<(), NetError> {
    for (name, found) in architecture {
        match metadata.get(name) {
            Some(said) if without_blanks(said) != found => {
                return Err(NetError::Metadata { name, said: said.clone(), found });
            }
            _ => {}
        }
    }
    Ok(())
}

impl Linear {
    /// What comes out of a unit, if these numbers come in by these inputs.
    pub(crate) fn sum(&self, unit: usize, inputs: impl Iterator<Item = (usize, f64)>) -> f64 {
        let weighted = inputs.map(|(input, number)| f64::from(self.weights[input * self.units + unit]) * number);
        f64::from(self.biases[unit]) + weighted.sum::<f64>()
    }
}

fn screlu(sum: f64) -> f64 {
    sum.clamp(0.0, 1.0).powi(2)
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The tensors that no layer has taken yet.
struct Tensors<'a>(Vec<&'a Tensor>);

impl<'a> Tensors<'a> {
    fn has(&self, layer: Layer) -> bool {
        let prefix = tensor_name(layer) + ".";
        self.0.iter().any(|tensor| tensor.name.starts_with(&prefix))
    }

    fn take(&mut self, name: String) -> Result<&'a Tensor, NetError> {
        match self.0.iter().position(|tensor| tensor.name == name) {
            Some(index) => Ok(self.0.swap_remove(index)),
            None => Err(NetError::Missing(name)),
        }
    }

    /// Takes a layer of so many inputs.
    fn layer(&mut self, layer: Layer, inputs: usize) -> Result<Linear, NetError> {
        let name = tensor_name(layer);
        let weights = self.take(format!("{name}.weight"))?;
        let biases = self.take(format!("{name}.bias"))?;
        let wrong = |tensor: &Tensor, wanted: String| NetError::Shape {
            name: tensor.name.clone(),
            found: tensor.dimensions(),
            wanted,
        };
        let units = match *weights.shape {
            [found, units] if found == inputs && units > 0 => units,
            _ => return Err(wrong(weights, format!("{inputs} inputs x units"))),
        };
        if *biases.shape != [units] {
            return Err(wrong(biases, units.to_string()));
        }
        Ok(Linear { inputs, units, weights: weights.values.clone(), biases: biases.values.clone() })
    }
}
