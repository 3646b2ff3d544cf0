//! The first layer by burn's gather and scatter, for backends without loops of their own.

use std::sync::Arc;

use burn::tensor::{
    IndexingUpdateOp, Int, Tensor, TensorData, TensorPrimitive,
    backend::Backend,
    ops::{Device, FloatTensor},
};
use engine_core::net::features::bucket;

use super::{Affine, Counted, Seen, Sparse, SparseGradient};

/// The active inputs of a batch on a device.
#[derive(Debug)]
pub struct Indices<B: Backend, P> {
    /// Rows of weights, `[positions * sides * most]`; where a position has fewer inputs, the row behind the last.
    rows: Tensor<B, 1, Int>,
    /// The most active inputs of any position.
    most: usize,
    batch: Arc<P>,
}

/// Derived it would ask for batches that can be cloned.
impl<B: Backend, P> Clone for Indices<B, P> {
    fn clone(&self) -> Self {
        Self { rows: self.rows.clone(), most: self.most, batch: Arc::clone(&self.batch) }
    }
}

impl<B: Backend, P: Seen> Indices<B, P> {
    fn new(batch: &Arc<P>, device: &Device<B>) -> Self {
        let sides = || (0..batch.positions()).flat_map(|position| (0..P::SIDES).map(move |side| (position, side)));
        let most = sides().map(|(position, side)| batch.inputs(position, side).len()).max().unwrap_or(1);
        let mut rows = vec![P::INPUTS as i32; batch.positions() * P::SIDES * most];
        for (rows, (position, side)) in rows.chunks_exact_mut(most).zip(sides()) {
            for (row, &input) in rows.iter_mut().zip(batch.inputs(position, side)) {
                *row = input.into();
            }
        }
        let count = rows.len();
        let rows = Tensor::from_data(TensorData::new(rows, [count]), device);
        Indices { rows, most, batch: Arc::clone(batch) }
    }

    /// How often the layer is computed.
    fn sides(&self) -> usize {
        self.batch.positions() * P::SIDES
    }
}

impl<B: Backend, P: Counted> Indices<B, P> {
    /// The bucket of each position, `[positions, 1]`.
    fn buckets(&self, buckets: usize, device: &Device<B>) -> Tensor<B, 2, Int> {
        let positions = self.batch.positions();
        let column = (0..positions).map(|position| bucket(self.batch.pieces(position), buckets) as i32);
        Tensor::from_data(TensorData::new(column.collect::<Vec<i32>>(), [positions, 1]), device)
    }
}

fn activations<B: Backend, P: Seen>(layer: &Affine<B>, inputs: &Indices<B, P>) -> Tensor<B, 2> {
    let (weight, bias) = (wrap::<B, 2>(&layer.weight), wrap::<B, 1>(&layer.bias));
    let [width] = bias.dims();
    let device = weight.device();
    let padded = Tensor::cat(vec![weight, Tensor::zeros([1, width], &device)], 0);
    let sums = padded.select(0, inputs.rows.clone()).reshape([inputs.sides(), inputs.most, width]).sum_dim(1);
    let sums = sums.reshape([inputs.sides(), width]) + bias.unsqueeze();
    P::ACTIVATION.of_tensor(sums).reshape([inputs.batch.positions(), P::SIDES * width])
}

fn outputs<B: Backend, P: Counted>(
    activations: Tensor<B, 2>,
    above: &Affine<B>,
    inputs: &Indices<B, P>,
) -> Tensor<B, 1> {
    let (weight, bias) = (wrap::<B, 2>(&above.weight), wrap::<B, 1>(&above.bias));
    let buckets = inputs.buckets(bias.dims()[0], &weight.device());
    (activations.matmul(weight) + bias.unsqueeze()).gather(1, buckets).squeeze_dim(1)
}

fn layer_gradient<B: Backend, P: Seen>(
    activations: Tensor<B, 2>,
    gradient: Tensor<B, 2>,
    inputs: &Indices<B, P>,
) -> Affine<B> {
    let (sides, width) = (inputs.sides(), activations.dims()[1] / P::SIDES);
    let device = activations.device();
    let slope = P::ACTIVATION.gradient(activations, gradient).reshape([sides, width]);
    let rows = slope.clone().unsqueeze_dim::<3>(1).repeat_dim(1, inputs.most).reshape([sides * inputs.most, width]);
    let weight = Tensor::<B, 2>::zeros([P::INPUTS + 1, width], &device).select_assign(
        0,
        inputs.rows.clone(),
        rows,
        IndexingUpdateOp::Add,
    );
    Affine { weight: unwrap(weight.narrow(0, 0, P::INPUTS)), bias: unwrap(slope.sum_dim(0).squeeze_dim::<1>(0)) }
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
            type Inputs<P: Seen> = Indices<Self, P>;

            fn inputs<P: Seen>(batch: &Arc<P>, device: &Device<Self>) -> Self::Inputs<P> {
                Indices::new(batch, device)
            }

            fn activations<P: Seen>(layer: Affine<Self>, inputs: &Self::Inputs<P>) -> FloatTensor<Self> {
                unwrap(activations(&layer, inputs))
            }

            fn outputs<P: Counted>(
                layer: Affine<Self>,
                above: Affine<Self>,
                inputs: &Self::Inputs<P>,
            ) -> FloatTensor<Self> {
                Self::outputs_and_activations(layer, above, inputs).0
            }
        }

        impl SparseGradient for $backend {
            fn outputs_and_activations<P: Counted>(
                layer: Affine<Self>,
                above: Affine<Self>,
                inputs: &Self::Inputs<P>,
            ) -> (FloatTensor<Self>, FloatTensor<Self>) {
                let activations = activations(&layer, inputs);
                (unwrap(outputs(activations.clone(), &above, inputs)), unwrap(activations))
            }

            fn activations_gradient<P: Seen>(
                activations: FloatTensor<Self>,
                gradient: FloatTensor<Self>,
                inputs: &Self::Inputs<P>,
            ) -> Affine<Self> {
                layer_gradient(wrap(&activations), wrap(&gradient), inputs)
            }

            fn outputs_gradient<P: Counted>(
                activations: FloatTensor<Self>,
                above: Affine<Self>,
                gradient: FloatTensor<Self>,
                inputs: &Self::Inputs<P>,
            ) -> (Affine<Self>, Affine<Self>) {
                let activations = wrap::<Self, 2>(&activations);
                let (above, device) = (wrap::<Self, 2>(&above.weight), activations.device());
                let [positions, count] = [inputs.batch.positions(), above.dims()[1]];
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
