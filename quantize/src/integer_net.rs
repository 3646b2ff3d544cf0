//! A value net in integers, as a blob holds it, and the ways there and back.

use std::fmt;

use engine_core::net::BlobError;
use engine_core::net::blob::{self, Layer};
use engine_core::net::features::INPUTS;
use engine_core::net::header::{Header, Model, ShapeError, ValueShape};
use thiserror::Error;

use crate::blob::Blob;
use crate::fixed::{self, Cost, Scale};
use crate::float_net::{FloatNet, Linear, NetError, tensor_name};
use crate::settings::Settings;

/// A value net in integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegerNet {
    /// Its name.
    pub name: String,
    /// How it was trained, in a line.
    pub record: String,
    /// Its architecture and scales.
    pub shape: ValueShape,
    /// The first layer's weights: by input, one for each unit.
    pub columns: Vec<i8>,
    /// The first layer's biases.
    pub biases: Vec<i16>,
    /// The dense layers.
    pub dense: Vec<Units>,
    /// The output, with a unit for each bucket.
    pub output: Units,
}

/// A layer after the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units {
    /// How many activations come in.
    pub inputs: usize,
    /// By unit, a weight for each input.
    pub weights: Vec<i8>,
    /// By unit.
    pub biases: Vec<i32>,
}

/// What became of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The tensor's name.
    pub tensor: String,
    /// Its dimensions.
    pub shape: String,
    /// What 1.0 became.
    pub scale: f64,
    /// The bytes that it takes in the blob.
    pub bytes: usize,
    /// What rounding it cost.
    pub cost: Cost,
}

/// Something that does not fit its integers.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words it becomes say what the fields are")]
pub enum Misfit {
    /// Weights beyond eight bits.
    Weights { layer: Layer, count: usize, of: usize, worst: f32, scale: u16, fit: Option<u16> },
    /// A bias beyond its bits.
    Bias { layer: Layer, unit: usize, bias: f32, most: f64, bits: u32 },
}

/// The bytes of the longest header.
const HEADER_BYTES: usize = blob::MAX_HEADER - blob::ALIGNMENT;

/// Why a net cannot be put in integers.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum QuantiseError {
    /// It has not the architecture of a value net.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The header allows no such shape.
    #[error("a blob cannot hold this net")]
    Shape(#[from] ShapeError),
    /// Weights or biases are too large.
    #[error("the net does not fit its integers:{}", lines(.0))]
    Misfits(Vec<Misfit>),
    /// Name and record are too long.
    #[error("name and record are {0} bytes; a header has {HEADER_BYTES} for all it says")]
    Words(usize),
    /// The engine refuses the blob.
    #[error("the engine refuses the net")]
    Engine(#[source] BlobError),
}

/// Each on a line of its own.
fn lines(misfits: &[Misfit]) -> String {
    misfits.iter().map(|misfit| format!("\n  {misfit}")).collect()
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Weights { layer, count, of, worst, scale, fit } => {
                let option = if layer == Layer::Features { "qa" } else { "qb" };
                let becomes = (worst * f32::from(scale)).round();
                write!(
                    f,
                    "{layer}: {count} of {of} weights are beyond 8 bits at {option} {scale}, the largest {worst} "
                )?;
                write!(f, "({becomes}); ")?;
                match fit {
                    Some(fit) => write!(f, "all fit at {option} {fit}")?,
                    None => write!(f, "they fit at no {option}")?,
                }
                f.write_str("; --clip cuts them off")
            }
            Self::Bias { layer, unit, bias, most, bits } => {
                write!(f, "{layer}: the bias of unit {unit} is {bias}; less than {most:.3} fits {bits} bits")
            }
        }
    }
}

