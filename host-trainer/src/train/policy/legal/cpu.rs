//! The last layer on burn's own processor backend, by the loops of [`kernel`](super::kernel).

use std::sync::Arc;

use burn::{
    backend::{
        Autodiff, Flex,
        autodiff::{
            checkpoint::{base::Checkpointer, strategy::CheckpointStrategy},
            grads::Gradients,
            ops::{Backward, Ops, OpsKind},
        },
        flex::FlexTensor,
    },
    tensor::{TensorMetadata, ops::FloatTensor},
};

use super::{
    Legal,
    kernel::{self, Asked},
};
use crate::train::{
    policy::examples::Lists,
    sparse::{
        Affine,
        cpu::{tensor, values},
        kernel::Layer,
    },
};

impl Legal for Flex {
    fn losses(layer: Affine<Self>, below: FlexTensor, moves: &Arc<Lists>) -> FlexTensor {
        losses_and_chances(&layer, &below, moves).0
    }

    fn logits(layer: Affine<Self>, below: FlexTensor, moves: &Arc<Lists>) -> Vec<f32> {
        let (weight, bias, below) = (values(&layer.weight), values(&layer.bias), values(&below));
        kernel::logits(Layer { weight: &weight, bias: &bias }, Asked { below: &below, moves })
    }
}

fn losses_and_chances(layer: &Affine<Flex>, below: &FlexTensor, moves: &Lists) -> (FlexTensor, Vec<f32>) {
    let (weight, bias, below) = (values(&layer.weight), values(&layer.bias), values(below));
    let (losses, chances) = kernel::losses(Layer { weight: &weight, bias: &bias }, Asked { below: &below, moves });
    let positions = losses.len();
    (tensor(losses, [positions]), chances)
}

impl<C: CheckpointStrategy> Legal for Autodiff<Flex, C> {
    fn losses(layer: Affine<Self>, below: FloatTensor<Self>, moves: &Arc<Lists>) -> FloatTensor<Self> {
        let nodes = [layer.weight.node, layer.bias.node, below.node];
        let layer = Affine::<Flex> { weight: layer.weight.primitive, bias: layer.bias.primitive };
        let below = below.primitive;
        let (losses, chances) = losses_and_chances(&layer, &below, moves);
        match Losses.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(node) => {
                let state = State { weight: layer.weight, below, moves: Arc::clone(moves), chances };
                node.finish(state, losses)
            }
            OpsKind::UnTracked(node) => node.finish(losses),
        }
    }

    fn logits(layer: Affine<Self>, below: FloatTensor<Self>, moves: &Arc<Lists>) -> Vec<f32> {
        let layer = Affine { weight: layer.weight.primitive, bias: layer.bias.primitive };
        Flex::logits(layer, below.primitive, moves)
    }
}

/// The gradient of [`Legal::losses`].
#[derive(Debug)]
struct Losses;

/// What the gradient needs of the forward pass.
#[derive(Clone, Debug)]
struct State {
    weight: FlexTensor,
    below: FlexTensor,
    moves: Arc<Lists>,
    chances: Vec<f32>,
}

impl Backward<Flex, 3> for Losses {
    type State = State;

    fn backward(self, ops: Ops<State, 3>, gradients: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let State { weight, below, moves, chances } = ops.state;
        let upstream = gradients.consume::<Flex>(&ops.node);
        let asked = Asked { below: &values(&below), moves: &moves };
        let gradient = kernel::gradient(&values(&weight), asked, &chances, &values(&upstream));
        let [outputs, inputs] = [weight.shape()[0], weight.shape()[1]];
        let of_layer = [tensor(gradient.weight, [outputs, inputs]), tensor(gradient.bias, [outputs])];
        let of_below = tensor(gradient.below, [moves.len(), inputs]);
        for (parent, gradient) in ops.parents.into_iter().zip(of_layer.into_iter().chain([of_below])) {
            if let Some(parent) = parent {
                gradients.register::<Flex>(parent.id, gradient);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{
        layer::{FirstWeights, primitives, wrap},
        policy::{bench::random_examples, examples::Batch, legal::gathered},
    };
    use burn::tensor::{Tensor, TensorData};

    type Back = Autodiff<Flex>;

    #[test]
    fn loops_and_gather_agree() {
        let device = Default::default();
        let batch = Batch::new(&random_examples(300, 1), 0..300);
        let mut first = FirstWeights::<Back>::new(1, &device);
        let layer = first.layer([engine_core::net::move_planes::OUTPUTS, 24], 0.3, vec![0.1; 4672]);
        let below: Vec<f32> = (0..300 * 24).map(|_| first.uniform()).collect();
        let below = Tensor::<Back, 2>::from_data(TensorData::new(below, [300, 24]), &device).require_grad();
        let (weight, bias) = layer.values(None);

        let ours: Tensor<Back, 1> = wrap(Back::losses(
            primitives((weight.clone(), bias.clone())),
            below.clone().into_primitive().tensor(),
            &batch.moves,
        ));
        let theirs = gathered::losses(weight.clone(), bias.clone(), below.clone(), &batch.moves);
        let values = |tensor: Tensor<Back, 1>| tensor.into_data().to_vec::<f32>().expect("floats");
        for (ours, theirs) in values(ours.clone()).iter().zip(values(theirs.clone())) {
            assert!((ours - theirs).abs() < 1e-4, "{ours} {theirs}");
        }
        let (ours, theirs) = (ours.mean().backward(), theirs.mean().backward());
        let mut pairs = Vec::new();
        for tensor in [&weight, &below] {
            let of = |gradients| {
                let gradient = tensor.grad(gradients).expect("a gradient");
                gradient.into_data().to_vec::<f32>().expect("floats")
            };
            pairs.push((of(&ours), of(&theirs)));
        }
        let of = |gradients| bias.grad(gradients).expect("a gradient").into_data().to_vec::<f32>().expect("floats");
        pairs.push((of(&ours), of(&theirs)));
        for (ours, theirs) in pairs {
            let largest = theirs.iter().fold(0.0f32, |largest, slope| largest.max(slope.abs()));
            assert!(largest > 0.0);
            for (ours, theirs) in ours.iter().zip(theirs) {
                assert!((ours - theirs).abs() < 1e-4 * largest, "{ours} {theirs}");
            }
        }
    }
}
