//! The last layer over legal moves by burn's gather, for backends without loops of their own.

use burn::tensor::{Bool, Int, Tensor, TensorData, activation::log_softmax, backend::Backend};

use crate::train::policy::examples::Lists;

/// The logits of each position's moves, `[positions, most]`; far below all others where it has fewer.
fn padded<B: Backend>(weight: Tensor<B, 2>, bias: Tensor<B, 1>, below: Tensor<B, 2>, moves: &Lists) -> Tensor<B, 2> {
    let ([positions, inputs], most, device) = (below.dims(), moves.longest(), below.device());
    let mut rows = vec![0i32; positions * most];
    let mut beyond = vec![true; positions * most];
    for (position, moves) in moves.iter().enumerate() {
        for (place, &mv) in (position * most..).zip(moves) {
            (rows[place], beyond[place]) = (mv.into(), false);
        }
    }
    let rows = Tensor::<B, 1, Int>::from_data(TensorData::new(rows, [positions * most]), &device);
    let beyond = Tensor::<B, 2, Bool>::from_data(TensorData::new(beyond, [positions, most]), &device);
    let weight = weight.select(0, rows.clone()).reshape([positions, most, inputs]);
    let products = weight.matmul(below.reshape([positions, inputs, 1])).reshape([positions, most]);
    (products + bias.select(0, rows).reshape([positions, most])).mask_fill(beyond, -1e9)
}

/// The cross entropy of each position's first move, `[positions]`.
pub(super) fn losses<B: Backend>(
    weight: Tensor<B, 2>,
    bias: Tensor<B, 1>,
    below: Tensor<B, 2>,
    moves: &Lists,
) -> Tensor<B, 1> {
    log_softmax(padded(weight, bias, below, moves), 1).narrow(1, 0, 1).neg().squeeze_dim(1)
}

/// The logits of all positions' moves, one list behind the other.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(super) fn logits<B: Backend>(
    weight: Tensor<B, 2>,
    bias: Tensor<B, 1>,
    below: Tensor<B, 2>,
    moves: &Lists,
) -> Vec<f32> {
    let logits: Vec<f32> = padded(weight, bias, below, moves).into_data().to_vec().expect("logits are floats");
    let rows = logits.chunks_exact(moves.longest().max(1)).zip(moves.iter());
    rows.flat_map(|(row, moves)| row[..moves.len()].iter().copied()).collect()
}

/// Gives a backend, and its gradients, the last layer by gather.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
macro_rules! by_gather {
    ($backend:ty) => {
        $crate::train::policy::legal::gathered::by_gather!($backend, impl Legal for $backend);
        $crate::train::policy::legal::gathered::by_gather!(
            $backend,
            impl<C: burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy> Legal
                for burn::backend::Autodiff<$backend, C>
        );
    };
    ($backend:ty, $($head:tt)*) => {
        $($head)* {
            fn losses(layer: Affine<Self>, below: FloatTensor<Self>, moves: &Arc<Lists>) -> FloatTensor<Self> {
                use $crate::train::layer::wrap;
                let losses = gathered::losses::<Self>(wrap(layer.weight), wrap(layer.bias), wrap(below), moves);
                losses.into_primitive().tensor()
            }

            fn logits(layer: Affine<Self>, below: FloatTensor<Self>, moves: &Arc<Lists>) -> Vec<f32> {
                use $crate::train::layer::wrap;
                gathered::logits::<Self>(wrap(layer.weight), wrap(layer.bias), wrap(below), moves)
            }
        }
    };
}
#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(super) use by_gather;
