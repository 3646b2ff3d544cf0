//! A product of few rows with a wide matrix, as an operation of our own.
//!
//! A step of four positions touches every weight of a wide layer and does little with it, so it should cost what
//! reading them costs. burn's product packs the matrix first, and clears the room for its gradient before it fills it.
//! On a processor so few rows therefore go by loops ([`cpu`]) that pass over the matrix once.

use burn::tensor::{backend::Backend, ops::FloatTensor};

/// How a layer's weights lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lying {
    /// `[inputs, outputs]`.
    ByInput,
    /// `[outputs, inputs]`.
    ByOutput,
}

/// A backend that multiplies rows with weights.
pub trait Product: Backend {
    /// What comes out, `[rows, outputs]`, of what comes in, `[rows, inputs]`.
    fn product(rows: FloatTensor<Self>, weights: FloatTensor<Self>, lying: Lying) -> FloatTensor<Self> {
        by_burn::<Self>(rows, weights, lying)
    }
}

fn by_burn<B: Backend>(rows: FloatTensor<B>, weights: FloatTensor<B>, lying: Lying) -> FloatTensor<B> {
    match lying {
        Lying::ByInput => B::float_matmul(rows, weights),
        Lying::ByOutput => B::float_matmul(rows, B::float_transpose(weights)),
    }
}

/// Gives a backend, and its gradients, burn's own product.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
macro_rules! all_by_burn {
    ($backend:ty) => {
        impl Product for $backend {}
        impl<C: burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy> Product
            for burn::backend::Autodiff<$backend, C>
        {
        }
    };
}

#[cfg(feature = "cuda")]
all_by_burn!(burn::backend::Cuda);
#[cfg(feature = "wgpu")]
all_by_burn!(burn::backend::Wgpu);

/// The product on burn's own processor backend.
#[cfg(feature = "cpu")]
mod cpu {
    use std::{array, iter};

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

    use super::{Lying, Product, by_burn};
    use crate::train::sparse::{
        cpu::{tensor, values},
        registers::{Work, with_widest},
    };

    /// So many rows at most; fewer are filled up with zeros.
    const MOST: usize = 4;

