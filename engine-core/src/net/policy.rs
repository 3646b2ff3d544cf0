//! The policy net: says which moves its teacher would have played.

use super::blob::{self, BlobError, Layer};
use super::header::{MAX_POLICY_DENSE, MAX_POLICY_UNITS, Model, PolicyShape};
use super::kernels::{Aligned, Kernels};
use super::layers::{MAX_ACTIVATION, Rest, Units, check_first_layer};
use super::{move_planes, planes, softmax};
use crate::chess::{Board, Game, MAX_MOVES, Move};
use crate::insertion_sort::sort_by_key;

/// What a logit of 1.0 is.
pub const LOGIT_ONE: i32 = 1 << 16;

/// A policy net whose weights lie in a blob.
#[derive(Clone, Debug)]
pub struct PolicyNet<'a> {
    name: &'a str,
    record: &'a str,
    shape: PolicyShape,
    /// By input, a column of `width` weights.
    columns: &'a [i8],
    biases: &'a [i16],
    first: Multipliers<'a>,
    dense: heapless::Vec<Scaled<'a>, MAX_POLICY_DENSE>,
    output: Scaled<'a>,
    kernels: Kernels,
}

/// What the sums of a layer's units are multiplied by, as fractions of 2^`shift`.
#[derive(Clone, Copy, Debug)]
struct Multipliers<'a> {
    by_unit: &'a [u16],
    shift: u8,
}

/// A layer after the first.
#[derive(Clone, Copy, Debug)]
struct Scaled<'a> {
    units: Units<'a>,
    multipliers: Multipliers<'a>,
}

/// A move, and how likely the teacher would have played it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preference {
    /// The move.
    pub mv: Move,
    /// Its chance, in ten-thousandths.
    pub chance: u16,
}

/// Moves, the likeliest first.
pub type Preferences = heapless::Vec<Preference, MAX_MOVES>;

/// What is active between two layers.
type Activations = Aligned<[i8; MAX_POLICY_UNITS]>;

/// The columns of a position are few, and added once a move: they need no order that only one kind of kernels reads.
const FIRST_LAYER: Kernels = Kernels::Portable;

impl<'a> PolicyNet<'a> {
    /// The net in a blob, which must begin at an address that is a multiple of four. No sum that it can make overflows.
    ///
    /// # Errors
    /// If the blob is damaged, no policy net, wider than this machine has memory for, or one whose sums could overflow.
    pub fn load(blob: &'a [u8]) -> Result<Self, BlobError> {
        let (header, weights) = blob::open(blob)?;
        let found = header.model.name();
        let Model::Policy(shape) = header.model else { return Err(BlobError::Model { wanted: "policy net", found }) };
        shape.check()?;
        let mut rest = Rest::of(weights, shape.weight_bytes())?;
        let width = usize::from(shape.width);
        let (columns, biases) = (rest.take(planes::INPUTS * width)?, rest.take(width)?);
        check_first_layer(biases, planes::MAX_ACTIVE)?;
        let mut shifts = shape.shifts.iter().copied();
        let mut multipliers = |rest: &mut Rest<'a>, units| -> Result<Multipliers<'a>, BlobError> {
            Ok(Multipliers { by_unit: rest.take(units)?, shift: shifts.next().ok_or(BlobError::Header)? })
        };
        let first = multipliers(&mut rest, width)?;
        let mut dense = heapless::Vec::new();
        let mut output = None;
        for (index, (inputs, units)) in shape.later_layers().enumerate() {
            let layer = rest.units(inputs, units)?;
            let scaled = Scaled { units: layer, multipliers: multipliers(&mut rest, units)? };
            if index == shape.dense.len() {
                layer.check(MAX_ACTIVATION, Layer::Output)?;
                output = Some(scaled);
            } else {
                layer.check(MAX_ACTIVATION, Layer::Dense(index))?;
                // No more dense layers are in the shape than fit.
                let _ = dense.push(scaled);
            }
        }
        let output = output.ok_or(BlobError::Header)?;
        let (name, record) = (header.name, header.record);
        Ok(Self { name, record, columns, biases, first, dense, output, kernels: Kernels::best(), shape })
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// How it was trained, in a line.
    #[must_use]
    pub const fn record(&self) -> &'a str {
        self.record
    }

    /// Its architecture and fixed point.
    #[must_use]
    pub const fn shape(&self) -> &PolicyShape {
        &self.shape
    }

    /// The logits of legal moves of a position that has stood so many times before, in the order of the moves;
    /// [`LOGIT_ONE`] is 1.0. No more than [`MAX_MOVES`] are looked at.
    #[must_use]
    pub fn logits(&self, board: &Board, repetitions: usize, moves: &[Move]) -> heapless::Vec<i32, MAX_MOVES> {
        let last = self.last_activations(board, repetitions);
        let logit = |&mv| self.output.sum(usize::from(move_planes::index(board, mv)), &last, self.kernels);
        let held = |logit: i64| logit.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        moves.iter().take(MAX_MOVES).map(logit).map(held).collect()
    }

    /// The moves among these that the game may go on with, the likeliest first; of two that are as likely, the one that
    /// comes first.
    #[must_use]
    pub fn preferences(&self, game: &Game, moves: &[Move]) -> Preferences {
        let board = game.board();
        let logits = self.logits(board, game.history().repetitions(board).count(), moves);
        let chances = softmax::chances(&logits);
        let mut order: heapless::Vec<usize, MAX_MOVES> = (0..logits.len()).collect();
        sort_by_key(&mut order, |&index| core::cmp::Reverse(logits[index]));
        order.iter().map(|&index| Preference { mv: moves[index], chance: chances[index] }).collect()
    }

    /// What the layer before the output makes of a position.
    fn last_activations(&self, board: &Board, repetitions: usize) -> Activations {
        let width = usize::from(self.shape.width);
        let mut sums = Aligned([0; MAX_POLICY_UNITS]);
        let sums = &mut sums.0[..width];
        FIRST_LAYER.start(sums, self.biases);
        for input in planes::active(board, repetitions) {
            FIRST_LAYER.add(sums, &self.columns[input * width..][..width]);
        }
        let mut activations = Aligned([0; MAX_POLICY_UNITS]);
        for (unit, (activation, &sum)) in activations.0.iter_mut().zip(sums.iter()).enumerate() {
            *activation = rectified(self.first.scale(unit, sum.into()));
        }
        for dense in &self.dense {
            let inputs = activations;
            for (unit, activation) in activations.0.iter_mut().enumerate().take(dense.units.biases.len()) {
                *activation = rectified(dense.sum(unit, &inputs, self.kernels));
            }
        }
        activations
    }
}

impl Multipliers<'_> {
    /// A unit's sum times its multiplier, rounded to the nearest.
    fn scale(self, unit: usize, sum: i32) -> i64 {
        let half = (1 << self.shift) >> 1;
        (i64::from(sum) * i64::from(self.by_unit[unit]) + half) >> self.shift
    }
}

impl Scaled<'_> {
    /// What a unit makes of the activations before it.
    fn sum(&self, unit: usize, inputs: &Activations, kernels: Kernels) -> i64 {
        let (weights, bias) = self.units.unit(unit);
        self.multipliers.scale(unit, bias + kernels.dot(&inputs.0[..self.units.inputs], weights))
    }
}

/// ReLU, held within what an activation can be.
fn rectified(sum: i64) -> i8 {
    sum.clamp(0, MAX_ACTIVATION.into()) as i8
}
