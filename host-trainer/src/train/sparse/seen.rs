//! Positions whose active inputs are few.

use std::fmt::Debug;

use burn::tensor::{Tensor, backend::Backend};

/// A batch of positions, and what its network's first layer makes of it.
pub trait Seen: Debug + Send + Sync + 'static {
    /// Inputs of the layer.
    const INPUTS: usize;

    /// How many times a position goes through the layer: once for each side whose perspective counts.
    const SIDES: usize;

    /// What stands behind the layer's sums.
    const ACTIVATION: Activation;

    /// How many positions there are.
    fn positions(&self) -> usize;

    /// The active inputs of a position, each below [`INPUTS`](Self::INPUTS), as a side has them.
    fn inputs(&self, position: usize, side: usize) -> &[u16];
}

/// Positions whose number of pieces chooses one of several outputs.
pub trait Counted: Seen {
    /// Pieces on the board.
    fn pieces(&self, position: usize) -> u32;
}

/// A function of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// The square of the sum clamped to 0..=1.
    Screlu,
    /// The sum if it is positive, or else 0.
    Relu,
}

impl Activation {
    /// The activation of a sum.
    #[inline(always)]
    pub fn of(self, sum: f32) -> f32 {
        match self {
            Activation::Screlu => {
                let clamped = sum.clamp(0.0, 1.0);
                clamped * clamped
            }
            Activation::Relu => sum.max(0.0),
        }
    }

    /// How fast it grows with the sum, where the activation is this.
    #[inline(always)]
    pub fn slope(self, activation: f32) -> f32 {
        match self {
            Activation::Screlu => {
                // A square has twice its root as slope; beyond the clamp there is none, and at zero the root is.
                let root = activation.sqrt();
                if root < 1.0 { 2.0 * root } else { 0.0 }
            }
            Activation::Relu => {
                if activation > 0.0 {
                    1.0
                } else {
                    0.0
                }
            }
        }
    }

    /// The activations of a tensor of sums.
    pub fn of_tensor<B: Backend, const D: usize>(self, sums: Tensor<B, D>) -> Tensor<B, D> {
        match self {
            Activation::Screlu => {
                let clamped = sums.clamp(0.0, 1.0);
                clamped.clone() * clamped
            }
            Activation::Relu => burn::tensor::activation::relu(sums),
        }
    }

    /// A gradient of activations taken down to their sums.
    pub fn gradient<B: Backend, const D: usize>(
        self,
        activations: Tensor<B, D>,
        gradient: Tensor<B, D>,
    ) -> Tensor<B, D> {
        match self {
            Activation::Screlu => {
                let outside = activations.clone().greater_equal_elem(1.0);
                (gradient * activations.sqrt() * 2.0).mask_fill(outside, 0.0)
            }
            Activation::Relu => {
                let below = activations.lower_equal_elem(0.0);
                gradient.mask_fill(below, 0.0)
            }
        }
    }
}