impl IntegerNet {
    /// Rounds a net, and tells what that did to each tensor. Weights beyond eight bits are cut off if `clip` says so.
    ///
    /// # Errors
    /// If the shape is no blob's, or something does not fit; then everything that does not is listed.
    pub fn quantise(net: &FloatNet, settings: &Settings, clip: bool) -> Result<(Self, Vec<Entry>), QuantiseError> {
        let shape = net.shape(settings)?;
        shape.check()?;
        let scales = fixed::scales(&shape);
        let mut rounding = Rounding { clip, entries: Vec::new(), misfits: Vec::new() };
        let columns = rounding.weights(Layer::Features, &net.features, scales.features.weight);
        let biases = rounding.biases(Layer::Features, &net.features, scales.features.bias);
        let dense = net.dense.iter().zip(scales.dense).enumerate();
        let dense = dense.map(|(index, (linear, scale))| rounding.units(Layer::Dense(index), linear, scale)).collect();
        let output = rounding.units(Layer::Output, &net.output, scales.output);
        if !rounding.misfits.is_empty() {
            return Err(QuantiseError::Misfits(rounding.misfits));
        }
        let (name, record) = (settings.name.clone(), settings.record.clone());
        Ok((Self { name, record, shape, columns, biases, dense, output }, rounding.entries))
    }

    /// The net in a blob.
    ///
    /// # Errors
    /// None that [`Blob::new`] has not had.
    pub fn from_blob(blob: &Blob) -> Result<Self, BlobError> {
        let (header, weights) = blob::open(blob.bytes())?;
        let Model::Value(shape) = header.model else {
            return Err(BlobError::Model { wanted: "value net", found: header.model.name() });
        };
        let width = usize::from(shape.width);
        // As many as the shape says: the engine has loaded the blob.
        let mut rest = Rest(weights);
        let (columns, biases) = (rest.take(INPUTS * width), rest.take(width));
        let mut inputs = 2 * width;
        let mut layer = |units: usize| {
            let layer = Units { inputs, weights: rest.take(inputs * units), biases: rest.take(units) };
            inputs = units;
            layer
        };
        let dense = shape.dense.iter().map(|&units| layer(units.into())).collect();
        let output = layer(shape.buckets.into());
        Ok(Self { name: header.name.into(), record: header.record.into(), shape, columns, biases, dense, output })
    }

    /// The layers after the first, by name.
    pub fn later(&self) -> impl Iterator<Item = (Layer, &Units)> {
        let dense = self.dense.iter().enumerate().map(|(index, layer)| (Layer::Dense(index), layer));
        dense.chain([(Layer::Output, &self.output)])
    }

    /// The blob of the net, which the engine has loaded once.
    ///
    /// # Errors
    /// If name and record are too long, or the engine refuses it.
    pub fn to_blob(&self) -> Result<Blob, QuantiseError> {
        let mut weights: Vec<u8> = bytemuck::cast_slice(&self.columns).to_vec();
        weights.extend(self.biases.iter().flat_map(|bias| bias.to_le_bytes()));
        for (_, layer) in self.later() {
            weights.extend_from_slice(bytemuck::cast_slice(&layer.weights));
            weights.extend(layer.biases.iter().flat_map(|bias| bias.to_le_bytes()));
        }
        let header = Header { name: &self.name, record: &self.record, model: Model::Value(self.shape.clone()) };
        let front = blob::front(&header, &weights);
        let front = front.map_err(|_| QuantiseError::Words(self.name.len() + self.record.len()))?;
        Blob::new(&[&front, &weights[..]].concat()).map_err(QuantiseError::Engine)
    }

    /// The floats that the integers stand for.
    #[must_use]
    pub fn dequantise(&self) -> FloatNet {
        let scales = fixed::scales(&self.shape);
        let features = Linear {
            inputs: INPUTS,
            units: self.biases.len(),
            weights: floats(&self.columns, scales.features.weight),
            biases: self.biases.iter().map(|&bias| (f64::from(bias) / scales.features.bias) as f32).collect(),
        };
        let dense = self.dense.iter().zip(scales.dense).map(|(layer, scale)| layer.dequantise(scale)).collect();
        FloatNet { features, dense, output: self.output.dequantise(scales.output) }
    }

