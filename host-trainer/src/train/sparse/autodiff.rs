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

use super::{Affine, Counted, Seen, Sparse, SparseGradient};

impl<B: SparseGradient, C: CheckpointStrategy> Sparse for Autodiff<B, C> {
    type Inputs<P: Seen> = B::Inputs<P>;

    fn inputs<P: Seen>(batch: &Arc<P>, device: &Device<Self>) -> Self::Inputs<P> {
        B::inputs(batch, device)
    }

    fn activations<P: Seen>(layer: Affine<Self>, inputs: &Self::Inputs<P>) -> FloatTensor<Self> {
        let nodes = [layer.weight.node, layer.bias.node];
        let layer = Affine::<B> { weight: layer.weight.primitive, bias: layer.bias.primitive };
        let activations = B::activations(layer, inputs);
        match Activations::<B, P>(PhantomData).prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(node) => node.finish((activations.clone(), inputs.clone()), activations),
            OpsKind::UnTracked(node) => node.finish(activations),
        }
    }

    fn outputs<P: Counted>(layer: Affine<Self>, above: Affine<Self>, inputs: &Self::Inputs<P>) -> FloatTensor<Self> {
        let nodes = [layer.weight.node, layer.bias.node, above.weight.node, above.bias.node];
        let layer = Affine::<B> { weight: layer.weight.primitive, bias: layer.bias.primitive };
        let above = Affine::<B> { weight: above.weight.primitive, bias: above.bias.primitive };
        match Outputs::<B, P>(PhantomData).prepare::<C>(nodes).compute_bound().stateful() {
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
struct Activations<B, P>(PhantomData<(B, P)>);

impl<B: SparseGradient, P: Seen> Backward<B, 2> for Activations<B, P> {
    type State = (FloatTensor<B>, B::Inputs<P>);

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
struct Outputs<B, P>(PhantomData<(B, P)>);

impl<B: SparseGradient, P: Counted> Backward<B, 4> for Outputs<B, P> {
    type State = (FloatTensor<B>, Affine<B>, B::Inputs<P>);

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
