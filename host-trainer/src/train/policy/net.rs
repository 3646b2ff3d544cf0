//! The policy network: a chain of layers from a position's planes to a logit for every move, with ReLU between them.

use burn::{
    module::Module,
    tensor::{Tensor, backend::Backend, ops::Device},
};

use super::examples::Inputs;
use crate::train::{
    device::Computes,
    few_rows::Lying,
    first_layer::FirstInputs,
    layer::{FirstWeights, Layer},
    sparse::Activation,
};

/// A policy network on a backend.
#[derive(Module, Debug)]
pub struct PolicyNet<B: Backend> {
    pub(super) features: Layer<B>,
    pub(super) dense: Vec<Layer<B>>,
    /// Its weights lie the other way round, `[moves, inputs]`: a row for each move, for few moves are legal.
    pub(super) output: Layer<B>,
}

impl<B: Backend> PolicyNet<B> {
    /// A network that knows nothing, the same for the same seed. `sizes` are its inputs, the outputs of each layer
    /// between, and its moves.
    pub fn random(sizes: &[usize], seed: u64, device: &Device<B>) -> PolicyNet<B> {
        let mut first = FirstWeights::new(seed, device);
        let reach = |inputs: usize| (1.0 / inputs as f32).sqrt();
        let mut layers: Vec<Layer<B>> = Vec::new();
        let (moves, hidden) = sizes.split_last().unwrap_or((&0, &[]));
        let bias = |first: &mut FirstWeights<'_, B>, [inputs, outputs]: [usize; 2]| {
            (0..outputs).map(|_| reach(inputs) * first.uniform()).collect::<Vec<f32>>()
        };
        for pair in hidden.windows(2) {
            let size = [pair[0], pair[1]];
            let biases = bias(&mut first, size);
            layers.push(first.layer(size, reach(size[0]), biases));
        }
        let inputs = hidden[hidden.len() - 1];
        let biases = bias(&mut first, [inputs, *moves]);
        let output = first.layer([*moves, inputs], reach(inputs), biases);
        let features = layers.remove(0);
        PolicyNet { features, dense: layers, output }
    }
}

impl<B: Computes> PolicyNet<B> {
    /// What comes into the last layer, `[positions, inputs]`.
    pub fn below(&self, inputs: &FirstInputs<B, Inputs>) -> Tensor<B, 2> {
        let first = inputs.activations(self.features.values(None));
        self.dense.iter().fold(first, |below, layer| Activation::Relu.of_tensor(layer.product(below, Lying::ByInput)))
    }

    /// The logits of all moves, `[positions, moves]`.
    pub fn logits(&self, below: Tensor<B, 2>) -> Tensor<B, 2> {
        self.output.product(below, Lying::ByOutput)
    }
}
