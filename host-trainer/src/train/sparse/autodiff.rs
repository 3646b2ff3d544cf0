//! The first layer where gradients are wanted: its operations as nodes of burn's graph.

use std::{marker::PhantomData, sync::Arc};

use burn::{
    backend::{
        Autodiff,
        autodiff::{
            checkpoint::{base::Checkpointer, strategy::CheckpointStrategy},
            grads::Gradients,
            ops::{Backward, Ops, OpsKind},
        },
    },
    tensor::ops::{Device, FloatTensor},
};

use super::{Affine, Sparse, SparseGradient};
use crate::train::examples::Example;

impl<B: SparseGradient, C: CheckpointStrategy> Sparse for Autodiff<B, C> {
    type Inputs = B::Inputs;

    fn inputs(examples: &Arc<Vec<Example>>, device: &Device<Self>) -> Self::Inputs {
        B::inputs(examples, device)
    }

    fn activations(layer: Affine<Self>, inputs: &Self::Inputs) -> FloatTensor<Self> {
        let nodes = [layer.weight.node, layer.bias.node];
        let layer = Affine::<B> { weight: layer.weight.primitive, bias: layer.bias.primitive };
        let activations = B::activations(layer, inputs);
        match Activations::<B>(PhantomData).prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(node) => node.finish((activations.clone(), inputs.clone()), activations),
            OpsKind::UnTracked(node) => node.finish(activations),
        }
    }

    fn outputs(layer: Affine<Self>, above: Affine<Self>, inputs: &Self::Inputs) -> FloatTensor<Self> {
        let nodes = [layer.weight.node, layer.bias.node, above.weight.node, above.bias.node];
        let layer = Affine::<B> { weight: layer.weight.primitive, bias: layer.bias.primitive };
        let above = Affine::<B> { weight: above.weight.primitive, bias: above.bias.primitive };
        match Outputs::<B>(PhantomData).prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(node) => {
                let (outputs, activations) = B::outputs_and_activations(layer, above.clone(), inputs);
                node.finish((activations, above, inputs.clone()), outputs)
            }
            OpsKind::UnTracked(node) => node.finish(B::outputs(layer, above, inputs)),
        }
    }
}

/// The gradient of [`Sparse::activations`].
#[derive(Debug)]
struct Activations<B>(PhantomData<B>);

impl<B: SparseGradient> Backward<B, 2> for Activations<B> {
    type State = (FloatTensor<B>, B::Inputs);

    fn backward(self, ops: Ops<Self::State, 2>, gradients: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let (activations, inputs) = ops.state;
        let upstream = gradients.consume::<B>(&ops.node);
        let layer = B::activations_gradient(activations, upstream, &inputs);
        for (parent, gradient) in ops.parents.into_iter().zip([layer.weight, layer.bias]) {
            if let Some(parent) = parent {
                gradients.register::<B>(parent.id, gradient);
            }
        }
    }
}

/// The gradient of [`Sparse::outputs`].
#[derive(Debug)]
struct Outputs<B>(PhantomData<B>);

impl<B: SparseGradient> Backward<B, 4> for Outputs<B> {
    type State = (FloatTensor<B>, Affine<B>, B::Inputs);

    fn backward(self, ops: Ops<Self::State, 4>, gradients: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let (activations, above, inputs) = ops.state;
        let upstream = gradients.consume::<B>(&ops.node);
        let (layer, above) = B::outputs_gradient(activations, above, upstream, &inputs);
        for (parent, gradient) in ops.parents.into_iter().zip([layer.weight, layer.bias, above.weight, above.bias]) {
            if let Some(parent) = parent {
                gradients.register::<B>(parent.id, gradient);
            }
        }
    }
}
