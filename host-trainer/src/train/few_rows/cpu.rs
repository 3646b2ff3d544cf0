//! The product on burn's own processor backend, by the loops of [`kernel`](super::kernel).

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
    Lying, Product, by_burn,
    kernel::{MOST, Rows, outer, product},
};
use crate::train::sparse::cpu::{tensor, values};

impl Product for Flex {
    fn product(rows: FlexTensor, weights: FlexTensor, lying: Lying) -> FlexTensor {
        let count = rows.shape()[0];
        if count > MOST {
            return by_burn::<Self>(rows, weights, lying);
        }
        let outputs = outputs(&weights, lying);
        tensor(product(&rows_of(&rows), &values(&weights), outputs, lying).concat(count), [count, outputs])
    }
}

impl<C: CheckpointStrategy> Product for Autodiff<Flex, C> {
    fn product(rows: FloatTensor<Self>, weights: FloatTensor<Self>, lying: Lying) -> FloatTensor<Self> {
        if rows.primitive.shape()[0] > MOST {
            return by_burn::<Self>(rows, weights, lying);
        }
        let nodes = [rows.node, weights.node];
        let (rows, weights) = (rows.primitive, weights.primitive);
        let out = Flex::product(rows.clone(), weights.clone(), lying);
        match OfProduct(lying).prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(node) => node.finish((rows, weights), out),
            OpsKind::UnTracked(node) => node.finish(out),
        }
    }
}

fn rows_of(tensor: &FlexTensor) -> Rows {
    Rows::new(&values(tensor), tensor.shape()[1])
}

fn outputs(weights: &FlexTensor, lying: Lying) -> usize {
    match lying {
        Lying::ByInput => weights.shape()[1],
        Lying::ByOutput => weights.shape()[0],
    }
}

/// The gradient of [`Product::product`].
#[derive(Debug)]
struct OfProduct(Lying);

impl Backward<Flex, 2> for OfProduct {
    type State = (FlexTensor, FlexTensor);

    fn backward(self, ops: Ops<Self::State, 2>, gradients: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let (rows, weights) = ops.state;
        let upstream = rows_of(&gradients.consume::<Flex>(&ops.node));
        let [of_rows, of_weights] = ops.parents;
        let [count, inputs] = [rows.shape()[0], rows.shape()[1]];
        if let Some(parent) = of_rows {
            let back = match self.0 {
                Lying::ByInput => Lying::ByOutput,
                Lying::ByOutput => Lying::ByInput,
            };
            let gradient = product(&upstream, &values(&weights), inputs, back).concat(count);
            gradients.register::<Flex>(parent.id, tensor(gradient, [count, inputs]));
        }
        if let Some(parent) = of_weights {
            let rows = rows_of(&rows);
            let gradient = match self.0 {
                Lying::ByInput => outer(&rows, &upstream),
                Lying::ByOutput => outer(&upstream, &rows),
            };
            let shape = [weights.shape()[0], weights.shape()[1]];
            gradients.register::<Flex>(parent.id, tensor(gradient, shape));
        }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Tensor, TensorData};

    use super::*;
    use crate::train::layer::{FirstWeights, wrap};

    type Back = Autodiff<Flex>;

    /// The product, and the gradients of rows and weights, of our way or of burn's.
    fn computed(count: usize, lying: Lying, ours: bool) -> [Vec<f32>; 3] {
        let (inputs, outputs, device) = (37, 23, Default::default());
        let mut first = FirstWeights::<Back>::new(1, &device);
        let size = if lying == Lying::ByInput { [inputs, outputs] } else { [outputs, inputs] };
        let weights = first.layer(size, 0.5, vec![0.0; size[1]]).weight.val();
        let rows: Vec<f32> = (0..count * inputs).map(|_| first.uniform()).collect();
        let rows = Tensor::<Back, 2>::from_data(TensorData::new(rows, [count, inputs]), &device).require_grad();
        let out: Tensor<Back, 2> = if ours {
            let primitive = |tensor: &Tensor<Back, 2>| tensor.clone().into_primitive().tensor();
            wrap(Back::product(primitive(&rows), primitive(&weights), lying))
        } else if lying == Lying::ByInput {
            rows.clone().matmul(weights.clone())
        } else {
            rows.clone().matmul(weights.clone().transpose())
        };
        let gradients = out.clone().powf_scalar(2.0).sum().backward();
        let of = |tensor: &Tensor<Back, 2>| tensor.grad(&gradients).expect("a gradient").into_data();
        [out.inner().into_data(), of(&rows), of(&weights)].map(|data| data.to_vec().expect("floats"))
    }

    #[test]
    fn loops_and_burns_product_agree() {
        for count in [1, 3, MOST, MOST + 1] {
            for lying in [Lying::ByInput, Lying::ByOutput] {
                let pairs = computed(count, lying, true).into_iter().zip(computed(count, lying, false));
                for (ours, theirs) in pairs {
                    assert_eq!(ours.len(), theirs.len());
                    for (ours, theirs) in ours.iter().zip(theirs) {
                        assert!((ours - theirs).abs() < 1e-5, "{count} {lying:?}: {ours} {theirs}");
                    }
                }
            }
        }
    }
}
