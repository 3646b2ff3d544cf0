//! What a blob says of itself.

use serde::{Deserialize, Serialize};

use super::features::INPUTS;
use super::move_order::features::FEATURES;
use super::move_order::prior;
use super::{move_planes, planes};

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

/// The most dense layers of a policy net between its first layer and the output.
pub const MAX_POLICY_DENSE: usize = 7;

/// The most units of a layer of a policy net before the output: what a board has memory for, and on a desktop more.
pub const MAX_POLICY_UNITS: usize = if cfg!(feature = "large-tables") { 1024 } else { 256 };

/// The most that the products with a policy net's multipliers are shifted.
pub const MAX_SHIFT: u8 = 46;

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
    /// Chooses moves.
    Policy(PolicyShape),
    /// Tells good moves from bad ones, so that they are searched first.
    MoveOrder(MoveOrderShape),
}

impl Model {
    /// What such a network is called.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Value(_) => "value net",
            Self::Policy(_) => "policy net",
            Self::MoveOrder(_) => "move-order model",
        }
    }
}

/// The most centres of good moves, and of bad ones.
pub const MAX_CENTRES: usize = 64;

/// The most stages of the game that a prior tells apart.
pub const MAX_STAGES: usize = 8;

/// The kinds of models that order moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MoveOrderShape {
    /// Centres of good and of bad moves.
    Clusters(ClusterShape),
    /// A weight for each thing that a move does.
    Prior(PriorShape),
}

/// How far apart two moves are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Distance {
    /// The sum of the differences.
    Manhattan,
    /// The root of the sum of their squares.
    Euclidean,
}

/// The shape of a model that knows centres of good and of bad moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterShape {
    /// Centres of good moves.
    pub good: u8,
    /// Centres of bad moves.
    pub bad: u8,
    /// How a move's distance to them is measured.
    pub distance: Distance,
    /// Whether a coordinate mixes all features, by a row of a matrix, or is one feature with a scale of its own.
    pub mixed: bool,
    /// What a difference of distances of 256 counts in the order of moves.
    pub scale: u16,
}

/// The shape of a model that knows weights of what a move does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorShape {
    /// Stages of the game, by the number of pieces, that have weights of their own.
    pub stages: u8,
    /// What a sum of weights of 16 counts in the order of moves.
    pub scale: u16,
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

/// The architecture and the fixed point of a policy net.
///
/// The [planes] of a position go through a first layer of `width` units and the dense layers, if any,
/// and end in one output for each of the [numbers](super::move_planes) that moves have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyShape {
    /// The units of the first layer.
    pub width: u16,
    /// The units of the dense layers.
    pub dense: heapless::Vec<u16, MAX_POLICY_DENSE>,
    /// For each layer, the first and the output too, how far the products with its multipliers are shifted.
    pub shifts: heapless::Vec<u8, { MAX_POLICY_DENSE + 2 }>,
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
    /// The width of a policy net's first layer.
    #[error("width is {0}: a multiple of {LANES} from {LANES} to {MAX_POLICY_UNITS} wanted")]
    PolicyWidth(u16),
    /// The width of a policy net's dense layer.
    #[error("dense layer {layer} has {units} units: a multiple of {LANES} from {LANES} to {MAX_POLICY_UNITS} wanted")]
    PolicyDense { layer: usize, units: u16 },
    /// The number of shifts.
    #[error("{found} shifts: {wanted} wanted, one for each layer")]
    Shifts { wanted: usize, found: usize },
    /// A shift.
    #[error("shift {layer} is {shift}: 0 to {MAX_SHIFT} wanted")]
    Shift { layer: usize, shift: u8 },
    /// The number of centres.
    #[error("there are {0} centres of a kind: 1 to {MAX_CENTRES} wanted")]
    Centres(u8),
    /// The number of stages.
    #[error("stages is {0}: 1 to {MAX_STAGES} wanted")]
    Stages(u8),
    /// The scale of an order of moves.
    #[error("the scale of the move order is {0}: 1 to {MAX_ORDER_SCALE} wanted")]
    OrderScale(u16),
}

