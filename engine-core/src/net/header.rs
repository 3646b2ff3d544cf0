//! What a blob says of itself.

use serde::{Deserialize, Serialize};

use super::features::INPUTS;

/// The widest first layer.
pub const MAX_WIDTH: usize = 256;

/// The most dense layers between the first layer and the output.
pub const MAX_DENSE: usize = 3;

/// The most units of a dense layer.
pub const MAX_DENSE_UNITS: usize = 64;

/// The most output buckets.
pub const MAX_BUCKETS: usize = 32;

/// Layers are as wide as a multiple of this, so that kernels need no remainders.
pub const LANES: usize = 16;

/// The header of a blob, stored with postcard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header<'a> {
    /// The network's name.
    pub name: &'a str,
    /// How it was trained, in a line.
    pub record: &'a str,
    /// What it computes, and its shape.
    pub model: Model,
}

/// The uses of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Model {
    /// Judges positions.
    Value(ValueShape),
}

/// The architecture and the fixed point of a value net.
///
/// Two perspectives of [`INPUTS`] inputs go through the same first layer of `width` units; both results, the mover's
/// first, go through SCReLU and the dense layers, if any, and end in one output for each bucket of piece counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueShape {
    /// The units of the first layer, for each perspective.
    pub width: u16,
    /// The units of the dense layers.
    pub dense: heapless::Vec<u16, MAX_DENSE>,
    /// The output buckets.
    pub buckets: u8,
    /// What 1.0 is in the first layer.
    pub qa: u16,
    /// What a weight of 1.0 is in the other layers.
    pub qb: u16,
    /// The centipawns of an output of 1.0.
    pub scale: u16,
}

/// A field of a header that is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ShapeError {
    /// The first layer's width.
    #[error("width is {0}: a multiple of {LANES} from {LANES} to {MAX_WIDTH} wanted")]
    Width(u16),
    /// A dense layer's width.
    #[error("dense layer {layer} has {units} units: a multiple of {LANES} from {LANES} to {MAX_DENSE_UNITS} wanted")]
    Dense { layer: usize, units: u16 },
    /// The number of output buckets.
    #[error("buckets is {0}: 1 to {MAX_BUCKETS} wanted")]
    Buckets(u8),
    /// The first layer's scale.
    #[error("qa is {0}: 64 to 255 wanted")]
    Qa(u16),
    /// The other layers' scale.
    #[error("qb is {0}: 16 to 128 wanted")]
    Qb(u16),
    /// The output's scale.
    #[error("scale is {0}: 50 to 2000 wanted")]
    Scale(u16),
}

impl ValueShape {
    /// Looks whether every field is in its range.
    ///
    /// # Errors
    /// The first field that is not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let lanes = |units: u16, most| units > 0 && usize::from(units) <= most && usize::from(units) % LANES == 0;
        if !lanes(self.width, MAX_WIDTH) {
            return Err(ShapeError::Width(self.width));
        }
        for (layer, &units) in self.dense.iter().enumerate() {
            if !lanes(units, MAX_DENSE_UNITS) {
                return Err(ShapeError::Dense { layer, units });
            }
        }
        if !(1..=MAX_BUCKETS).contains(&usize::from(self.buckets)) {
            return Err(ShapeError::Buckets(self.buckets));
        }
        if !(64..=255).contains(&self.qa) {
            return Err(ShapeError::Qa(self.qa));
        }
        if !(16..=128).contains(&self.qb) {
            return Err(ShapeError::Qb(self.qb));
        }
        if !(50..=2000).contains(&self.scale) {
            return Err(ShapeError::Scale(self.scale));
        }
        Ok(())
    }

    /// The layers after the first, as inputs and units: the dense ones, then the output with a unit for each bucket.
    pub fn later_layers(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let units = || self.dense.iter().map(|&units| usize::from(units));
        let inputs = core::iter::once(2 * usize::from(self.width)).chain(units());
        inputs.zip(units().chain(core::iter::once(usize::from(self.buckets))))
    }

    /// The bytes that the weights take.
    #[must_use]
    pub fn weight_bytes(&self) -> usize {
        let first = usize::from(self.width) * (INPUTS + size_of::<i16>());
        first + self.later_layers().map(|(inputs, units)| units * (inputs + size_of::<i32>())).sum::<usize>()
    }
}
