//! A policy net in integers, as a blob holds it, and the ways there and back.
//!
//! Each unit's weights are scaled so that the largest takes all of eight bits, and a multiplier of its own brings its
//! sums to the scale of its layer: "per-channel" weights, "per-tensor" activations, nothing retrained. The scale of a
//! layer is the largest activation that it has in some positions, or 1.0 where the net clips there itself.
//!
//! Source: Krishnamoorthi, "Quantizing deep convolutional networks for efficient inference: A whitepaper", 2018.

use engine_core::chess::Board;
use engine_core::net::BlobError;
use engine_core::net::blob::{self, Layer};
use engine_core::net::header::{Header, MAX_SHIFT, Model, PolicyShape};
use engine_core::net::{LOGIT_ONE, move_planes, planes};

use super::float_net::{Activation, FloatNet, filled};
use crate::blob::Blob;
use crate::fixed;
use crate::float_net::{Linear, tensor_name};
use crate::integer_net::{Entry, QuantiseError, Rest, Units, assemble, transposed};
use crate::settings::Words;

/// The largest magnitude of a weight, so that all have an opposite.
const MAX_WEIGHT: f64 = 127.0;

/// The largest activation.
const MAX_ACTIVATION: f64 = 127.0;

/// The largest magnitude of a first layer's bias: what 16 bits leave beside all the weights that can be active.
const MAX_FIRST_BIAS: f64 = (i16::MAX as i32 - 128 * planes::MAX_ACTIVE as i32) as f64;

/// A policy net in integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegerNet {
    /// Its name.
    pub name: String,
    /// How it was trained, in a line.
    pub record: String,
    /// Its architecture and shifts.
    pub shape: PolicyShape,
    /// The first layer's weights: by input, one for each unit.
    pub columns: Vec<i8>,
    /// The first layer's biases.
    pub biases: Vec<i16>,
    /// The first layer's multipliers.
    pub multipliers: Vec<u16>,
    /// The dense layers, and the output last.
    pub later: Vec<Scaled>,
}

/// A layer after the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scaled {
    /// Its weights and biases.
    pub units: Units,
    /// By unit.
    pub multipliers: Vec<u16>,
}

/// A layer whose units are rounded, each at a scale of its own.
struct Rounded {
    /// By input.
    weights: Vec<i8>,
    biases: Vec<i32>,
    /// By unit, what a weight of 1.0 became.
    scales: Vec<f64>,
}

impl IntegerNet {
    /// Rounds a net, and tells what that did to each tensor. How large activations become is seen in the positions.
    ///
    /// # Errors
    /// If the shape is no blob's, or a layer has weights beyond all measure.
    pub fn quantise(net: &FloatNet, words: &Words, boards: &[Board]) -> Result<(Self, Vec<Entry>), QuantiseError> {
        let most = largest_activations(net, boards);
        let mut entries = Vec::new();
        let mut shifts = Vec::new();
        let mut rounded = Vec::new();
        let mut inputs_one = 1.0;
        for (index, (layer, linear)) in net.layers().enumerate() {
            let most_bias = match layer {
                Layer::Features => MAX_FIRST_BIAS,
                _ => f64::from(i32::MAX) - linear.inputs as f64 * MAX_WEIGHT * MAX_ACTIVATION,
            };
            let integers = round(linear, inputs_one, most_bias);
            // An output has no activation, but a scale for all its logits.
            let one = most.get(index).map_or(f64::from(LOGIT_ONE), |most| MAX_ACTIVATION / most);
            let factors: Vec<f64> = integers.scales.iter().map(|scale| one / (scale * inputs_one)).collect();
            let (multipliers, shift) = multipliers(&factors).ok_or(QuantiseError::Multipliers(layer))?;
            entries.extend(entries_of(layer, linear, &integers, inputs_one));
            shifts.push(shift);
            rounded.push((integers, multipliers, linear.inputs, linear.units));
            inputs_one = one;
        }
        let shape = net.shape(&shifts)?;
        shape.check()?;

        let mut rounded = rounded.into_iter();
        let (columns, biases, multipliers) = match rounded.next() {
            Some((first, multipliers, _, units)) => (
                widened(&first.weights, units, filled(units)),
                extended(first.biases, filled(units)).into_iter().map(|bias| bias as i16).collect(),
                extended(multipliers, filled(units)),
            ),
            None => (Vec::new(), Vec::new(), Vec::new()),
        };
        let later = rounded.map(|(integers, multipliers, inputs, units)| {
            let rows = widened(&transposed(&integers.weights, units), inputs, filled(inputs));
            let weights = extended(rows, filled(units) * filled(inputs));
            let units_of = Units { inputs: filled(inputs), weights, biases: extended(integers.biases, filled(units)) };
            Scaled { units: units_of, multipliers: extended(multipliers, filled(units)) }
        });
        let later = later.collect();
        let (name, record) = (words.name.clone(), words.record.clone());
        Ok((Self { name, record, shape, columns, biases, multipliers, later }, entries))
    }

