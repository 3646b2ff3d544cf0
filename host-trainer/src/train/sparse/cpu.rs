//! The first layer on burn's own processor backend, by the loops of [`kernel`](super::kernel).

use std::{borrow::Cow, sync::Arc};

use burn::{
    backend::{Flex, flex::FlexTensor},
    tensor::{Shape, TensorData, TensorMetadata, ops::Device},
};

use super::{
    Affine, Counted, Seen, Sparse, SparseGradient,
    kernel::{self, Buckets, Layer},
};

impl Sparse for Flex {
    type Inputs<P: Seen> = Arc<P>;

    fn inputs<P: Seen>(batch: &Arc<P>, _device: &Device<Self>) -> Arc<P> {
        Arc::clone(batch)
    }

    fn activations<P: Seen>(layer: Affine<Self>, inputs: &Arc<P>) -> FlexTensor {
        let (weight, bias) = (values(&layer.weight), values(&layer.bias));
        let activations = kernel::activations(Layer { weight: &weight, bias: &bias }, &**inputs);
        tensor(activations, [inputs.positions(), P::SIDES * bias.len()])
    }

    fn outputs<P: Counted>(layer: Affine<Self>, above: Affine<Self>, inputs: &Arc<P>) -> FlexTensor {
        Self::outputs_and_activations(layer, above, inputs).0
    }
}

impl SparseGradient for Flex {
    fn outputs_and_activations<P: Counted>(
        layer: Affine<Self>,
        above: Affine<Self>,
        inputs: &Arc<P>,
    ) -> (FlexTensor, FlexTensor) {
        let (weight, bias) = (values(&layer.weight), values(&layer.bias));
        let above = buckets(&above);
        let (outputs, activations) = kernel::outputs(Layer { weight: &weight, bias: &bias }, &above, &**inputs);
        let positions = inputs.positions();
        (tensor(outputs, [positions]), tensor(activations, [positions, P::SIDES * bias.len()]))
    }

    fn activations_gradient<P: Seen>(activations: FlexTensor, gradient: FlexTensor, inputs: &Arc<P>) -> Affine<Self> {
        let (activations, width) = (values(&activations), activations.shape()[1] / P::SIDES);
        layer_gradient(kernel::gradient(width, &**inputs, &activations, &values(&gradient)), width).0
    }

    fn outputs_gradient<P: Counted>(
        activations: FlexTensor,
        above: Affine<Self>,
        gradient: FlexTensor,
        inputs: &Arc<P>,
    ) -> (Affine<Self>, Affine<Self>) {
        let (activations, width) = (values(&activations), activations.shape()[1] / P::SIDES);
        let above = buckets(&above);
        let gradient = kernel::outputs_gradient(width, &**inputs, &activations, &values(&gradient), &above);
        let (layer, output) = layer_gradient(gradient, width);
        let output = output.unwrap_or(above);
        let count = output.bias.len();
        (
            layer,
            Affine { weight: tensor(output.columns(), [P::SIDES * width, count]), bias: tensor(output.bias, [count]) },
        )
    }
}

fn layer_gradient(gradient: kernel::Gradient, width: usize) -> (Affine<Flex>, Option<Buckets>) {
    let inputs = gradient.weight.len() / width;
    let layer = Affine { weight: tensor(gradient.weight, [inputs, width]), bias: tensor(gradient.bias, [width]) };
    (layer, gradient.output)
}

fn buckets(layer: &Affine<Flex>) -> Buckets {
    Buckets::from_columns(&values(&layer.weight), &values(&layer.bias))
}

/// The values of a tensor in order, copied only where it does not hold them so.
pub(in crate::train) fn values(tensor: &FlexTensor) -> Cow<'_, [f32]> {
    match tensor.as_slice() {
        Some(values) => Cow::Borrowed(values),
        None => Cow::Owned(tensor.to_contiguous().storage().to_vec()),
    }
}

pub(in crate::train) fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, Shape::from(shape)))
}
