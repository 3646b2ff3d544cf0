//! The first layer on a processor: loops over slices, fitted to its vector registers and its caches.
//!
//! A position has about 20 of 704 inputs, so a product with the weights is a sum of few rows, and the gradient of the
//! weights is added to few rows. Both go tile by tile: so many columns at a time that their accumulators stay in
//! registers. The order of every sum depends on the numbers of positions and columns alone, never on threads, so the
//! same batch gives the same bits on one core and on many.

use engine_core::net::features::{INPUTS, bucket};
use pulp::Arch;
use rayon::prelude::*;

use super::WIDTH_UNIT;
use crate::train::examples::Example;

/// Positions whose forward pass is one task.
const CHUNK: usize = 256;

/// Parts of a batch whose gradients are summed apart and then together: enough tasks for many cores.
const PARTS: usize = 8;

/// The first layer's weights, `[INPUTS, width]`, and biases, `[width]`.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// Weights, a row for each input.
    pub weight: &'a [f32],
    /// Biases.
    pub bias: &'a [f32],
}

/// A layer from the activations to one number, for each bucket of positions.
#[derive(Clone, Debug)]
pub struct Buckets {
    /// Weights, `[buckets, 2 * width]`: a row for each bucket, so that a position reads one row.
    pub weight: Vec<f32>,
    /// Biases, one for each bucket.
    pub bias: Vec<f32>,
}

impl Buckets {
    /// Takes weights that have a column for each bucket.
    pub fn from_columns(weight: &[f32], bias: &[f32]) -> Buckets {
        let (buckets, inputs) = (bias.len(), weight.len() / bias.len());
        let mut rows = vec![0.0; weight.len()];
        for (input, column) in weight.chunks_exact(buckets).enumerate() {
            for (bucket, &weight) in column.iter().enumerate() {
                rows[bucket * inputs + input] = weight;
            }
        }
        Buckets { weight: rows, bias: bias.to_vec() }
    }

    /// The weights with a column for each bucket.
    pub fn columns(&self) -> Vec<f32> {
        let (buckets, inputs) = (self.bias.len(), self.weight.len() / self.bias.len());
        let mut columns = vec![0.0; self.weight.len()];
        for (bucket, row) in self.weight.chunks_exact(inputs).enumerate() {
            for (input, &weight) in row.iter().enumerate() {
                columns[input * buckets + bucket] = weight;
            }
        }
        columns
    }

    fn row(&self, bucket: usize) -> &[f32] {
        let inputs = self.weight.len() / self.bias.len();
        &self.weight[bucket * inputs..][..inputs]
    }

    fn of(&self, example: &Example) -> usize {
        bucket(example.pieces(), self.bias.len())
    }
}

/// What reaches the activations from above.
#[derive(Clone, Copy, Debug)]
pub enum Upstream<'a> {
    /// Their gradient, `[positions, 2 * width]`.
    Activations(&'a [f32]),
    /// The gradient of each position's output, `[positions]`, and the layer in between.
    Outputs(&'a [f32], &'a Buckets),
}

/// The gradient of the weights that a batch has touched.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Of the first layer's weights, `[INPUTS, width]`.
    pub weight: Vec<f32>,
    /// Of its biases, `[width]`.
    pub bias: Vec<f32>,
    /// Of the layer above, where [`Upstream::Outputs`] named one.
    pub output: Option<Buckets>,
}

/// The activations of every position, `[positions, 2 * width]`: the side to move's first, each clamped to 0..=1 and
/// squared.
pub fn activations(layer: Layer, examples: &[Example]) -> Vec<f32> {
    let row = 2 * layer.bias.len();
    let mut activations = vec![0.0; examples.len() * row];
    activations.par_chunks_mut(CHUNK * row).zip(examples.par_chunks(CHUNK)).for_each(|(activations, examples)| {
        Arch::new().dispatch(|| {
            for (activations, example) in activations.chunks_exact_mut(row).zip(examples) {
                activate(layer, example, activations);
            }
        });
    });
    activations
}

