//! A policy net in floats, as the trainer makes it.
//!
//! The exchange file is that of a value net, with 896 inputs, 4672 outputs, and a first layer that is seen once.

use engine_core::chess::{Board, Move};
use engine_core::net::blob::Layer;
use engine_core::net::header::{MAX_POLICY_DENSE, PolicyShape};
use engine_core::net::{move_planes, planes};

use crate::float_net::{Layers, Linear, NetError, chain_metadata, check_architecture, in_order, layers, tensors};
use crate::settings::Words;
use crate::weights::{Metadata, Weights};

/// What stands behind each layer but the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// max(x, 0).
    Relu,
    /// clamp(x, 0, 1).
    ClippedRelu,
}

/// A policy net: the planes of a position through layers in a chain, to an output for every move.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatNet {
    /// The first layer.
    pub features: Linear,
    /// The layers between.
    pub dense: Vec<Linear>,
    /// The output.
    pub output: Linear,
    /// What stands behind all but the output.
    pub activation: Activation,
}

impl Activation {
    const ALL: [Self; 2] = [Self::Relu, Self::ClippedRelu];

    /// Its name in the metadata.
    const fn name(self) -> &'static str {
        match self {
            Self::Relu => "relu",
            Self::ClippedRelu => "clipped-relu",
        }
    }

    fn apply(self, sum: f64) -> f64 {
        match self {
            Self::Relu => sum.max(0.0),
            Self::ClippedRelu => sum.clamp(0.0, 1.0),
        }
    }
}

impl FloatNet {
    /// The net that the weights are. Where they do not say what their activation is, it is ReLU.
    ///
    /// # Errors
    /// If a tensor is missing, is one too many, or has the wrong dimensions, or the metadata speaks of another net.
    pub fn from_weights(weights: &Weights) -> Result<Self, NetError> {
        let Layers { features, dense, output } = layers(weights, planes::INPUTS, 1)?;
        if output.units != move_planes::OUTPUTS {
            return Err(NetError::Shape {
                name: "output.weight".into(),
                found: format!("{}x{}", output.inputs, output.units),
                wanted: format!("{} inputs x {} units", output.inputs, move_planes::OUTPUTS),
            });
        }
        check_architecture(chain_metadata(&features, &dense), &weights.metadata)?;
        let activation = match weights.metadata.get("activation") {
            None => Activation::Relu,
            Some(said) => {
                let known = Activation::ALL.into_iter().find(|activation| activation.name() == said.trim());
                known.ok_or_else(|| NetError::Activation(said.clone()))?
            }
        };
        Ok(Self { features, dense, output, activation })
    }

    /// The weights as the exchange file has them.
    #[must_use]
    pub fn to_weights(&self, words: &Words) -> Weights {
        Weights { tensors: tensors(self.layers()), metadata: self.metadata(words) }
    }

    /// What the exchange file says of the net.
    #[must_use]
    pub fn metadata(&self, words: &Words) -> Metadata {
        let mut metadata = words.metadata();
        let architecture = chain_metadata(&self.features, &self.dense);
        metadata.extend(architecture.map(|(name, value)| (name.to_owned(), value)));
        metadata.insert("model".into(), "policy".into());
        metadata.insert("activation".into(), self.activation.name().into());
        metadata
    }

    /// The layers in order, by name.
    pub fn layers(&self) -> impl Iterator<Item = (Layer, &Linear)> {
        in_order(&self.features, &self.dense, &self.output)
    }

    /// What comes out of each layer but the output, for a position that has stood so many times before.
    #[must_use]
    pub fn activations(&self, board: &Board, repetitions: usize) -> Vec<Vec<f64>> {
        let active: Vec<(usize, f64)> = planes::active(board, repetitions).map(|input| (input, 1.0)).collect();
        let mut layers: Vec<Vec<f64>> = vec![self.through(&self.features, &active)];
        for dense in &self.dense {
            let inputs: Vec<(usize, f64)> = layers.last().into_iter().flatten().copied().enumerate().collect();
            layers.push(self.through(dense, &inputs));
        }
        layers
    }

    /// The logits of legal moves of a position that has stood so many times before, in the order of the moves.
    #[must_use]
    pub fn logits(&self, board: &Board, repetitions: usize, moves: &[Move]) -> Vec<f64> {
        let last = self.activations(board, repetitions).pop().unwrap_or_default();
        let logit =
            |&mv: &Move| self.output.sum(move_planes::index(board, mv).into(), last.iter().copied().enumerate());
        moves.iter().map(logit).collect()
    }

    /// The shape that a blob's header says, its fields not yet looked at: layers filled up to what kernels want.
    ///
    /// # Errors
    /// If the header has no room for a number, or for the dense layers.
    pub fn shape(&self, shifts: &[u8]) -> Result<PolicyShape, NetError> {
        let units = |layer: Layer, linear: &Linear| {
            let too_wide = NetError::TooWide { layer, units: linear.units, most: u16::MAX.into() };
            u16::try_from(filled(linear.units)).map_err(|_| too_wide)
        };
        let too_deep = NetError::TooDeep { found: self.dense.len(), most: MAX_POLICY_DENSE };
        let mut dense = heapless::Vec::new();
        for (index, layer) in self.dense.iter().enumerate() {
            dense.push(units(Layer::Dense(index), layer)?).map_err(|_| too_deep.clone())?;
        }
        let shifts = heapless::Vec::from_slice(shifts).map_err(|_| too_deep)?;
        Ok(PolicyShape { width: units(Layer::Features, &self.features)?, dense, shifts })
    }

    /// What a layer and its activation make of the inputs that are not zero.
    fn through(&self, layer: &Linear, inputs: &[(usize, f64)]) -> Vec<f64> {
        let mut sums: Vec<f64> = layer.biases.iter().map(|&bias| bias.into()).collect();
        // By input, as the weights lie.
        for &(input, number) in inputs.iter().filter(|&&(_, number)| number != 0.0) {
            for (sum, &weight) in sums.iter_mut().zip(&layer.weights[input * layer.units..]) {
                *sum += f64::from(weight) * number;
            }
        }
        sums.into_iter().map(|sum| self.activation.apply(sum)).collect()
    }
}

/// So many units, filled up with such as do nothing.
pub(super) const fn filled(units: usize) -> usize {
    units.next_multiple_of(engine_core::net::header::LANES)
}
