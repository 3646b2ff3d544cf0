//! The first layer on burn's own processor backend, by the loops of [`kernel`](super::kernel).

use std::{borrow::Cow, sync::Arc};

use burn::{
    backend::{Flex, flex::FlexTensor},
    tensor::{Shape, TensorData, TensorMetadata, ops::Device},
};

use super::{
    Affine, Sparse, SparseGradient,
    kernel::{self, Buckets, Layer, Upstream},
};
use crate::train::examples::Example;

impl Sparse for Flex {
    type Inputs = Arc<Vec<Example>>;

    fn inputs(examples: &Arc<Vec<Example>>, _device: &Device<Self>) -> Self::Inputs {
        Arc::clone(examples)
    }

    fn activations(layer: Affine<Self>, inputs: &Self::Inputs) -> FlexTensor {
        let (weight, bias) = (values(&layer.weight), values(&layer.bias));
        let activations = kernel::activations(Layer { weight: &weight, bias: &bias }, inputs);
        tensor(activations, [inputs.len(), 2 * bias.len()])
    }

    fn outputs(layer: Affine<Self>, above: Affine<Self>, inputs: &Self::Inputs) -> FlexTensor {
        Self::outputs_and_activations(layer, above, inputs).0
    }
}

impl SparseGradient for Flex {
    fn outputs_and_activations(
        layer: Affine<Self>,
        above: Affine<Self>,
        inputs: &Self::Inputs,
    ) -> (FlexTensor, FlexTensor) {
        let (weight, bias) = (values(&layer.weight), values(&layer.bias));
        let above = buckets(&above);
        let (outputs, activations) = kernel::outputs(Layer { weight: &weight, bias: &bias }, &above, inputs);
        (tensor(outputs, [inputs.len()]), tensor(activations, [inputs.len(), 2 * bias.len()]))
    }

    fn activations_gradient(activations: FlexTensor, gradient: FlexTensor, inputs: &Self::Inputs) -> Affine<Self> {
        let (activations, width) = (values(&activations), activations.shape()[1] / 2);
        let upstream = values(&gradient);
        layer_gradient(kernel::gradient(width, inputs, &activations, Upstream::Activations(&upstream)), width).0
    }

    fn outputs_gradient(
        activations: FlexTensor,
        above: Affine<Self>,
        gradient: FlexTensor,
        inputs: &Self::Inputs,
    ) -> (Affine<Self>, Affine<Self>) {
        let (activations, width) = (values(&activations), activations.shape()[1] / 2);
        let (above, upstream) = (buckets(&above), values(&gradient));
        let gradient = kernel::gradient(width, inputs, &activations, Upstream::Outputs(&upstream, &above));
        let (layer, output) = layer_gradient(gradient, width);
        let output = output.unwrap_or(above);
        let count = output.bias.len();
        (layer, Affine { weight: tensor(output.columns(), [2 * width, count]), bias: tensor(output.bias, [count]) })
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
fn values(tensor: &FlexTensor) -> Cow<'_, [f32]> {
    match tensor.as_slice() {
        Some(values) => Cow::Borrowed(values),
        None => Cow::Owned(tensor.to_contiguous().storage().to_vec()),
    }
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, Shape::from(shape)))
}
