//! The value net: judges a position for its side to move.

use super::blob::{self, BlobError, Layer};
use super::features::{INPUTS, MAX_ACTIVE, Perspective, bucket};
use super::header::{MAX_DENSE, MAX_DENSE_UNITS, MAX_WIDTH, Model, ValueShape};
use super::kernels::{Aligned, Kernels, are_narrow};
use super::layers::{MAX_ACTIVATION, Rest, Units, check_first_layer};
use crate::chess::{Board, Changes, Placed};
use crate::eval::MAX_EVAL;

/// A value net whose weights lie in a blob.
#[derive(Clone, Debug)]
pub struct ValueNet<'a> {
    name: &'a str,
    record: &'a str,
    shape: ValueShape,
    /// By input, a column of `width` weights.
    columns: &'a [i8],
    /// Whether those weights fit seven bits.
    is_narrow: bool,
    biases: &'a [i16],
    dense: heapless::Vec<Dense<'a>, MAX_DENSE>,
    output: Units<'a>,
    /// How far the squares of the first layer are shifted to fit an activation, if a dense layer wants them.
    shift: u32,
    /// The centipawns of an output of one, as a fraction of 2^32.
    centipawns: i64,
    kernels: Kernels,
}

/// A dense layer and its activation.
#[derive(Clone, Copy, Debug)]
struct Dense<'a> {
    units: Units<'a>,
    /// What 1.0 is in its sums.
    one: i32,
    /// How far the square of a sum is shifted to fit an activation.
    shift: u32,
}

impl<'a> ValueNet<'a> {
    /// The net in a blob, which must begin at an address that is a multiple of four. No sum that it can make overflows.
    ///
    /// # Errors
    /// If the blob is damaged, no value net, or one whose sums could overflow.
    pub fn load(blob: &'a [u8]) -> Result<Self, BlobError> {
        let (header, weights) = blob::open(blob)?;
        let found = header.model.name();
        let Model::Value(shape) = header.model else { return Err(BlobError::Model { wanted: "value net", found }) };
        shape.check()?;
        let mut rest = Rest::of(weights, shape.weight_bytes())?;
        let width = usize::from(shape.width);
        let columns = rest.take(INPUTS * width)?;
        let biases = rest.take(width)?;
        check_first_layer(biases, MAX_ACTIVE)?;

        let (qa, qb) = (f64::from(shape.qa), f64::from(shape.qb));
        let shift = shift_to_activation(u32::from(shape.qa).pow(2));
        let mut activation_one = qa * qa / f64::from(1 << shift);
        let mut dense = heapless::Vec::new();
        let mut output = None;
        for (index, (inputs, units)) in shape.later_layers().enumerate() {
            let units = rest.units(inputs, units)?;
            if index == shape.dense.len() {
                let most = if index == 0 { u32::from(shape.qa).pow(2) } else { MAX_ACTIVATION };
                units.check(most, Layer::Output)?;
                output = Some(units);
            } else {
                units.check(MAX_ACTIVATION, Layer::Dense(index))?;
                let one = nearest(activation_one * qb);
                let shift = shift_to_activation((one as u32).pow(2));
                // No more dense layers are in the shape than fit.
                let _ = dense.push(Dense { units, one, shift });
                activation_one = f64::from(one) * f64::from(one) / f64::from(1u32 << shift);
            }
        }
        let output = output.ok_or(BlobError::Header)?;
        let one = if shape.dense.is_empty() { qa * qa * qb } else { f64::from(nearest(activation_one * qb)) };
        let centipawns = (f64::from(shape.scale) * 4_294_967_296.0 / one + 0.5) as i64;
        Ok(Self {
            name: header.name,
            record: header.record,
            shape,
            columns,
            is_narrow: are_narrow(columns),
            biases,
            dense,
            output,
            shift,
            centipawns,
            kernels: Kernels::best(),
        })
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
    pub const fn shape(&self) -> &ValueShape {
        &self.shape
    }

    /// The units of the first layer.
    #[must_use]
    pub(super) fn width(&self) -> usize {
        usize::from(self.shape.width)
    }

    /// Judges a position that stands alone, for its side to move, in centipawns.
    #[must_use]
    pub fn evaluate(&self, board: &Board) -> i32 {
        let mut sums = Aligned([[0; MAX_WIDTH]; 2]);
        let us = board.side_to_move();
        let [ours, theirs] = &mut sums.0;
        let (ours, theirs) = (&mut ours[..self.width()], &mut theirs[..self.width()]);
        self.refresh(Perspective::of(board, us), board, ours);
        self.refresh(Perspective::of(board, !us), board, theirs);
        self.output(ours, theirs, board.occupied().len())
    }

    /// The first layer's sums for a perspective, from scratch.
    fn refresh(&self, view: Perspective, board: &Board, sums: &mut [i16]) {
        self.start(sums);
        for input in view.active(board) {
            self.kernels.add(sums, self.column(input));
        }
    }

    /// The first layer's sums of an empty board.
    pub(super) fn start(&self, sums: &mut [i16]) {
        self.kernels.start(sums, self.biases);
    }

    /// Puts a piece on the board whose sums, for a perspective, these are.
    pub(super) fn add(&self, view: Perspective, (piece, square): Placed, sums: &mut [i16]) {
        self.kernels.add(sums, self.column(view.input(piece, square)));
    }

    /// Takes a piece off it.
    pub(super) fn remove(&self, view: Perspective, (piece, square): Placed, sums: &mut [i16]) {
        self.kernels.remove(sums, self.column(view.input(piece, square)));
    }

    /// The first layer's sums for a perspective after a move that keeps its mirroring.
    pub(super) fn update(&self, view: Perspective, changes: &Changes, from: &[i16], to: &mut [i16]) {
        let column = |(piece, square): Placed| self.column(view.input(piece, square));
        let (removed, added) = (column(changes.removed.0), column(changes.added.0));
        match (changes.removed.1.map(column), changes.added.1.map(column)) {
            (None, None) => self.kernels.update(from, to, [added], [removed], self.is_narrow),
            (Some(second), None) => self.kernels.update(from, to, [added], [removed, second], self.is_narrow),
            (None, Some(second)) => self.kernels.update(from, to, [added, second], [removed], self.is_narrow),
            (Some(gone), Some(come)) => self.kernels.update(from, to, [added, come], [removed, gone], self.is_narrow),
        }
    }

    /// The column of an input.
    fn column(&self, input: usize) -> &'a [i8] {
        &self.columns[input * self.width()..][..self.width()]
    }

