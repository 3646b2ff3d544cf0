//! The first layer on a processor: loops over slices, fitted to its vector registers and its caches.
//!
//! A position has about 20 of hundreds of inputs, so a product with the weights is a sum of few rows, and the gradient
//! of the weights is added to few rows. Both go tile by tile: so many columns at a time that their accumulators stay in
//! registers. The order of every sum depends on the numbers of positions and columns alone, never on threads, so the
//! same batch gives the same bits on one core and on many.

use std::ops::Range;

use engine_core::net::features::bucket;
use rayon::prelude::*;

use super::{
    Counted, Seen, WIDTH_UNIT,
    registers::{Work, with_widest},
};

/// Positions whose forward pass is one task.
const CHUNK: usize = 256;

/// Parts of a batch whose gradients are summed apart and then together: enough tasks for many cores.
const PARTS: usize = 8;

/// The first layer's weights, `[inputs, width]`, and biases, `[width]`.
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
    /// Weights, `[buckets, sides * width]`: a row for each bucket, so that a position reads one row.
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

    /// The bucket of each position.
    fn of(&self, batch: &impl Counted) -> Vec<usize> {
        (0..batch.positions()).map(|position| bucket(batch.pieces(position), self.bias.len())).collect()
    }
}

/// A layer of buckets, and which of them each position has.
#[derive(Clone, Copy, Debug)]
pub struct Above<'a> {
    layer: &'a Buckets,
    of: &'a [usize],
}

/// What reaches the activations from above.
#[derive(Clone, Copy, Debug)]
pub enum Upstream<'a> {
    /// Their gradient, `[positions, sides * width]`.
    Activations(&'a [f32]),
    /// The gradient of each position's output, `[positions]`, and the layer in between.
    Outputs(&'a [f32], Above<'a>),
}

/// The gradient of the weights that a batch has touched.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Of the first layer's weights, `[inputs, width]`.
    pub weight: Vec<f32>,
    /// Of its biases, `[width]`.
    pub bias: Vec<f32>,
    /// Of the layer above, where [`Upstream::Outputs`] named one.
    pub output: Option<Buckets>,
}

/// The activations of every position, `[positions, sides * width]`: the side to move's first.
pub fn activations<P: Seen>(layer: Layer, batch: &P) -> Vec<f32> {
    match layer.bias.len() {
        width if width.is_multiple_of(64) => forward::<64, P>(layer, None, batch),
        width if width.is_multiple_of(32) => forward::<32, P>(layer, None, batch),
        _ => forward::<WIDTH_UNIT, P>(layer, None, batch),
    }
    .1
}

/// The output of every position, `[positions]`, and the activations that led to it.
pub fn outputs<P: Counted>(layer: Layer, above: &Buckets, batch: &P) -> (Vec<f32>, Vec<f32>) {
    let of = above.of(batch);
    let above = Some(Above { layer: above, of: &of });
    match layer.bias.len() {
        width if width.is_multiple_of(64) => forward::<64, P>(layer, above, batch),
        width if width.is_multiple_of(32) => forward::<32, P>(layer, above, batch),
        _ => forward::<WIDTH_UNIT, P>(layer, above, batch),
    }
}

/// The gradient of a batch, from the activations that its forward pass left and their own gradient.
pub fn gradient<P: Seen>(width: usize, batch: &P, activations: &[f32], upstream: &[f32]) -> Gradient {
    gradient_of(width, batch, activations, Upstream::Activations(upstream))
}

/// The gradient of a batch, from the activations that its forward pass left, the layer above and the gradient of its
/// outputs.
pub fn outputs_gradient<P: Counted>(
    width: usize,
    batch: &P,
    activations: &[f32],
    outputs: &[f32],
    above: &Buckets,
) -> Gradient {
    let of = above.of(batch);
    let above = Above { layer: above, of: &of };
    gradient_of(width, batch, activations, Upstream::Outputs(outputs, above))
}

fn gradient_of<P: Seen>(width: usize, batch: &P, activations: &[f32], upstream: Upstream) -> Gradient {
    match width {
        _ if width.is_multiple_of(64) => backward::<64, P>(width, batch, activations, upstream),
        _ if width.is_multiple_of(32) => backward::<32, P>(width, batch, activations, upstream),
        _ => backward::<WIDTH_UNIT, P>(width, batch, activations, upstream),
    }
}

/// Some columns of a row. Aligned, or the compiler would split every access in two for processors of 2011.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Tile<const N: usize>([f32; N]);

