//! The first layer of a network, computed in either of two ways.

use std::sync::Arc;

use burn::tensor::{Tensor, TensorData, ops::Device};

use super::{
    few_rows::{Lying, Product},
    layer::{primitives, wrap},
    sparse::{Affine, Seen, Sparse},
};

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

/// A batch's inputs as a backend takes them.
#[derive(Clone, Debug)]
pub enum FirstInputs<B: Sparse, P: Seen> {
    /// Lists of the active ones.
    Sparse(B::Inputs<P>),
    /// One row of zeros and ones for each side, `[positions * sides, inputs]`.
    Dense(Tensor<B, 2>),
}

impl<B: Sparse + Product, P: Seen> FirstInputs<B, P> {
    /// Takes a batch to a device.
    pub fn new(batch: &Arc<P>, first: FirstLayer, device: &Device<B>) -> Self {
        match first {
            FirstLayer::Sparse => FirstInputs::Sparse(B::inputs(batch, device)),
            FirstLayer::Dense => {
                let rows = batch.positions() * P::SIDES;
                let mut ones = vec![0.0f32; rows * P::INPUTS];
                for (row, ones) in ones.chunks_exact_mut(P::INPUTS).enumerate() {
                    for &input in batch.inputs(row / P::SIDES, row % P::SIDES) {
                        ones[usize::from(input)] = 1.0;
                    }
                }
                FirstInputs::Dense(Tensor::from_data(TensorData::new(ones, [rows, P::INPUTS]), device))
            }
        }
    }

    /// The activations, `[positions, sides * width]`, of a layer of weights `[inputs, width]` and biases `[width]`.
    pub fn activations(&self, layer: (Tensor<B, 2>, Tensor<B, 1>)) -> Tensor<B, 2> {
        match self {
            FirstInputs::Sparse(inputs) => wrap(B::activations(primitives(layer), inputs)),
            FirstInputs::Dense(ones) => {
                let [rows, _] = ones.dims();
                let Affine { weight, bias } = primitives(layer);
                let sums: Tensor<B, 2> =
                    wrap(B::product(ones.clone().into_primitive().tensor(), weight, Lying::ByInput));
                let activations = P::ACTIVATION.of_tensor(sums + wrap::<B, 1>(bias).unsqueeze());
                let [_, width] = activations.dims();
                activations.reshape([rows / P::SIDES, P::SIDES * width])
            }
        }
    }
}