    /// The score that the first layer's sums, the mover's and the opponent's, lead to, in centipawns.
    pub(crate) fn output(&self, ours: &[i16], theirs: &[i16], pieces: u32) -> i32 {
        let bucket = bucket(pieces, usize::from(self.shape.buckets));
        let one = self.shape.qa as i16;
        let out = if self.dense.is_empty() {
            let (weights, bias) = self.output.unit(bucket);
            let (for_ours, for_theirs) = weights.split_at(self.width());
            bias + self.kernels.screlu_dot(ours, for_ours, one) + self.kernels.screlu_dot(theirs, for_theirs, one)
        } else {
            let mut first = Aligned([0; 2 * MAX_WIDTH]);
            let (for_ours, for_theirs) = first.0[..2 * self.width()].split_at_mut(self.width());
            self.kernels.activate(ours, one, self.shift, for_ours);
            self.kernels.activate(theirs, one, self.shift, for_theirs);
            self.through_dense(&first.0[..2 * self.width()], bucket)
        };
        let score = (i64::from(out) * self.centipawns) >> 32;
        score.clamp(-i64::from(MAX_EVAL), i64::from(MAX_EVAL)) as i32
    }

    /// Takes the activations of the first layer through the dense layers to an output.
    fn through_dense(&self, first: &[i8], bucket: usize) -> i32 {
        let mut activations = [0; MAX_DENSE_UNITS];
        for (index, dense) in self.dense.iter().enumerate() {
            let inputs = if index == 0 { first } else { &activations[..dense.units.inputs] };
            activations = dense.activations(inputs, self.kernels);
        }
        let (weights, bias) = self.output.unit(bucket);
        bias + self.kernels.dot(&activations[..self.output.inputs], weights)
    }
}

impl Dense<'_> {
    /// The activations of the layer's units; those that it does not have are zero.
    fn activations(&self, inputs: &[i8], kernels: Kernels) -> [i8; MAX_DENSE_UNITS] {
        let mut activations = [0; MAX_DENSE_UNITS];
        for (unit, activation) in activations.iter_mut().enumerate().take(self.units.biases.len()) {
            let (weights, bias) = self.units.unit(unit);
            let sum = (bias + kernels.dot(inputs, weights)).clamp(0, self.one) as u32;
            *activation = ((sum * sum) >> self.shift).min(MAX_ACTIVATION) as i8;
        }
        activations
    }
}

/// The least shift that takes a square to an activation.
const fn shift_to_activation(square: u32) -> u32 {
    let mut shift = 0;
    while square >> shift > MAX_ACTIVATION {
        shift += 1;
    }
    shift
}

/// The nearest whole number to one that is not negative.
fn nearest(value: f64) -> i32 {
    (value + 0.5) as i32
}
