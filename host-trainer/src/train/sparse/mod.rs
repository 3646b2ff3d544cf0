//! The first layer as operations of burn's: a product with inputs that are nearly all zero.
//!
//! burn's own ways to compute it, a product with a dense matrix or a gather, move ten times the bytes. So it is an
//! operation of our own with a gradient of its own ([`autodiff`]), and every backend brings its own way to compute the
//! two: [`cpu`] by loops that are fitted to it, others by burn's gather and scatter ([`portable`]). Where the layer
//! above is one number for each bucket, the two layers are one operation, and what passes between them stays in the
//! cache.

mod autodiff;
#[cfg(feature = "cpu")]
pub(in crate::train) mod cpu;
#[cfg(feature = "cpu")]
pub mod kernel;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
mod portable;
#[cfg(feature = "cpu")]
pub(in crate::train) mod registers;
pub mod seen;

use std::{fmt::Debug, sync::Arc};

use burn::tensor::{
    backend::Backend,
    ops::{Device, FloatTensor},
};

pub use seen::{Activation, Counted, Seen};

/// The first layer's width is a multiple of this.
pub const WIDTH_UNIT: usize = 16;

/// A backend that computes the first layer.
pub trait Sparse: Backend {
    /// The active inputs of a batch, where the backend wants them.
    type Inputs<P: Seen>: Clone + Debug + Send + Sync + 'static;

    /// Takes a batch's inputs to a device.
    fn inputs<P: Seen>(batch: &Arc<P>, device: &Device<Self>) -> Self::Inputs<P>;

    /// The activations, `[positions, sides * width]`: the side to move's first. Weights are `[inputs, width]`, biases
    /// `[width]`.
    fn activations<P: Seen>(layer: Affine<Self>, inputs: &Self::Inputs<P>) -> FloatTensor<Self>;

    /// The outputs, `[positions]`, of a network whose second layer, `[sides * width, buckets]` and `[buckets]`, is its
    /// last.
    fn outputs<P: Counted>(layer: Affine<Self>, above: Affine<Self>, inputs: &Self::Inputs<P>) -> FloatTensor<Self>;
}

/// A backend that computes the gradients of what [`Sparse`] computes.
pub trait SparseGradient: Sparse {
    /// [`Sparse::outputs`], and the activations that led there.
    fn outputs_and_activations<P: Counted>(
        layer: Affine<Self>,
        above: Affine<Self>,
        inputs: &Self::Inputs<P>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// The gradient of the layer, given the gradient of its activations.
    fn activations_gradient<P: Seen>(
        activations: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        inputs: &Self::Inputs<P>,
    ) -> Affine<Self>;

    /// The gradients of both layers, given the gradient of the outputs.
    fn outputs_gradient<P: Counted>(
        activations: FloatTensor<Self>,
        above: Affine<Self>,
        gradient: FloatTensor<Self>,
        inputs: &Self::Inputs<P>,
    ) -> (Affine<Self>, Affine<Self>);
}

/// The tensors of a layer, or their gradients.
#[derive(Clone, Debug)]
pub struct Affine<B: Backend> {
    /// `[inputs, outputs]`.
    pub weight: FloatTensor<B>,
    /// `[outputs]`.
    pub bias: FloatTensor<B>,
}
