//! The value network: one first layer for both sides' perspectives, perhaps dense layers, and an output for each bucket.
//!
//! With `a` the sums of the first layer for one side, and `screlu(v)` the square of `v` clamped to 0..=1:
//!
//! ```text
//! x = screlu(a of the side to move), screlu(a of the other side)
//! x = screlu(x . weight + bias)                                    for every dense layer
//! output = x . weight[bucket] + bias[bucket]                       log odds of the side to move
//! ```

use std::sync::Arc;

use burn::{
    module::{Module, Param, ParamId},
    tensor::{
        Int, Tensor, TensorData, TensorPrimitive,
        backend::{AutodiffBackend, Backend},
        ops::{Device, FloatTensor},
    },
};
use engine_core::net::features::{INPUTS, bucket};

use super::{
    examples::Example,
    grid::{Grid, Steps},
    sparse::{Affine, Sparse},
};
use crate::arena::random::SplitMix64;

/// The sizes of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Outputs of the first layer for each side.
    pub width: usize,
    /// Outputs of each dense layer between the first and the last.
    pub dense: Vec<usize>,
    /// Outputs, of which a position's number of pieces chooses one.
    pub buckets: usize,
}

impl Shape {
    /// The inputs and outputs of every layer, the first one's first.
    pub fn layers(&self) -> Vec<[usize; 2]> {
        let mut layers = vec![[INPUTS, self.width]];
        let mut inputs = 2 * self.width;
        for outputs in self.dense.iter().copied().chain([self.buckets]) {
            layers.push([inputs, outputs]);
            inputs = outputs;
        }
        layers
    }
}

/// Weights `[inputs, outputs]` and biases `[outputs]`.
#[derive(Module, Debug)]
pub struct Layer<B: Backend> {
    pub(super) weight: Param<Tensor<B, 2>>,
    pub(super) bias: Param<Tensor<B, 1>>,
}

/// A value network on a backend.
#[derive(Module, Debug)]
pub struct ValueNet<B: Backend> {
    pub(super) features: Layer<B>,
    pub(super) dense: Vec<Layer<B>>,
    pub(super) output: Layer<B>,
}

/// How the first layer is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstLayer {
    /// By the few rows of weights whose inputs are active.
    #[default]
    Sparse,
    /// By burn's product with a matrix that is mostly zero.
    Dense,
}

/// The positions of a batch as a backend takes them.
#[derive(Clone, Debug)]
pub struct Inputs<B: Sparse> {
    first: FirstInputs<B>,
    buckets: Tensor<B, 2, Int>,
}

#[derive(Clone, Debug)]
enum FirstInputs<B: Sparse> {
    Sparse(B::Inputs),
    /// One row of zeros and ones for each side, `[positions * 2, INPUTS]`.
    Dense(Tensor<B, 2>),
}

impl<B: Sparse> Inputs<B> {
    /// Takes positions to a device, for a network of so many buckets.
    pub fn new(examples: &Arc<Vec<Example>>, buckets: usize, first: FirstLayer, device: &Device<B>) -> Inputs<B> {
        let column: Vec<i32> = examples.iter().map(|example| bucket(example.pieces(), buckets) as i32).collect();
        Inputs {
            first: match first {
                FirstLayer::Sparse => FirstInputs::Sparse(B::inputs(examples, device)),
                FirstLayer::Dense => {
                    let mut ones = vec![0.0f32; examples.len() * 2 * INPUTS];
                    for (row, ones) in ones.chunks_exact_mut(INPUTS).enumerate() {
                        for &input in examples[row / 2].inputs(row % 2) {
                            ones[usize::from(input)] = 1.0;
                        }
                    }
                    FirstInputs::Dense(Tensor::from_data(TensorData::new(ones, [examples.len() * 2, INPUTS]), device))
                }
            },
            buckets: Tensor::from_data(TensorData::new(column, [examples.len(), 1]), device),
        }
    }
}

