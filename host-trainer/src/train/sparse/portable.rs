//! The first layer by burn's gather and scatter, for backends without loops of their own.

use std::sync::Arc;

use burn::tensor::{
    IndexingUpdateOp, Int, Tensor, TensorData, TensorPrimitive,
    backend::Backend,
    ops::{Device, FloatTensor},
};
use engine_core::net::features::{INPUTS, bucket};

use super::{Affine, Sparse, SparseGradient};
use crate::train::examples::Example;

/// The active inputs of a batch on a device.
#[derive(Clone, Debug)]
pub struct Indices<B: Backend> {
    /// Rows of weights, `[positions * 2 * most]`; where a position has fewer pieces, the row behind the last.
    rows: Tensor<B, 1, Int>,
    /// Pieces on the board, `[positions]`.
    pieces: Vec<u32>,
    /// The most pieces of any position.
    most: usize,
}

impl<B: Backend> Indices<B> {
    fn new(examples: &[Example], device: &Device<B>) -> Self {
        let pieces: Vec<u32> = examples.iter().map(Example::pieces).collect();
        let most = pieces.iter().copied().max().unwrap_or(1) as usize;
        let mut rows = vec![INPUTS as i32; examples.len() * 2 * most];
        for (rows, example) in rows.chunks_exact_mut(2 * most).zip(examples) {
            for (side, rows) in rows.chunks_exact_mut(most).enumerate() {
                for (row, &input) in rows.iter_mut().zip(example.inputs(side)) {
                    *row = input.into();
                }
            }
        }
        let count = rows.len();
        Indices { rows: Tensor::from_data(TensorData::new(rows, [count]), device), pieces, most }
    }

    /// The bucket of each position, `[positions, 1]`.
    fn buckets(&self, buckets: usize, device: &Device<B>) -> Tensor<B, 2, Int> {
        let column: Vec<i32> = self.pieces.iter().map(|&pieces| bucket(pieces, buckets) as i32).collect();
        Tensor::from_data(TensorData::new(column, [self.pieces.len(), 1]), device)
    }
}

fn activations<B: Backend>(layer: &Affine<B>, inputs: &Indices<B>) -> Tensor<B, 2> {
    let (weight, bias) = (wrap::<B, 2>(&layer.weight), wrap::<B, 1>(&layer.bias));
    let [width] = bias.dims();
    let device = weight.device();
    let padded = Tensor::cat(vec![weight, Tensor::zeros([1, width], &device)], 0);
    let sides = 2 * inputs.pieces.len();
    let sums = padded.select(0, inputs.rows.clone()).reshape([sides, inputs.most, width]).sum_dim(1);
    let clamped = (sums.reshape([sides, width]) + bias.unsqueeze()).clamp(0.0, 1.0);
    clamped.square().reshape([inputs.pieces.len(), 2 * width])
}

fn outputs<B: Backend>(activations: Tensor<B, 2>, above: &Affine<B>, inputs: &Indices<B>) -> Tensor<B, 1> {
    let (weight, bias) = (wrap::<B, 2>(&above.weight), wrap::<B, 1>(&above.bias));
    let buckets = inputs.buckets(bias.dims()[0], &weight.device());
    (activations.matmul(weight) + bias.unsqueeze()).gather(1, buckets).squeeze_dim(1)
}

fn layer_gradient<B: Backend>(activations: Tensor<B, 2>, gradient: Tensor<B, 2>, inputs: &Indices<B>) -> Affine<B> {
    let (sides, width) = (2 * inputs.pieces.len(), activations.dims()[1] / 2);
    let device = activations.device();
    // A square has twice its root as slope; beyond the clamp there is none.
    let outside = activations.clone().greater_equal_elem(1.0);
    let slope = (gradient * activations.sqrt() * 2.0).mask_fill(outside, 0.0).reshape([sides, width]);
    let rows = slope.clone().unsqueeze_dim::<3>(1).repeat_dim(1, inputs.most).reshape([sides * inputs.most, width]);
    let weight = Tensor::<B, 2>::zeros([INPUTS + 1, width], &device).select_assign(
        0,
        inputs.rows.clone(),
        rows,
        IndexingUpdateOp::Add,
    );
    Affine { weight: unwrap(weight.narrow(0, 0, INPUTS)), bias: unwrap(slope.sum_dim(0).squeeze_dim::<1>(0)) }
}

fn wrap<B: Backend, const D: usize>(tensor: &FloatTensor<B>) -> Tensor<B, D> {
    Tensor::from_primitive(TensorPrimitive::Float(tensor.clone()))
}

fn unwrap<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> FloatTensor<B> {
    tensor.into_primitive().tensor()
}

/// Gives a backend the first layer by gather and scatter.
macro_rules! by_gather_and_scatter {
    ($backend:ty) => {
        impl Sparse for $backend {
            type Inputs = Indices<Self>;

            fn inputs(examples: &Arc<Vec<Example>>, device: &Device<Self>) -> Self::Inputs {
                Indices::new(examples, device)
            }

            fn activations(layer: Affine<Self>, inputs: &Self::Inputs) -> FloatTensor<Self> {
                unwrap(activations(&layer, inputs))
            }

            fn outputs(layer: Affine<Self>, above: Affine<Self>, inputs: &Self::Inputs) -> FloatTensor<Self> {
                Self::outputs_and_activations(layer, above, inputs).0
            }
        }

        impl SparseGradient for $backend {
            fn outputs_and_activations(
                layer: Affine<Self>,
                above: Affine<Self>,
                inputs: &Self::Inputs,
            ) -> (FloatTensor<Self>, FloatTensor<Self>) {
                let activations = activations(&layer, inputs);
                (unwrap(outputs(activations.clone(), &above, inputs)), unwrap(activations))
            }

            fn activations_gradient(
                activations: FloatTensor<Self>,
                gradient: FloatTensor<Self>,
                inputs: &Self::Inputs,
            ) -> Affine<Self> {
                layer_gradient(wrap(&activations), wrap(&gradient), inputs)
            }

            fn outputs_gradient(
                activations: FloatTensor<Self>,
                above: Affine<Self>,
                gradient: FloatTensor<Self>,
                inputs: &Self::Inputs,
            ) -> (Affine<Self>, Affine<Self>) {
                let activations = wrap::<Self, 2>(&activations);
                let (above, device) = (wrap::<Self, 2>(&above.weight), activations.device());
                let [positions, count] = [inputs.pieces.len(), above.dims()[1]];
                // Each position's gradient in the column of its bucket, and nothing in the others.
                let columns = Tensor::<Self, 2>::zeros([positions, count], &device).scatter(
                    1,
                    inputs.buckets(count, &device),
                    wrap::<Self, 1>(&gradient).unsqueeze_dim(1),
                    IndexingUpdateOp::Add,
                );
                let output = Affine {
                    weight: unwrap(activations.clone().transpose().matmul(columns.clone())),
                    bias: unwrap(columns.clone().sum_dim(0).squeeze_dim::<1>(0)),
                };
                (layer_gradient(activations, columns.matmul(above.transpose()), inputs), output)
            }
        }
    };
}

#[cfg(feature = "cuda")]
by_gather_and_scatter!(burn::backend::Cuda);
#[cfg(feature = "wgpu")]
by_gather_and_scatter!(burn::backend::Wgpu);
