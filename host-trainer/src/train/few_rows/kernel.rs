//! Products of few rows on a processor: loops that pass over the matrix once.

use std::{array, iter};

use super::Lying;
use crate::train::sparse::registers::{Work, with_widest};

/// So many rows at most; fewer are filled up with zeros.
pub(super) const MOST: usize = 4;

/// [`MOST`] rows.
pub(super) struct Rows([Vec<f32>; MOST]);

impl Rows {
    /// Rows of this length, one behind the other.
    pub(super) fn new(values: &[f32], length: usize) -> Rows {
        Rows(array::from_fn(|row| match values.get(row * length..(row + 1) * length) {
            Some(row) => row.to_vec(),
            None => vec![0.0; length],
        }))
    }

    fn zero(length: usize) -> Rows {
        Rows(array::from_fn(|_| vec![0.0; length]))
    }

    /// The first so many rows, one behind the other.
    pub(super) fn concat(self, count: usize) -> Vec<f32> {
        self.0[..count].concat()
    }

    fn as_slices(&self) -> [&[f32]; MOST] {
        self.0.each_ref().map(Vec::as_slice)
    }
}

/// What comes out of the rows that come in.
pub(super) fn product(rows: &Rows, weights: &[f32], outputs: usize, lying: Lying) -> Rows {
    let mut out = Rows::zero(outputs);
    let (rows, sums) = (rows.as_slices(), out.0.each_mut().map(Vec::as_mut_slice));
    match lying {
        Lying::ByInput => with_widest(ByInput { rows, weights, sums }),
        Lying::ByOutput => with_widest(ByOutput { rows, weights, sums }),
    }
    out
}

/// The sum over the rows of each product of a left with a right number, `[left, right]`.
pub(super) fn outer(left: &Rows, right: &Rows) -> Vec<f32> {
    let mut products = Vec::with_capacity(left.0[0].len() * right.0[0].len());
    with_widest(Outer { left: left.as_slices(), right: right.as_slices(), products: &mut products });
    products
}

/// Inputs whose weights are read together: so the sums are taken up and put down a quarter as often.
const TOGETHER: usize = 4;

struct ByInput<'a> {
    rows: [&'a [f32]; MOST],
    weights: &'a [f32],
    sums: [&'a mut [f32]; MOST],
}

impl Work for ByInput<'_> {
    #[inline(always)]
    fn run(mut self) {
        let outputs = self.sums[0].len();
        let weights = |input: usize| &self.weights[input * outputs..][..outputs];
        // Behind a ReLU many inputs are zero in every row.
        let inputs = 0..self.rows[0].len();
        let active: Vec<usize> = inputs.filter(|&input| self.rows.iter().any(|row| row[input] != 0.0)).collect();
        let (blocks, rest) = active.as_chunks::<TOGETHER>();
        for block in blocks {
            let [first, second, third, fourth] = block.map(weights);
            for (row, sums) in self.rows.iter().zip(&mut self.sums) {
                let of = block.map(|input| row[input]);
                let weights = first.iter().zip(second).zip(third.iter().zip(fourth));
                for (sum, ((first, second), (third, fourth))) in sums.iter_mut().zip(weights) {
                    *sum += (of[0] * first + of[1] * second) + (of[2] * third + of[3] * fourth);
                }
            }
        }
        for &input in rest {
            for (row, sums) in self.rows.iter().zip(&mut self.sums) {
                for (sum, weight) in sums.iter_mut().zip(weights(input)) {
                    *sum += row[input] * weight;
                }
            }
        }
    }
}

struct ByOutput<'a> {
    rows: [&'a [f32]; MOST],
    weights: &'a [f32],
    sums: [&'a mut [f32]; MOST],
}

impl Work for ByOutput<'_> {
    #[inline(always)]
    fn run(self) {
        const LANES: usize = 8;
        let inputs = self.rows[0].len();
        for (output, weights) in self.weights.chunks_exact(inputs).enumerate() {
            let mut lanes = [[0.0; LANES]; MOST];
            let (weights, weights_left) = weights.as_chunks::<LANES>();
            let rows = self.rows.map(|row| row.as_chunks::<LANES>());
            for (block, weights) in weights.iter().enumerate() {
                for (lanes, (row, _)) in lanes.iter_mut().zip(rows) {
                    for lane in 0..LANES {
                        lanes[lane] += row[block][lane] * weights[lane];
                    }
                }
            }
            for row in 0..MOST {
                let left: f32 = rows[row].1.iter().zip(weights_left).map(|(input, weight)| input * weight).sum();
                self.sums[row][output] = lanes[row].iter().sum::<f32>() + left;
            }
        }
    }
}

struct Outer<'a> {
    left: [&'a [f32]; MOST],
    right: [&'a [f32]; MOST],
    products: &'a mut Vec<f32>,
}

impl Work for Outer<'_> {
    #[inline(always)]
    fn run(self) {
        let [first, second, third, fourth] = self.right;
        for index in 0..self.left[0].len() {
            let of = self.left.map(|row| row[index]);
            if of == [0.0; MOST] {
                self.products.extend(iter::repeat_n(0.0, first.len()));
                continue;
            }
            let right = first.iter().zip(second).zip(third.iter().zip(fourth));
            self.products.extend(right.map(|((first, second), (third, fourth))| {
                (of[0] * first + of[1] * second) + (of[2] * third + of[3] * fourth)
            }));
        }
    }
}
