//! A product of few rows with a wide matrix, as an operation of our own.
//!
//! A step of four positions touches every weight of a wide layer and does little with it, so it should cost what
//! reading them costs. burn's product packs the matrix first, and clears the room for its gradient before it fills it.
//! On a processor so few rows therefore go by loops ([`kernel`]) that pass over the matrix once.

#[cfg(feature = "cpu")]
mod cpu;
#[cfg(feature = "cpu")]
mod kernel;

use burn::tensor::{backend::Backend, ops::FloatTensor};

/// How a layer's weights lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lying {
    /// `[inputs, outputs]`.
    ByInput,
    /// `[outputs, inputs]`.
    ByOutput,
}

/// A backend that multiplies rows with weights.
pub trait Product: Backend {
    /// What comes out, `[rows, outputs]`, of what comes in, `[rows, inputs]`.
    fn product(rows: FloatTensor<Self>, weights: FloatTensor<Self>, lying: Lying) -> FloatTensor<Self> {
        by_burn::<Self>(rows, weights, lying)
    }
}

fn by_burn<B: Backend>(rows: FloatTensor<B>, weights: FloatTensor<B>, lying: Lying) -> FloatTensor<B> {
    match lying {
        Lying::ByInput => B::float_matmul(rows, weights),
        Lying::ByOutput => B::float_matmul(rows, B::float_transpose(weights)),
    }
}

/// Gives a backend, and its gradients, burn's own product.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
macro_rules! all_by_burn {
    ($backend:ty) => {
        impl Product for $backend {}
        impl<C: burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy> Product
            for burn::backend::Autodiff<$backend, C>
        {
        }
    };
}

#[cfg(feature = "cuda")]
all_by_burn!(burn::backend::Cuda);
#[cfg(feature = "wgpu")]
all_by_burn!(burn::backend::Wgpu);
