//! The last layer over legal moves on a processor: a dot product for each, and back by the same rows.
//!
//! The order of every sum depends on the batch alone, never on threads, so the same batch gives the same bits on one
//! core and on many.

use std::ops::Range;

use rayon::prelude::*;

use crate::train::{
    policy::examples::Lists,
    sparse::{
        kernel::{Layer, dot},
        registers::{Work, with_widest},
    },
};

/// Positions whose forward pass is one task.
const CHUNK: usize = 256;

/// Parts of a batch whose gradients are summed apart and then together.
const PARTS: usize = 8;

/// What comes into the layer, `[positions, inputs]`, and the moves that are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What comes in.
    pub below: &'a [f32],
    /// A position's legal moves, each a row of the weights.
    pub moves: &'a Lists,
}

impl<'a> Asked<'a> {
    fn inputs(self) -> usize {
        self.below.len() / self.moves.len().max(1)
    }

    fn row(self, position: usize) -> &'a [f32] {
        &self.below[position * self.inputs()..][..self.inputs()]
    }
}

/// The logits of all positions' moves, one list behind the other.
pub fn logits(layer: Layer, asked: Asked) -> Vec<f32> {
    chunks(asked).flat_map_iter(|positions| logits_of(layer, asked, positions)).collect()
}

/// The cross entropy of each position's first move, and the chances of all moves, one list behind the other.
pub fn losses(layer: Layer, asked: Asked) -> (Vec<f32>, Vec<f32>) {
    let parts: Vec<(Vec<f32>, Vec<f32>)> = chunks(asked)
        .map(|positions| {
            let mut chances = logits_of(layer, asked, positions.clone());
            let first = asked.moves.place(positions.start).start;
            let losses = positions.map(|position| {
                let place = asked.moves.place(position);
                softmax(&mut chances[place.start - first..place.end - first])
            });
            (losses.collect(), chances)
        })
        .collect();
    let (losses, chances): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    (losses.concat(), chances.concat())
}

/// The gradient of a batch.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Of the weights, `[moves, inputs]`.
    pub weight: Vec<f32>,
    /// Of the biases, `[moves]`.
    pub bias: Vec<f32>,
    /// Of what came in, `[positions, inputs]`.
    pub below: Vec<f32>,
}

/// The gradient of a batch, from the chances that its forward pass left and the gradient of each position's loss.
pub fn gradient(weight: &[f32], asked: Asked, chances: &[f32], upstream: &[f32]) -> Gradient {
    let (positions, inputs) = (asked.moves.len(), asked.inputs());
    let moves = weight.len() / inputs.max(1);
    let part = positions.div_ceil(PARTS).max(1);
    let mut below = vec![0.0; asked.below.len()];
    let mut partial: Vec<(Vec<f32>, Vec<f32>)> = below
        .par_chunks_mut((part * inputs).max(1))
        .enumerate()
        .map(|(index, below)| {
            let (mut of_weight, mut of_bias) = (vec![0.0; weight.len()], vec![0.0; moves]);
            let first = index * part;
            let positions = first..(first + part).min(positions);
            with_widest(Backward {
                weight,
                asked,
                chances,
                upstream,
                positions,
                of_weight: &mut of_weight,
                of_bias: &mut of_bias,
                of_below: below,
            });
            (of_weight, of_bias)
        })
        .collect();
    let Some((mut weight, mut bias)) = partial.pop() else {
        return Gradient { weight: vec![0.0; weight.len()], bias: vec![0.0; moves], below };
    };
    weight.par_chunks_mut(1 << 14).enumerate().for_each(|(index, weight)| {
        for (part, _) in &partial {
            add(weight, &part[index << 14..]);
        }
    });
    for (_, part) in &partial {
        add(&mut bias, part);
    }
    Gradient { weight, bias, below }
}

fn add(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

/// The positions in tasks.
fn chunks(asked: Asked) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let positions = asked.moves.len();
    (0..positions.div_ceil(CHUNK)).into_par_iter().map(move |chunk| chunk * CHUNK..((chunk + 1) * CHUNK).min(positions))
}

fn logits_of(layer: Layer, asked: Asked, positions: Range<usize>) -> Vec<f32> {
    let mut logits = Vec::new();
    with_widest(Forward { layer, asked, positions, logits: &mut logits });
    logits
}

/// The forward pass of some positions.
struct Forward<'a> {
    layer: Layer<'a>,
    asked: Asked<'a>,
    positions: Range<usize>,
    logits: &'a mut Vec<f32>,
}

impl Work for Forward<'_> {
    #[inline(always)]
    fn run(self) {
        let inputs = self.asked.inputs();
        for position in self.positions {
            let below = self.asked.row(position);
            for &mv in self.asked.moves.get(position) {
                let row = &self.layer.weight[usize::from(mv) * inputs..][..inputs];
                self.logits.push(dot(below, row) + self.layer.bias[usize::from(mv)]);
            }
        }
    }
}

/// Turns logits into chances, and gives the cross entropy of the first.
fn softmax(logits: &mut [f32]) -> f32 {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let Some(first) = logits.first().copied() else { return 0.0 };
    let mut sum = 0.0;
    for logit in &mut *logits {
        *logit = (*logit - highest).exp();
        sum += *logit;
    }
    logits.iter_mut().for_each(|chance| *chance /= sum);
    sum.ln() + highest - first
}

/// The backward pass of some positions.
struct Backward<'a> {
    weight: &'a [f32],
    asked: Asked<'a>,
    chances: &'a [f32],
    upstream: &'a [f32],
    positions: Range<usize>,
    of_weight: &'a mut [f32],
    of_bias: &'a mut [f32],
    of_below: &'a mut [f32],
}

impl Work for Backward<'_> {
    #[inline(always)]
    fn run(self) {
        let inputs = self.asked.inputs();
        for (position, of_below) in self.positions.zip(self.of_below.chunks_exact_mut(inputs)) {
            let below = self.asked.row(position);
            let chances = &self.chances[self.asked.moves.place(position)];
            for (index, (&mv, chance)) in self.asked.moves.get(position).iter().zip(chances).enumerate() {
                let played = if index == 0 { 1.0 } else { 0.0 };
                let slope = self.upstream[position] * (chance - played);
                let mv = usize::from(mv);
                self.of_bias[mv] += slope;
                let row = &self.weight[mv * inputs..][..inputs];
                for (to, weight) in of_below.iter_mut().zip(row) {
                    *to += slope * weight;
                }
                let row = &mut self.of_weight[mv * inputs..][..inputs];
                for (to, below) in row.iter_mut().zip(below) {
                    *to += slope * below;
                }
            }
        }
    }
}
