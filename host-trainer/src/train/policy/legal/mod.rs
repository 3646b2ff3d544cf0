//! The last layer over legal moves alone, and their cross entropy, as one operation.
//!
//! Of 4672 moves about thirty are legal. burn's ways to that are all logits and a mask, which computes a hundred times
//! too much, or a gather of rows ([`gathered`]), which moves every row through memory. So on a processor it is an
//! operation of our own with a gradient of its own: loops over the rows of weights that are asked for ([`kernel`]).

#[cfg(feature = "cpu")]
mod cpu;
#[cfg(any(feature = "cuda", feature = "wgpu", test))]
mod gathered;
#[cfg(feature = "cpu")]
pub mod kernel;

use std::sync::Arc;

use burn::tensor::{backend::Backend, ops::FloatTensor};

use super::examples::Lists;
use crate::train::sparse::Affine;

/// A backend that computes the last layer over legal moves.
pub trait Legal: Backend {
    /// The cross entropy of each position's first move, `[positions]`. The layer's weights are `[moves, inputs]`, what
    /// comes into it is `[positions, inputs]`.
    fn losses(layer: Affine<Self>, below: FloatTensor<Self>, moves: &Arc<Lists>) -> FloatTensor<Self>;

    /// The logits of all positions' moves, one list behind the other.
    fn logits(layer: Affine<Self>, below: FloatTensor<Self>, moves: &Arc<Lists>) -> Vec<f32>;
}

#[cfg(feature = "cuda")]
gathered::by_gather!(burn::backend::Cuda);
#[cfg(feature = "wgpu")]
gathered::by_gather!(burn::backend::Wgpu);