/// The outputs, if there is a layer above, and the activations.
fn forward<const N: usize, P: Seen>(layer: Layer, above: Option<Above>, batch: &P) -> (Vec<f32>, Vec<f32>) {
    let width = layer.bias.len();
    let tiles = width / N;
    let column = |tile: usize| layer.weight.chunks_exact(width).map(move |row| Tile(row.as_chunks().0[tile]));
    let weight: Vec<Tile<N>> = (0..tiles).flat_map(column).collect();
    let bias: Vec<Tile<N>> = layer.bias.as_chunks().0.iter().map(|&columns| Tile(columns)).collect();

    let positions = batch.positions();
    let mut outputs = vec![0.0; positions];
    let mut activations = vec![0.0; positions * P::SIDES * width];
    let parts = outputs.par_chunks_mut(CHUNK).zip(activations.par_chunks_mut(CHUNK * P::SIDES * width));
    parts.enumerate().for_each(|(chunk, (outputs, activations))| {
        let first = chunk * CHUNK;
        with_widest(Forward { weight: &weight, bias: &bias, above, batch, first, outputs, activations });
    });
    (outputs, activations)
}

/// The forward pass of some positions.
struct Forward<'a, const N: usize, P> {
    /// The first tile's columns of all inputs, then the second's.
    weight: &'a [Tile<N>],
    bias: &'a [Tile<N>],
    above: Option<Above<'a>>,
    batch: &'a P,
    /// The first of the positions.
    first: usize,
    outputs: &'a mut [f32],
    activations: &'a mut [f32],
}

impl<const N: usize, P: Seen> Work for Forward<'_, N, P> {
    #[inline(always)]
    fn run(self) {
        let width = self.bias.len() * N;
        let rows = self.activations.chunks_exact_mut(P::SIDES * width);
        for (position, (activations, output)) in (self.first..).zip(rows.zip(self.outputs)) {
            for (side, activations) in activations.chunks_exact_mut(width).enumerate() {
                let inputs = self.batch.inputs(position, side);
                let tiles = self.bias.iter().zip(self.weight.chunks_exact(P::INPUTS));
                for ((bias, weight), activations) in tiles.zip(activations.as_chunks_mut::<N>().0) {
                    let Tile(mut sums) = *bias;
                    for &input in inputs {
                        let Tile(row) = &weight[usize::from(input)];
                        for column in 0..N {
                            sums[column] += row[column];
                        }
                    }
                    for column in 0..N {
                        activations[column] = P::ACTIVATION.of(sums[column]);
                    }
                }
            }
            if let Some(Above { layer, of }) = self.above {
                let bucket = of[position];
                *output = dot(activations, layer.row(bucket)) + layer.bias[bucket];
            }
        }
    }
}