impl<B: Backend> ValueNet<B> {
    /// A network that knows nothing, the same for the same seed.
    pub fn random(shape: &Shape, seed: u64, device: &Device<B>) -> ValueNet<B> {
        let mut random = SplitMix64::new(seed);
        let mut id = 0;
        let mut layer = |[inputs, outputs]: [usize; 2], reach: f32, bias: f32| {
            let mut uniform = || (random.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0;
            let weight = (0..inputs * outputs).map(|_| reach * uniform()).collect();
            // The optimiser knows its state by these numbers, so they must be the same in every run.
            id += 2;
            layer(weight, vec![bias; outputs], id, device)
        };
        // About twenty inputs of the first layer are active, whatever there are. Its sums should begin where the
        // activation has a slope.
        let features = layer([INPUTS, shape.width], 0.2, 0.25);
        let mut above: Vec<Layer<B>> =
            shape.layers()[1..].iter().map(|&layers| layer(layers, (1.0 / layers[0] as f32).sqrt(), 0.0)).collect();
        let output = above.remove(above.len() - 1);
        ValueNet { features, dense: above, output }
    }

    /// Outputs of the last layer.
    pub fn buckets(&self) -> usize {
        self.output.bias.dims()[0]
    }

    /// The layers, the first one first.
    pub fn layers(&self) -> impl Iterator<Item = &Layer<B>> {
        [&self.features].into_iter().chain(&self.dense).chain([&self.output])
    }
}

impl<B: AutodiffBackend> ValueNet<B> {
    /// The network with every weight inside the range that its integers can have.
    #[must_use]
    pub fn clipped(self, grid: &Grid) -> ValueNet<B> {
        let clip = |layer: Layer<B>, steps: Steps| {
            let reach = steps.reach();
            // Outside the graph: the clipped weight is a new leaf of it.
            let clamped = |weight: Tensor<B, 2>| weight.inner().clamp(-reach, reach);
            let weight = layer.weight.map(|weight| Tensor::from_inner(clamped(weight)).require_grad());
            Layer { weight, bias: layer.bias }
        };
        ValueNet {
            features: clip(self.features, grid.features()),
            dense: self.dense.into_iter().zip(grid.dense()).map(|(layer, &steps)| clip(layer, steps)).collect(),
            output: clip(self.output, grid.output()),
        }
    }
}

fn layer<B: Backend>(weight: Vec<f32>, bias: Vec<f32>, id: u64, device: &Device<B>) -> Layer<B> {
    let (count, outputs) = (weight.len(), bias.len());
    let weight = Tensor::from_data(TensorData::new(weight, [count / outputs, outputs]), device);
    let bias = Tensor::from_data(TensorData::new(bias, [outputs]), device);
    Layer {
        weight: Param::initialized(ParamId::from(id), weight.require_grad()),
        bias: Param::initialized(ParamId::from(id + 1), bias.require_grad()),
    }
}

impl<B: Sparse> ValueNet<B> {
    /// The log odds that the side to move wins, `[positions]`. With a grid, as if every weight were rounded to the
    /// integer that it will become; gradients pass the rounding as if it were not there.
    pub fn forward(&self, inputs: &Inputs<B>, grid: Option<&Grid>) -> Tensor<B, 1> {
        let features = values(&self.features, grid.map(Grid::features));
        let output = values(&self.output, grid.map(Grid::output));
        let mut activations = match &inputs.first {
            FirstInputs::Sparse(inputs) if self.dense.is_empty() => {
                return wrap(B::outputs(primitives(features), primitives(output), inputs));
            }
            FirstInputs::Sparse(inputs) => wrap(B::activations(primitives(features), inputs)),
            FirstInputs::Dense(ones) => {
                let [rows, _] = ones.dims();
                let activations = screlu(ones.clone().matmul(features.0) + features.1.unsqueeze());
                let [_, width] = activations.dims();
                activations.reshape([rows / 2, 2 * width])
            }
        };
        for (index, layer) in self.dense.iter().enumerate() {
            let (weight, bias) = values(layer, grid.map(|grid| grid.dense()[index]));
            activations = screlu(activations.matmul(weight) + bias.unsqueeze());
        }
        (activations.matmul(output.0) + output.1.unsqueeze()).gather(1, inputs.buckets.clone()).squeeze_dim(1)
    }
}

fn screlu<B: Backend>(sums: Tensor<B, 2>) -> Tensor<B, 2> {
    let clamped = sums.clamp(0.0, 1.0);
    clamped.clone() * clamped
}

/// A layer's weights and biases, rounded if there are steps to round to.
fn values<B: Backend>(layer: &Layer<B>, steps: Option<Steps>) -> (Tensor<B, 2>, Tensor<B, 1>) {
    let (weight, bias) = (layer.weight.val(), layer.bias.val());
    match steps {
        Some(steps) => (rounded(weight, steps.weight), rounded(bias, steps.bias)),
        None => (weight, bias),
    }
}

/// Values rounded to multiples of `1 / steps`. The first difference is zero and carries the gradient.
fn rounded<B: Backend, const D: usize>(values: Tensor<B, D>, steps: f64) -> Tensor<B, D> {
    let still = values.clone().detach();
    (values - still.clone()) + still.mul_scalar(steps).round().div_scalar(steps)
}

fn primitives<B: Backend>((weight, bias): (Tensor<B, 2>, Tensor<B, 1>)) -> Affine<B> {
    Affine { weight: weight.into_primitive().tensor(), bias: bias.into_primitive().tensor() }
}

fn wrap<B: Backend, const D: usize>(tensor: FloatTensor<B>) -> Tensor<B, D> {
    Tensor::from_primitive(TensorPrimitive::Float(tensor))
}