/// The output of every position, `[positions]`, and the activations that led to it.
pub fn outputs(layer: Layer, above: &Buckets, examples: &[Example]) -> (Vec<f32>, Vec<f32>) {
    let row = 2 * layer.bias.len();
    let mut outputs = vec![0.0; examples.len()];
    let mut activations = vec![0.0; examples.len() * row];
    outputs
        .par_chunks_mut(CHUNK)
        .zip(activations.par_chunks_mut(CHUNK * row))
        .zip(examples.par_chunks(CHUNK))
        .for_each(|((outputs, activations), examples)| {
            Arch::new().dispatch(|| {
                let rows = activations.chunks_exact_mut(row);
                for ((output, activations), example) in outputs.iter_mut().zip(rows).zip(examples) {
                    activate(layer, example, activations);
                    let bucket = above.of(example);
                    *output = dot(activations, above.row(bucket)) + above.bias[bucket];
                }
            });
        });
    (outputs, activations)
}

/// The gradient of a batch, from the activations that its forward pass left.
pub fn gradient(width: usize, examples: &[Example], activations: &[f32], upstream: Upstream) -> Gradient {
    match width {
        _ if width.is_multiple_of(64) => gradient_by_tiles::<64>(width, examples, activations, upstream),
        _ if width.is_multiple_of(32) => gradient_by_tiles::<32>(width, examples, activations, upstream),
        _ => gradient_by_tiles::<WIDTH_UNIT>(width, examples, activations, upstream),
    }
}

#[inline(always)]
fn activate(layer: Layer, example: &Example, activations: &mut [f32]) {
    let width = layer.bias.len();
    for (side, activations) in activations.chunks_exact_mut(width).enumerate() {
        let inputs = example.inputs(side);
        match width {
            _ if width.is_multiple_of(64) => activate_by_tiles::<64>(layer, inputs, activations),
            _ if width.is_multiple_of(32) => activate_by_tiles::<32>(layer, inputs, activations),
            _ => activate_by_tiles::<WIDTH_UNIT>(layer, inputs, activations),
        }
    }
}

#[inline(always)]
fn activate_by_tiles<const TILE: usize>(layer: Layer, inputs: &[u16], activations: &mut [f32]) {
    let width = layer.bias.len();
    for (tile, activations) in activations.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
        let mut sums: [f32; TILE] = layer.bias.as_chunks().0[tile];
        for &input in inputs {
            let row: &[f32; TILE] = &layer.weight[usize::from(input) * width..].as_chunks().0[tile];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += weight;
            }
        }
        for (activation, sum) in activations.iter_mut().zip(sums) {
            let clamped = sum.clamp(0.0, 1.0);
            *activation = clamped * clamped;
        }
    }
}

/// A sum of products in eight lanes: wider or narrower registers than eight give the same bits.
#[inline(always)]
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut lanes = [0.0; 8];
    for (left, right) in left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0) {
        for lane in 0..8 {
            lanes[lane] += left[lane] * right[lane];
        }
    }
    lanes.iter().sum()
}

/// The gradient of one tile's columns.
struct TileGradient<const TILE: usize> {
    weight: Vec<[f32; TILE]>,
    bias: [f32; TILE],
    /// For each bucket, the side to move's columns and the other side's.
    output: Vec<[[f32; TILE]; 2]>,
}

impl<const TILE: usize> TileGradient<TILE> {
    fn zero(upstream: Upstream) -> Self {
        let buckets = match upstream {
            Upstream::Activations(_) => 0,
            Upstream::Outputs(_, above) => above.bias.len(),
        };
        let zero = [0.0; TILE];
        TileGradient { weight: vec![zero; INPUTS], bias: zero, output: vec![[zero; 2]; buckets] }
    }

    fn add(&mut self, other: &Self) {
        let pairs = self.weight.iter_mut().zip(&other.weight);
        let outputs = self.output.as_flattened_mut().iter_mut().zip(other.output.as_flattened());
        for (to, from) in pairs.chain([(&mut self.bias, &other.bias)]).chain(outputs) {
            for (to, from) in to.iter_mut().zip(from) {
                *to += from;
            }
        }
    }
}