    impl Product for Flex {
        fn product(rows: FlexTensor, weights: FlexTensor, lying: Lying) -> FlexTensor {
            let count = rows.shape()[0];
            if count > MOST {
                return by_burn::<Self>(rows, weights, lying);
            }
            let outputs = outputs(&weights, lying);
            tensor(product(&Rows::new(&rows), &values(&weights), outputs, lying).concat(count), [count, outputs])
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
            let upstream = Rows::new(&gradients.consume::<Flex>(&ops.node));
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
                let rows = Rows::new(&rows);
                let gradient = match self.0 {
                    Lying::ByInput => outer(&rows, &upstream),
                    Lying::ByOutput => outer(&upstream, &rows),
                };
                let shape = [weights.shape()[0], weights.shape()[1]];
                gradients.register::<Flex>(parent.id, tensor(gradient, shape));
            }
        }
    }

    /// [`MOST`] rows.
    struct Rows([Vec<f32>; MOST]);

    impl Rows {
        fn new(tensor: &FlexTensor) -> Rows {
            let (values, length) = (values(tensor), tensor.shape()[1]);
            Rows(array::from_fn(|row| match values.get(row * length..(row + 1) * length) {
                Some(row) => row.to_vec(),
                None => vec![0.0; length],
            }))
        }

        fn zero(length: usize) -> Rows {
            Rows(array::from_fn(|_| vec![0.0; length]))
        }

        /// The first so many rows, one behind the other.
        fn concat(self, count: usize) -> Vec<f32> {
            self.0[..count].concat()
        }

        fn as_slices(&self) -> [&[f32]; MOST] {
            self.0.each_ref().map(Vec::as_slice)
        }
    }

    fn product(rows: &Rows, weights: &[f32], outputs: usize, lying: Lying) -> Rows {
        let mut out = Rows::zero(outputs);
        let (rows, sums) = (rows.as_slices(), out.0.each_mut().map(Vec::as_mut_slice));
        match lying {
            Lying::ByInput => with_widest(ByInput { rows, weights, sums }),
            Lying::ByOutput => with_widest(ByOutput { rows, weights, sums }),
        }
        out
    }

    /// The sum over the rows of each product of a left with a right number, `[left, right]`.
    fn outer(left: &Rows, right: &Rows) -> Vec<f32> {
        let mut products = Vec::with_capacity(left.0[0].len() * right.0[0].len());
        with_widest(Outer { left: left.as_slices(), right: right.as_slices(), products: &mut products });
        products
    }

    /// Inputs whose weights are read together: so the sums are taken up and put down a quarter as often.
    const TOGETHER: usize = 4;

    struct ByInput<'a> {
        rows: [&'a [f32]; MOST],
        weights: &'a [f32],
        sums: [&'a mut [f32]; MOST],
    }

    impl Work for ByInput<'_> {
        #[inline(always)]
        fn run(mut self) {
            let outputs = self.sums[0].len();
            let weights = |input: usize| &self.weights[input * outputs..][..outputs];
            // Behind a ReLU many inputs are zero in every row.
            let inputs = 0..self.rows[0].len();
            let active: Vec<usize> = inputs.filter(|&input| self.rows.iter().any(|row| row[input] != 0.0)).collect();
            let (blocks, rest) = active.as_chunks::<TOGETHER>();
            for block in blocks {
                let [first, second, third, fourth] = block.map(weights);
                for (row, sums) in self.rows.iter().zip(&mut self.sums) {
                    let of = block.map(|input| row[input]);
                    let weights = first.iter().zip(second).zip(third.iter().zip(fourth));
                    for (sum, ((first, second), (third, fourth))) in sums.iter_mut().zip(weights) {
                        *sum += (of[0] * first + of[1] * second) + (of[2] * third + of[3] * fourth);
                    }
                }
            }
            for &input in rest {
                for (row, sums) in self.rows.iter().zip(&mut self.sums) {
                    for (sum, weight) in sums.iter_mut().zip(weights(input)) {
                        *sum += row[input] * weight;
                    }
                }
            }
        }
    }

    struct ByOutput<'a> {
        rows: [&'a [f32]; MOST],
        weights: &'a [f32],
        sums: [&'a mut [f32]; MOST],
    }

    impl Work for ByOutput<'_> {
        #[inline(always)]
        fn run(self) {
            const LANES: usize = 8;
            let inputs = self.rows[0].len();
            for (output, weights) in self.weights.chunks_exact(inputs).enumerate() {
                let mut lanes = [[0.0; LANES]; MOST];
                let (weights, weights_left) = weights.as_chunks::<LANES>();
                let rows = self.rows.map(|row| row.as_chunks::<LANES>());
                for (block, weights) in weights.iter().enumerate() {
                    for (lanes, (row, _)) in lanes.iter_mut().zip(rows) {
                        for lane in 0..LANES {
                            lanes[lane] += row[block][lane] * weights[lane];
                        }
                    }
                }
                for row in 0..MOST {
                    let left: f32 = rows[row].1.iter().zip(weights_left).map(|(input, weight)| input * weight).sum();
                    self.sums[row][output] = lanes[row].iter().sum::<f32>() + left;
                }
            }
        }
    }

    struct Outer<'a> {
        left: [&'a [f32]; MOST],
        right: [&'a [f32]; MOST],
        products: &'a mut Vec<f32>,
    }

    impl Work for Outer<'_> {
        #[inline(always)]
        fn run(self) {
            let [first, second, third, fourth] = self.right;
            for index in 0..self.left[0].len() {
                let of = self.left.map(|row| row[index]);
                if of == [0.0; MOST] {
                    self.products.extend(iter::repeat_n(0.0, first.len()));
                    continue;
                }
                let right = first.iter().zip(second).zip(third.iter().zip(fourth));
                self.products.extend(right.map(|((first, second), (third, fourth))| {
                    (of[0] * first + of[1] * second) + (of[2] * third + of[3] * fourth)
                }));
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
}
