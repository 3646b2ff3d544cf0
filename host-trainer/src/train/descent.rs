//! Stochastic gradient descent with momentum, whose step is one pass over a tensor.
//!
//! burn's own takes five, and with a few positions to a batch they are most of the time that a wide network learns for:
//! its weights are more than the cache holds. So a backend may bring a step of its own.

use burn::{
    optim::{LearningRate, SimpleOptimizer},
    record::Record,
    tensor::{
        Tensor, TensorPrimitive,
        backend::Backend,
        ops::{Device, FloatTensor},
    },
};

/// How much of a velocity is left after a step.
const MOMENTUM: f32 = 0.9;

/// A backend that takes a step of the descent.
pub trait Descend: Backend {
    /// The weights and their velocity after a step: the velocity, times [`MOMENTUM`], grows by the gradient, and the
    /// weights go against it by `lr` times its length.
    fn descend(
        weights: FloatTensor<Self>,
        velocity: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        lr: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let velocity = Self::float_add(Self::float_mul_scalar(velocity, MOMENTUM.into()), gradient);
        let way = Self::float_mul_scalar(velocity.clone(), lr.into());
        (Self::float_sub(weights, way), velocity)
    }
}

#[cfg(feature = "cuda")]
impl Descend for burn::backend::Cuda {}
#[cfg(feature = "wgpu")]
impl Descend for burn::backend::Wgpu {}

/// The descent as one of burn's optimisers.
#[derive(Clone, Debug)]
pub struct Descent;

/// What the descent remembers of a tensor.
#[derive(Clone, Debug, Record)]
pub struct Velocity<B: Backend, const D: usize> {
    velocity: Tensor<B, D>,
}

impl<B: Descend> SimpleOptimizer<B> for Descent {
    type State<const D: usize> = Velocity<B, D>;

    fn step<const D: usize>(
        &self,
        lr: LearningRate,
        weights: Tensor<B, D>,
        gradient: Tensor<B, D>,
        state: Option<Velocity<B, D>>,
    ) -> (Tensor<B, D>, Option<Velocity<B, D>>) {
        let velocity = state.map_or_else(|| gradient.zeros_like(), |state| state.velocity);
        let primitive = |tensor: Tensor<B, D>| tensor.into_primitive().tensor();
        let tensor = |primitive| Tensor::from_primitive(TensorPrimitive::Float(primitive));
        let (weights, velocity) = B::descend(primitive(weights), primitive(velocity), primitive(gradient), lr as f32);
        (tensor(weights), Some(Velocity { velocity: tensor(velocity) }))
    }

    fn to_device<const D: usize>(state: Velocity<B, D>, device: &Device<B>) -> Velocity<B, D> {
        Velocity { velocity: state.velocity.to_device(device) }
    }
}

/// The step on burn's own processor backend: weights and velocity are changed where they lie, on all cores.
#[cfg(feature = "cpu")]
mod cpu {
    use burn::backend::{Flex, flex::FlexTensor};
    use rayon::prelude::*;

    use super::{Descend, MOMENTUM};
    use crate::train::sparse::{
        cpu::values,
        registers::{Work, with_widest},
    };

    /// Weights that are one task.
    const CHUNK: usize = 1 << 16;

    impl Descend for Flex {
        fn descend(
            weights: FlexTensor,
            velocity: FlexTensor,
            gradient: FlexTensor,
            lr: f32,
        ) -> (FlexTensor, FlexTensor) {
            let [mut weights, mut velocity] = [weights, velocity].map(|tensor| tensor.to_contiguous());
            let parts = weights.storage_mut().par_chunks_mut(CHUNK).zip(velocity.storage_mut().par_chunks_mut(CHUNK));
            parts.zip(values(&gradient).par_chunks(CHUNK)).for_each(|((weights, velocity), gradient)| {
                with_widest(Step { weights, velocity, gradient, lr });
            });
            (weights, velocity)
        }
    }

    struct Step<'a> {
        weights: &'a mut [f32],
        velocity: &'a mut [f32],
        gradient: &'a [f32],
        lr: f32,
    }

    impl Work for Step<'_> {
        #[inline(always)]
        fn run(self) {
            for ((weight, velocity), gradient) in self.weights.iter_mut().zip(self.velocity).zip(self.gradient) {
                *velocity = MOMENTUM * *velocity + gradient;
                *weight -= self.lr * *velocity;
            }
        }
    }
}

#[cfg(all(test, feature = "cpu"))]
mod tests {
    use burn::{
        backend::{Autodiff, Flex},
        module::Module,
        optim::{GradientsParams, Optimizer, SgdConfig, adaptor::OptimizerAdaptor, momentum::MomentumConfig},
    };

    use super::*;
    use crate::train::layer::{FirstWeights, Layer};

    type Back = Autodiff<Flex>;

    /// Takes steps along gradients that grow with the weights.
    fn descend(optimiser: &mut impl Optimizer<Layer<Back>, Back>, mut layer: Layer<Back>) -> Vec<f32> {
        for _ in 0..5 {
            let (weight, bias) = layer.values(None);
            let loss = weight.powf_scalar(2.0).sum() + bias.exp().sum();
            let gradients = GradientsParams::from_grads(loss.backward(), &layer);
            layer = optimiser.step(0.05, layer, gradients);
        }
        let record = layer.into_record();
        [record.weight.val().into_data(), record.bias.val().into_data()]
            .into_iter()
            .flat_map(|data| data.to_vec::<f32>().expect("floats"))
            .collect()
    }

    #[test]
    fn it_goes_where_burns_own_descent_goes() {
        let device = Default::default();
        let layer = || FirstWeights::new(1, &device).layer([300, 301], 0.5, vec![0.1; 301]);
        let momentum = MomentumConfig::new().with_momentum(MOMENTUM.into()).with_dampening(0.0);
        let theirs = descend(&mut SgdConfig::new().with_momentum(Some(momentum)).init(), layer());
        let ours = descend(&mut OptimizerAdaptor::from(Descent), layer());
        let first = layer().weight.val().into_data().to_vec::<f32>().expect("floats");
        assert!((ours[0] - first[0]).abs() > 1e-3, "nothing moved");
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert!((ours - theirs).abs() < 1e-6, "{ours} {theirs}");
        }
    }
}
