//! Layers of a network: their first weights, their limits, their rounding.

use burn::{
    module::{Module, Param, ParamId},
    tensor::{
        Tensor, TensorData, TensorPrimitive,
        backend::{AutodiffBackend, Backend},
        ops::{Device, FloatTensor},
    },
};

use super::{
    few_rows::{Lying, Product},
    sparse::Affine,
};
use crate::arena::random::SplitMix64;

/// Weights `[inputs, outputs]` and biases `[outputs]`.
#[derive(Module, Debug)]
pub struct Layer<B: Backend> {
    pub(super) weight: Param<Tensor<B, 2>>,
    pub(super) bias: Param<Tensor<B, 1>>,
}

/// Makes the layers of a network that knows nothing, the same for the same seed.
#[derive(Debug)]
pub struct FirstWeights<'a, B: Backend> {
    random: SplitMix64,
    /// The optimiser knows its state by these numbers, so they must be the same in every run.
    id: u64,
    device: &'a Device<B>,
}

impl<'a, B: Backend> FirstWeights<'a, B> {
    /// Begins with the first layer.
    pub fn new(seed: u64, device: &'a Device<B>) -> Self {
        FirstWeights { random: SplitMix64::new(seed), id: 0, device }
    }

    /// A number between -1 and 1.
    pub fn uniform(&mut self) -> f32 {
        (self.random.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// A layer of weights of at most `reach` in magnitude, and these biases.
    pub fn layer(&mut self, [inputs, outputs]: [usize; 2], reach: f32, bias: Vec<f32>) -> Layer<B> {
        let weight: Vec<f32> = (0..inputs * outputs).map(|_| reach * self.uniform()).collect();
        self.id += 2;
        let bias_shape = [bias.len()];
        let weight = Tensor::from_data(TensorData::new(weight, [inputs, outputs]), self.device);
        let bias = Tensor::from_data(TensorData::new(bias, bias_shape), self.device);
        Layer {
            weight: Param::initialized(ParamId::from(self.id), weight.require_grad()),
            bias: Param::initialized(ParamId::from(self.id + 1), bias.require_grad()),
        }
    }
}

/// The largest magnitude of an int8 weight. -128 is left out, so that a sign can change.
pub const LARGEST: f64 = 127.0;

/// How many steps of a layer's integers one unit of its real numbers has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Of its weights, which become int8.
    pub weight: f64,
    /// The largest magnitude of a weight in these steps, at most [`LARGEST`].
    pub largest: f64,
    /// Of its biases, which have room enough.
    pub bias: f64,
}

impl Steps {
    /// The largest magnitude of a weight.
    #[must_use]
    pub fn reach(self) -> f32 {
        (self.largest / self.weight) as f32
    }
}

impl<B: Backend> Layer<B> {
    /// Weights and biases, rounded if there are steps to round to.
    pub fn values(&self, steps: Option<Steps>) -> (Tensor<B, 2>, Tensor<B, 1>) {
        let (weight, bias) = (self.weight.val(), self.bias.val());
        match steps {
            Some(steps) => (rounded(weight, steps.weight), rounded(bias, steps.bias)),
            None => (weight, bias),
        }
    }
}

impl<B: Product> Layer<B> {
    /// The sums of the layer, `[positions, outputs]`, over what comes in, `[positions, inputs]`.
    pub fn product(&self, below: Tensor<B, 2>, lying: Lying) -> Tensor<B, 2> {
        let weight = self.weight.val().into_primitive().tensor();
        let product: Tensor<B, 2> = wrap(B::product(below.into_primitive().tensor(), weight, lying));
        product + self.bias.val().unsqueeze()
    }
}

impl<B: AutodiffBackend> Layer<B> {
    /// The layer with every weight inside the range that its integers can have.
    #[must_use]
    pub fn clipped(self, steps: Steps) -> Layer<B> {
        let reach = steps.reach();
        // Outside the graph: the clipped weight is a new leaf of it.
        let clamped = |weight: Tensor<B, 2>| weight.inner().clamp(-reach, reach);
        let weight = self.weight.map(|weight| Tensor::from_inner(clamped(weight)).require_grad());
        Layer { weight, bias: self.bias }
    }
}

/// Values rounded to multiples of `1 / steps`. The first difference is zero and carries the gradient.
fn rounded<B: Backend, const D: usize>(values: Tensor<B, D>, steps: f64) -> Tensor<B, D> {
    let still = values.clone().detach();
    (values - still.clone()) + still.mul_scalar(steps).round().div_scalar(steps)
}

/// A layer as an operation of our own takes it.
pub fn primitives<B: Backend>((weight, bias): (Tensor<B, 2>, Tensor<B, 1>)) -> Affine<B> {
    Affine { weight: weight.into_primitive().tensor(), bias: bias.into_primitive().tensor() }
}

/// What an operation of our own gave.
pub fn wrap<B: Backend, const D: usize>(tensor: FloatTensor<B>) -> Tensor<B, D> {
    Tensor::from_primitive(TensorPrimitive::Float(tensor))
}