fn gradient_by_tiles<const TILE: usize>(
    width: usize,
    examples: &[Example],
    activations: &[f32],
    upstream: Upstream,
) -> Gradient {
    let tiles = width / TILE;
    let part = examples.len().div_ceil(PARTS).max(1);
    let parts = examples.len().div_ceil(part);
    let mut partial: Vec<TileGradient<TILE>> = (0..tiles * parts)
        .into_par_iter()
        .map(|task| {
            let (tile, first) = (task / parts, task % parts * part);
            let positions = first..(first + part).min(examples.len());
            Arch::new().dispatch(|| tile_gradient(width, tile, positions, examples, activations, upstream))
        })
        .collect();
    partial.par_chunks_mut(parts).for_each(|parts| {
        if let Some((sum, rest)) = parts.split_first_mut() {
            rest.iter().for_each(|part| sum.add(part));
        }
    });

    let mut gradient = Gradient {
        weight: vec![0.0; INPUTS * width],
        bias: vec![0.0; width],
        output: match upstream {
            Upstream::Activations(_) => None,
            Upstream::Outputs(outputs, above) => Some(bias_gradient(examples, outputs, above)),
        },
    };
    for (tile, sum) in partial.iter().step_by(parts.max(1)).enumerate() {
        for (row, columns) in gradient.weight.chunks_exact_mut(width).zip(&sum.weight) {
            row.as_chunks_mut().0[tile] = *columns;
        }
        gradient.bias.as_chunks_mut().0[tile] = sum.bias;
        if let Some(output) = &mut gradient.output {
            for (row, sides) in output.weight.chunks_exact_mut(2 * width).zip(&sum.output) {
                for (row, columns) in row.chunks_exact_mut(width).zip(sides) {
                    row.as_chunks_mut().0[tile] = *columns;
                }
            }
        }
    }
    gradient
}

/// The gradient of the upper layer's biases, and room for that of its weights.
fn bias_gradient(examples: &[Example], outputs: &[f32], above: &Buckets) -> Buckets {
    let mut bias = vec![0.0; above.bias.len()];
    for (example, output) in examples.iter().zip(outputs) {
        bias[above.of(example)] += output;
    }
    Buckets { weight: vec![0.0; above.weight.len()], bias }
}

#[inline(always)]
fn tile_gradient<const TILE: usize>(
    width: usize,
    tile: usize,
    positions: std::ops::Range<usize>,
    examples: &[Example],
    activations: &[f32],
    upstream: Upstream,
) -> TileGradient<TILE> {
    let mut gradient = TileGradient::zero(upstream);
    for position in positions {
        let example = &examples[position];
        for side in 0..2 {
            let first = side * width + tile * TILE;
            let columns = |row: &[f32]| -> [f32; TILE] { std::array::from_fn(|column| row[first..][..TILE][column]) };
            let activations = columns(&activations[position * 2 * width..][..2 * width]);
            let mut slope = match upstream {
                Upstream::Activations(gradients) => columns(&gradients[position * 2 * width..][..2 * width]),
                Upstream::Outputs(outputs, above) => {
                    let bucket = above.of(example);
                    let (output, weights) = (outputs[position], columns(above.row(bucket)));
                    let towards = &mut gradient.output[bucket][side];
                    for (towards, activation) in towards.iter_mut().zip(activations) {
                        *towards += output * activation;
                    }
                    weights.map(|weight| output * weight)
                }
            };
            for (slope, activation) in slope.iter_mut().zip(activations) {
                // A square has twice its root as slope; beyond the clamp there is none.
                let inside = activation > 0.0 && activation < 1.0;
                *slope *= if inside { 2.0 * activation.sqrt() } else { 0.0 };
            }
            for (bias, slope) in gradient.bias.iter_mut().zip(slope) {
                *bias += slope;
            }
            for &input in example.inputs(side) {
                for (weight, slope) in gradient.weight[usize::from(input)].iter_mut().zip(slope) {
                    *weight += slope;
                }
            }
        }
    }
    gradient
}