/// Whether kernels can compute a layer of so many units, at most so many.
fn fits(units: u16, most: usize) -> bool {
    units > 0 && usize::from(units) <= most && usize::from(units).is_multiple_of(LANES)
}

/// The greatest scale of an order of moves.
pub const MAX_ORDER_SCALE: u16 = 8192;

impl MoveOrderShape {
    /// Looks whether every field is in its range.
    ///
    /// # Errors
    /// The first field that is not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let scale = match self {
            Self::Clusters(shape) => {
                for centres in [shape.good, shape.bad] {
                    if !(1..=MAX_CENTRES).contains(&usize::from(centres)) {
                        return Err(ShapeError::Centres(centres));
                    }
                }
                shape.scale
            }
            Self::Prior(shape) => {
                if !(1..=MAX_STAGES).contains(&usize::from(shape.stages)) {
                    return Err(ShapeError::Stages(shape.stages));
                }
                shape.scale
            }
        };
        if (1..=MAX_ORDER_SCALE).contains(&scale) { Ok(()) } else { Err(ShapeError::OrderScale(scale)) }
    }

    /// The bytes that the weights take.
    #[must_use]
    pub fn weight_bytes(&self) -> usize {
        match self {
            Self::Clusters(shape) => {
                let mixing = if shape.mixed { FEATURES * FEATURES } else { FEATURES };
                let centres = usize::from(shape.good) + usize::from(shape.bad);
                (mixing + centres * FEATURES) * size_of::<i16>()
            }
            Self::Prior(shape) => prior::weights(usize::from(shape.stages)),
        }
    }
}

impl ValueShape {
    /// Looks whether every field is in its range.
    ///
    /// # Errors
    /// The first field that is not.
    pub fn check(&self) -> Result<(), ShapeError> {
        if !fits(self.width, MAX_WIDTH) {
            return Err(ShapeError::Width(self.width));
        }
        for (layer, &units) in self.dense.iter().enumerate() {
            if !fits(units, MAX_DENSE_UNITS) {
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

impl PolicyShape {
    /// Looks whether every field is in its range.
    ///
    /// # Errors
    /// The first field that is not.
    pub fn check(&self) -> Result<(), ShapeError> {
        if !fits(self.width, MAX_POLICY_UNITS) {
            return Err(ShapeError::PolicyWidth(self.width));
        }
        for (layer, &units) in self.dense.iter().enumerate() {
            if !fits(units, MAX_POLICY_UNITS) {
                return Err(ShapeError::PolicyDense { layer, units });
            }
        }
        let (wanted, found) = (self.dense.len() + 2, self.shifts.len());
        if wanted != found {
            return Err(ShapeError::Shifts { wanted, found });
        }
        match self.shifts.iter().enumerate().find(|&(_, &shift)| shift > MAX_SHIFT) {
            Some((layer, &shift)) => Err(ShapeError::Shift { layer, shift }),
            None => Ok(()),
        }
    }

    /// The layers after the first, as inputs and units: the dense ones, then the output with a unit for each move.
    pub fn later_layers(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let units = || self.dense.iter().map(|&units| usize::from(units));
        let inputs = core::iter::once(usize::from(self.width)).chain(units());
        inputs.zip(units().chain(core::iter::once(move_planes::OUTPUTS)))
    }

    /// The bytes that the weights take, biases and multipliers counted.
    #[must_use]
    pub fn weight_bytes(&self) -> usize {
        let first = usize::from(self.width) * (planes::INPUTS + size_of::<i16>() + size_of::<u16>());
        let later = |(inputs, units)| units * (inputs + size_of::<i32>() + size_of::<u16>());
        first + self.later_layers().map(later).sum::<usize>()
    }
}