    /// The settings that it was made with.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let ValueShape { qa, qb, scale, .. } = self.shape;
        Settings { name: self.name.clone(), record: self.record.clone(), qa, qb, scale }
    }
}

impl Units {
    fn dequantise(&self, scale: Scale) -> Linear {
        Linear {
            inputs: self.inputs,
            units: self.biases.len(),
            weights: floats(&transposed(&self.weights, self.inputs), scale.weight),
            biases: self.biases.iter().map(|&bias| (f64::from(bias) / scale.bias) as f32).collect(),
        }
    }
}

fn floats(weights: &[i8], scale: u16) -> Vec<f32> {
    weights.iter().map(|&weight| f32::from(weight) / f32::from(scale)).collect()
}

/// Rows of so many numbers as columns.
fn transposed<T: Copy>(rows: &[T], length: usize) -> Vec<T> {
    (0..length).flat_map(|column| rows.iter().skip(column).step_by(length).copied()).collect()
}

/// Rounds layers, and notes what that does to them.
struct Rounding {
    clip: bool,
    entries: Vec<Entry>,
    misfits: Vec<Misfit>,
}

impl Rounding {
    /// A layer after the first.
    fn units(&mut self, layer: Layer, linear: &Linear, scale: Scale) -> Units {
        let weights = transposed(&self.weights(layer, linear, scale.weight), linear.units);
        Units { inputs: linear.inputs, weights, biases: self.biases(layer, linear, scale.bias) }
    }

    /// The weights of a layer, by input.
    fn weights(&mut self, layer: Layer, linear: &Linear, scale: u16) -> Vec<i8> {
        let weights = &linear.weights;
        let cost = fixed::cost(weights, scale.into());
        if cost.clipped > 0 && !self.clip {
            let larger = |worst: f32, &weight: &f32| if weight.abs() > worst.abs() { weight } else { worst };
            self.misfits.push(Misfit::Weights {
                layer,
                count: cost.clipped,
                of: weights.len(),
                worst: weights.iter().fold(0.0, larger),
                scale,
                fit: fixed::largest_fit(weights, scale),
            });
        }
        self.entries.push(Entry {
            tensor: tensor_name(layer) + ".weight",
            shape: format!("{}x{}", linear.inputs, linear.units),
            scale: scale.into(),
            bytes: weights.len(),
            cost,
        });
        weights.iter().map(|&weight| fixed::round(weight, scale.into())).collect()
    }

    /// The biases of a layer; those that do not fit are left out, and noted.
    fn biases<T: TryFrom<i64> + Copy>(&mut self, layer: Layer, linear: &Linear, scale: f64) -> Vec<T>
    where
        f64: From<T>,
    {
        let bits = u8::BITS * size_of::<T>() as u32;
        let mut rounded = Vec::new();
        for (unit, &bias) in linear.biases.iter().enumerate() {
            match fixed::round_bias(bias, scale) {
                Some(bias) => rounded.push(bias),
                None => {
                    let most = 2.0f64.powi(bits as i32 - 1) / scale;
                    self.misfits.push(Misfit::Bias { layer, unit, bias, most, bits });
                }
            }
        }
        let pairs = linear.biases.iter().zip(&rounded);
        self.entries.push(Entry {
            tensor: tensor_name(layer) + ".bias",
            shape: linear.units.to_string(),
            scale,
            bytes: size_of_val(&rounded[..]),
            cost: fixed::cost_of_pairs(pairs.map(|(&bias, &rounded)| (bias, (f64::from(rounded) / scale) as f32))),
        });
        rounded
    }
}

/// The weights of a blob that no layer has taken yet.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take<T: bytemuck::Pod>(&mut self, count: usize) -> Vec<T> {
        let (bytes, rest) = self.0.split_at(count * size_of::<T>());
        self.0 = rest;
        let mut numbers = vec![T::zeroed(); count];
        bytemuck::cast_slice_mut(&mut numbers).copy_from_slice(bytes);
        numbers
    }
}