/// A sum of products in eight lanes: wider or narrower registers than eight give the same bits.
#[inline(always)]
pub(in crate::train) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut lanes = [0.0; 8];
    let ((left, left_rest), (right, right_rest)) = (left.as_chunks::<8>(), right.as_chunks::<8>());
    for (left, right) in left.iter().zip(right) {
        for lane in 0..8 {
            lanes[lane] += left[lane] * right[lane];
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    lanes.iter().sum::<f32>() + rest
}

/// The gradient of one tile's columns.
struct TileGradient<const N: usize> {
    weight: Vec<Tile<N>>,
    bias: Tile<N>,
    /// For each bucket, the columns of each side, the side to move's first.
    output: Vec<Tile<N>>,
}

impl<const N: usize> TileGradient<N> {
    fn zero<P: Seen>(upstream: Upstream) -> Self {
        let buckets = match upstream {
            Upstream::Activations(_) => 0,
            Upstream::Outputs(_, above) => above.layer.bias.len(),
        };
        let zero = Tile([0.0; N]);
        TileGradient { weight: vec![zero; P::INPUTS], bias: zero, output: vec![zero; P::SIDES * buckets] }
    }

    fn add(&mut self, other: &Self) {
        let pairs = self.weight.iter_mut().zip(&other.weight);
        let outputs = self.output.iter_mut().zip(&other.output);
        for (Tile(to), Tile(from)) in pairs.chain([(&mut self.bias, &other.bias)]).chain(outputs) {
            for (to, from) in to.iter_mut().zip(from) {
                *to += from;
            }
        }
    }
}

fn backward<const N: usize, P: Seen>(width: usize, batch: &P, activations: &[f32], upstream: Upstream) -> Gradient {
    let tiles = width / N;
    let part = batch.positions().div_ceil(PARTS).max(1);
    let parts = batch.positions().div_ceil(part);
    let mut partial: Vec<TileGradient<N>> = (0..tiles * parts)
        .into_par_iter()
        .map(|task| {
            let (tile, first) = (task / parts, task % parts * part);
            let positions = first..(first + part).min(batch.positions());
            let mut gradient = TileGradient::zero::<P>(upstream);
            let TileGradient { weight, bias, output } = &mut gradient;
            with_widest(Backward { width, tile, positions, batch, activations, upstream, weight, bias, output });
            gradient
        })
        .collect();
    partial.par_chunks_mut(parts.max(1)).for_each(|parts| {
        if let Some((sum, rest)) = parts.split_first_mut() {
            rest.iter().for_each(|part| sum.add(part));
        }
    });

    let mut gradient = Gradient {
        weight: vec![0.0; P::INPUTS * width],
        bias: vec![0.0; width],
        output: match upstream {
            Upstream::Activations(_) => None,
            Upstream::Outputs(outputs, above) => Some(bias_gradient(outputs, above)),
        },
    };
    for (tile, sum) in partial.iter().step_by(parts.max(1)).enumerate() {
        for (row, columns) in gradient.weight.chunks_exact_mut(width).zip(&sum.weight) {
            row.as_chunks_mut().0[tile] = columns.0;
        }
        gradient.bias.as_chunks_mut().0[tile] = sum.bias.0;
        if let Some(output) = &mut gradient.output {
            let rows = output.weight.chunks_exact_mut(width).zip(&sum.output);
            for (row, columns) in rows {
                row.as_chunks_mut().0[tile] = columns.0;
            }
        }
    }
    gradient
}

/// The gradient of the upper layer's biases, and room for that of its weights.
fn bias_gradient(outputs: &[f32], Above { layer, of }: Above) -> Buckets {
    let mut bias = vec![0.0; layer.bias.len()];
    for (&bucket, output) in of.iter().zip(outputs) {
        bias[bucket] += output;
    }
    Buckets { weight: vec![0.0; layer.weight.len()], bias }
}

/// The backward pass of some positions through the columns of a tile.
struct Backward<'a, const N: usize, P> {
    width: usize,
    tile: usize,
    positions: Range<usize>,
    batch: &'a P,
    activations: &'a [f32],
    upstream: Upstream<'a>,
    // The gradient, as references: the compiler knows them to be aligned.
    weight: &'a mut [Tile<N>],
    bias: &'a mut Tile<N>,
    output: &'a mut [Tile<N>],
}

impl<const N: usize, P: Seen> Backward<'_, N, P> {
    /// What a row of `[.., sides * width]` has for a side in the tile.
    #[inline(always)]
    fn columns<'a>(&self, rows: &'a [f32], row: usize, side: usize) -> &'a [f32; N] {
        &rows[(P::SIDES * row + side) * self.width..].as_chunks().0[self.tile]
    }
}

impl<const N: usize, P: Seen> Work for Backward<'_, N, P> {
    #[inline(always)]
    fn run(self) {
        for position in self.positions.clone() {
            for side in 0..P::SIDES {
                let activations = self.columns(self.activations, position, side);
                let Tile(mut slope) = match self.upstream {
                    Upstream::Activations(gradients) => Tile(*self.columns(gradients, position, side)),
                    Upstream::Outputs(outputs, Above { layer, of }) => {
                        let (bucket, output) = (of[position], outputs[position]);
                        let mut slope = *self.columns(&layer.weight, bucket, side);
                        let Tile(towards) = &mut self.output[P::SIDES * bucket + side];
                        for column in 0..N {
                            towards[column] += output * activations[column];
                            slope[column] *= output;
                        }
                        Tile(slope)
                    }
                };
                for column in 0..N {
                    slope[column] *= P::ACTIVATION.slope(activations[column]);
                    self.bias.0[column] += slope[column];
                }
                for &input in self.batch.inputs(position, side) {
                    // Taken out and put back whole: so the compiler sees the alignment.
                    let Tile(mut weights) = self.weight[usize::from(input)];
                    for column in 0..N {
                        weights[column] += slope[column];
                    }
                    self.weight[usize::from(input)] = Tile(weights);
                }
            }
        }
    }
}