    /// The net in a blob.
    ///
    /// # Errors
    /// If it is no policy net.
    pub fn from_blob(blob: &Blob) -> Result<Self, BlobError> {
        let (header, weights) = blob::open(blob.bytes())?;
        let found = header.model.name();
        let Model::Policy(shape) = header.model else { return Err(BlobError::Model { wanted: "policy net", found }) };
        let width = usize::from(shape.width);
        // As many as the shape says: the engine has loaded the blob.
        let mut rest = Rest(weights);
        let (columns, biases, multipliers) = (rest.take(planes::INPUTS * width), rest.take(width), rest.take(width));
        let later = shape.later_layers().map(|(inputs, units)| Scaled {
            units: Units { inputs, weights: rest.take(inputs * units), biases: rest.take(units) },
            multipliers: rest.take(units),
        });
        let later = later.collect();
        Ok(Self { name: header.name.into(), record: header.record.into(), shape, columns, biases, multipliers, later })
    }

    /// The layers after the first, by name.
    pub fn later(&self) -> impl Iterator<Item = (Layer, &Scaled)> {
        let dense = self.later.len().saturating_sub(1);
        let name = move |index| if index == dense { Layer::Output } else { Layer::Dense(index) };
        self.later.iter().enumerate().map(move |(index, layer)| (name(index), layer))
    }

    /// The blob of the net, which the engine has loaded once.
    ///
    /// # Errors
    /// If name and record are too long, or the engine refuses it.
    pub fn to_blob(&self) -> Result<Blob, QuantiseError> {
        let mut weights: Vec<u8> = bytemuck::cast_slice(&self.columns).to_vec();
        weights.extend(self.biases.iter().flat_map(|bias| bias.to_le_bytes()));
        weights.extend(self.multipliers.iter().flat_map(|multiplier| multiplier.to_le_bytes()));
        for Scaled { units, multipliers } in &self.later {
            weights.extend_from_slice(bytemuck::cast_slice(&units.weights));
            weights.extend(units.biases.iter().flat_map(|bias| bias.to_le_bytes()));
            weights.extend(multipliers.iter().flat_map(|multiplier| multiplier.to_le_bytes()));
        }
        let header = Header { name: &self.name, record: &self.record, model: Model::Policy(self.shape.clone()) };
        assemble(&header, &weights)
    }

    /// The floats that the integers stand for, if an activation of 127 is 1.0.
    #[must_use]
    pub fn dequantise(&self) -> FloatNet {
        let mut shifts = self.shape.shifts.iter().map(|&shift| f64::from(shift).exp2());
        let mut shift = || shifts.next().unwrap_or(1.0);
        let features = floats(&self.columns, &self.biases, &self.multipliers, shift(), 1.0, MAX_ACTIVATION);
        let mut dense = Vec::new();
        let mut output = Linear { inputs: 0, units: 0, weights: Vec::new(), biases: Vec::new() };
        for (layer, Scaled { units, multipliers }) in self.later() {
            let columns = transposed(&units.weights, units.inputs);
            let one = if layer == Layer::Output { f64::from(LOGIT_ONE) } else { MAX_ACTIVATION };
            let linear = floats(&columns, &units.biases, multipliers, shift(), MAX_ACTIVATION, one);
            match layer {
                Layer::Output => output = linear,
                _ => dense.push(linear),
            }
        }
        FloatNet { features, dense, output, activation: Activation::ClippedRelu }
    }

    /// The words of its header.
    #[must_use]
    pub fn words(&self) -> Words {
        Words { name: self.name.clone(), record: self.record.clone() }
    }
}

/// For each layer but the output, what its scale is made for: the largest activation in these positions.
fn largest_activations(net: &FloatNet, boards: &[Board]) -> Vec<f64> {
    let mut most = vec![0.0f64; net.dense.len() + 1];
    match net.activation {
        Activation::ClippedRelu => most.fill(1.0),
        Activation::Relu => {
            for board in boards {
                for (most, layer) in most.iter_mut().zip(net.activations(board, 0)) {
                    *most = layer.into_iter().fold(*most, f64::max);
                }
            }
        }
    }
    // A layer that never says anything may have any scale.
    most.into_iter().map(|most| if most > 0.0 { most } else { 1.0 }).collect()
}

