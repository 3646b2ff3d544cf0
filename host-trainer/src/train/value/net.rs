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
    module::Module,
    tensor::{
        Int, Tensor, TensorData,
        backend::{AutodiffBackend, Backend},
        ops::Device,
    },
};
use engine_core::net::features::{INPUTS, bucket};

use super::{examples::Example, grid::Grid};
use crate::train::{
    device::Computes,
    first_layer::{FirstInputs, FirstLayer},
    layer::{FirstWeights, Layer, primitives, wrap},
    sparse::{Activation, Sparse},
};

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

/// A value network on a backend.
#[derive(Module, Debug)]
pub struct ValueNet<B: Backend> {
    pub(super) features: Layer<B>,
    pub(super) dense: Vec<Layer<B>>,
    pub(super) output: Layer<B>,
}

/// The positions of a batch as a backend takes them.
#[derive(Clone, Debug)]
pub struct Inputs<B: Sparse> {
    first: FirstInputs<B, Vec<Example>>,
    buckets: Tensor<B, 2, Int>,
}

impl<B: Computes> Inputs<B> {
    /// Takes positions to a device, for a network of so many buckets.
    pub fn new(examples: &Arc<Vec<Example>>, buckets: usize, first: FirstLayer, device: &Device<B>) -> Inputs<B> {
        let column: Vec<i32> = examples.iter().map(|example| bucket(example.pieces(), buckets) as i32).collect();
        Inputs {
            first: FirstInputs::new(examples, first, device),
            buckets: Tensor::from_data(TensorData::new(column, [examples.len(), 1]), device),
        }
    }
}

impl<B: Backend> ValueNet<B> {
    /// A network that knows nothing, the same for the same seed.
    pub fn random(shape: &Shape, seed: u64, device: &Device<B>) -> ValueNet<B> {
        let mut first = FirstWeights::new(seed, device);
        // About twenty inputs of the first layer are active, whatever there are. Its sums should begin where the
        // activation has a slope.
        let features = first.layer([INPUTS, shape.width], 0.2, vec![0.25; shape.width]);
        let mut above: Vec<Layer<B>> = shape.layers()[1..]
            .iter()
            .map(|&layer| first.layer(layer, (1.0 / layer[0] as f32).sqrt(), vec![0.0; layer[1]]))
            .collect();
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
        ValueNet {
            features: self.features.clipped(grid.features()),
            dense: self.dense.into_iter().zip(grid.dense()).map(|(layer, &steps)| layer.clipped(steps)).collect(),
            output: self.output.clipped(grid.output()),
        }
    }
}

impl<B: Computes> ValueNet<B> {
    /// The log odds that the side to move wins, `[positions]`. With a grid, as if every weight were rounded to the
    /// integer that it will become; gradients pass the rounding as if it were not there.
    pub fn forward(&self, inputs: &Inputs<B>, grid: Option<&Grid>) -> Tensor<B, 1> {
        let features = self.features.values(grid.map(Grid::features));
        let output = self.output.values(grid.map(Grid::output));
        let mut activations = match &inputs.first {
            FirstInputs::Sparse(inputs) if self.dense.is_empty() => {
                return wrap(B::outputs(primitives(features), primitives(output), inputs));
            }
            inputs => inputs.activations(features),
        };
        for (index, layer) in self.dense.iter().enumerate() {
            let (weight, bias) = layer.values(grid.map(|grid| grid.dense()[index]));
            activations = Activation::Screlu.of_tensor(activations.matmul(weight) + bias.unsqueeze());
        }
        (activations.matmul(output.0) + output.1.unsqueeze()).gather(1, inputs.buckets.clone()).squeeze_dim(1)
    }
}