/// Rounds a layer into which 1.0 comes as `inputs_one`, with biases up to `most_bias`.
fn round(linear: &Linear, inputs_one: f64, most_bias: f64) -> Rounded {
    let mut largest = vec![0.0f64; linear.units];
    for column in linear.weights.chunks(linear.units) {
        for (largest, &weight) in largest.iter_mut().zip(column) {
            *largest = largest.max(f64::from(weight).abs());
        }
    }
    let scale = |(&largest, &bias): (&f64, &f32)| {
        let scale = (MAX_WEIGHT / largest).min(most_bias / (f64::from(bias).abs() * inputs_one));
        // A unit of zeros is one at any scale.
        if scale.is_finite() { scale } else { 1.0 }
    };
    let scales: Vec<f64> = largest.iter().zip(&linear.biases).map(scale).collect();
    let round = |(&weight, scale): (&f32, &f64)| (f64::from(weight) * scale).round() as i8;
    let weights =
        linear.weights.chunks(linear.units).flat_map(|column| column.iter().zip(&scales).map(round)).collect();
    let bias = |(&bias, scale): (&f32, &f64)| (f64::from(bias) * scale * inputs_one).round() as i32;
    let biases = linear.biases.iter().zip(&scales).map(bias).collect();
    Rounded { weights, biases, scales }
}

/// Factors as 16-bit numbers over a power of two, and its exponent; `None` if one is too large for that.
fn multipliers(factors: &[f64]) -> Option<(Vec<u16>, u8)> {
    let largest = factors.iter().copied().fold(0.0, f64::max);
    let fits = |shift: &u8| largest * f64::from(*shift).exp2() < f64::from(u16::MAX) + 0.5;
    let shift = (0..=MAX_SHIFT).rev().find(fits)?;
    Some((factors.iter().map(|factor| (factor * f64::from(shift).exp2()).round() as u16).collect(), shift))
}

/// What became of a layer's two tensors. The scale is that of the unit with the coarsest.
fn entries_of(layer: Layer, linear: &Linear, integers: &Rounded, inputs_one: f64) -> [Entry; 2] {
    let thousandths = |scale: f64| (scale * 1000.0).round() / 1000.0;
    let scale = integers.scales.iter().copied().fold(f64::INFINITY, f64::min);
    let scales = integers.scales.iter().cycle();
    let weights = linear.weights.iter().zip(integers.weights.iter().zip(scales));
    let weights: Vec<(f32, f32)> =
        weights.map(|(&weight, (&rounded, scale))| (weight, (f64::from(rounded) / scale) as f32)).collect();
    let biases = linear.biases.iter().zip(integers.biases.iter().zip(&integers.scales));
    let biases: Vec<(f32, f32)> =
        biases.map(|(&bias, (&rounded, scale))| (bias, (f64::from(rounded) / (scale * inputs_one)) as f32)).collect();
    let bias_bytes = if layer == Layer::Features { size_of::<i16>() } else { size_of::<i32>() };
    let name = tensor_name(layer);
    [
        Entry {
            tensor: format!("{name}.weight"),
            shape: format!("{}x{}", linear.inputs, linear.units),
            scale: thousandths(scale),
            bytes: weights.len(),
            cost: fixed::cost_of_pairs(weights.into_iter()),
        },
        Entry {
            tensor: format!("{name}.bias"),
            shape: linear.units.to_string(),
            scale: thousandths(scale * inputs_one),
            bytes: biases.len() * bias_bytes,
            cost: fixed::cost_of_pairs(biases.into_iter()),
        },
    ]
}

/// The floats of a layer: by input, its weights; 1.0 comes in as `inputs_one`, and goes out as `one`.
fn floats<B: Copy + Into<f64>>(
    columns: &[i8],
    biases: &[B],
    multipliers: &[u16],
    shifted: f64,
    inputs_one: f64,
    one: f64,
) -> Linear {
    let units = biases.len();
    let factors: Vec<f64> = multipliers.iter().map(|&multiplier| f64::from(multiplier) / shifted / one).collect();
    let weights = columns.iter().zip(factors.iter().cycle());
    let weights = weights.map(|(&weight, factor)| (f64::from(weight) * factor * inputs_one) as f32).collect();
    let biases = biases.iter().zip(&factors).map(|(&bias, factor)| (bias.into() * factor) as f32).collect();
    Linear { inputs: columns.len() / units, units, weights, biases }
}

/// Rows of so many numbers, each filled up with zeros.
fn widened(rows: &[i8], from: usize, to: usize) -> Vec<i8> {
    rows.chunks(from).flat_map(|row| row.iter().copied().chain(std::iter::repeat_n(0, to - from))).collect()
}

/// Numbers filled up with zeros.
fn extended<T: Clone + Default>(mut numbers: Vec<T>, length: usize) -> Vec<T> {
    numbers.resize(length, T::default());
    numbers
}

// An output has a unit for each move and no more.
const _: () = assert!(filled(move_planes::OUTPUTS) == move_planes::OUTPUTS, "no output is filled up");
