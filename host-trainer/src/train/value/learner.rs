//! One step of learning of a value network: forward, loss, gradients, and back into the range of the integers.

use std::sync::Arc;

use burn::{
    module::AutodiffModule,
    tensor::{Tensor, TensorData, activation::sigmoid, ops::Device},
    train::{InferenceStep, TrainOutput, TrainStep},
};

use super::{
    Value,
    data::Batch,
    examples::Example,
    export,
    grid::Grid,
    net::{Inputs, ValueNet},
    settings::Settings,
};
use crate::train::{
    device::{Computes, Trains},
    export::Exchange,
    first_layer::FirstLayer,
    kind::{Judgement, Learner},
    pupil::{Loss, Method, Pupil},
};

/// A value network that learns.
#[expect(missing_debug_implementations, reason = "burn's optimisers have none")]
pub struct ValueLearner<B: Trains> {
    pupil: Pupil<B, ValueNet<B>>,
    grid: Arc<Grid>,
    first_layer: FirstLayer,
    /// The share of the steps after which weights are rounded.
    rounded_from: f64,
}

impl<B: Trains> ValueLearner<B> {
    /// A learner that knows nothing yet, on one device at least.
    pub fn new(settings: &Settings, devices: &[Device<B>]) -> Self {
        let shape = settings.shape();
        let grid = Grid::new(&shape, settings.qa, settings.qb);
        let net = ValueNet::random(&shape, settings.seed, &devices[0]).clipped(&grid);
        ValueLearner {
            pupil: Pupil::new(net, Method::Adamw, settings.weight_decay, devices),
            grid: Arc::new(grid),
            first_layer: settings.first_layer,
            rounded_from: 1.0 - settings.fake_quantised,
        }
    }

    fn part(&self, examples: Arc<Vec<Example>>, targets: &[f32], of: usize, rounded: bool) -> Part {
        Part {
            examples,
            targets: targets.to_vec(),
            of,
            grid: rounded.then(|| Arc::clone(&self.grid)),
            first_layer: self.first_layer,
        }
    }
}

impl<B: Trains> Learner<Value> for ValueLearner<B> {
    type Loss = Vec<Loss<B::InnerBackend>>;

    fn step(&mut self, batch: &Batch, lr: f64, course: f64) -> Self::Loss {
        let rounded = course >= self.rounded_from;
        let count = batch.targets.len();
        let share = self.pupil.share(count);
        let parts = if share >= count {
            vec![self.part(Arc::clone(&batch.examples), &batch.targets, count, rounded)]
        } else {
            let parts = batch.examples.chunks(share).zip(batch.targets.chunks(share));
            parts.map(|(examples, targets)| self.part(Arc::new(examples.to_vec()), targets, count, rounded)).collect()
        };
        self.pupil.step(parts, lr, |net| net.clipped(&self.grid))
    }

    fn read(losses: Self::Loss) -> f32 {
        losses.into_iter().map(Loss::read).sum()
    }

    fn validate(&self, batches: &[Batch]) -> Judgement {
        let net = self.pupil.net().valid();
        let count: usize = batches.iter().map(|batch| batch.targets.len()).sum();
        let part = |batch: &Batch| self.part(Arc::clone(&batch.examples), &batch.targets, count, true);
        let loss = batches.iter().map(|batch| f64::from(net.loss(&part(batch)).read())).sum();
        Judgement { loss, measures: Vec::new() }
    }

    fn save(&self) -> anyhow::Result<Vec<u8>> {
        self.pupil.save()
    }

    fn load(&mut self, bytes: Vec<u8>) -> anyhow::Result<()> {
        self.pupil.load(bytes)
    }

    fn export(&self, settings: &Settings) -> anyhow::Result<Exchange> {
        export::exchange(&self.pupil.net().valid(), settings)
    }
}

/// Part of a batch, for one device.
#[derive(Clone, Debug)]
pub struct Part {
    examples: Arc<Vec<Example>>,
    targets: Vec<f32>,
    /// Positions of the whole batch.
    of: usize,
    /// What weights are rounded to, if they are.
    grid: Option<Arc<Grid>>,
    first_layer: FirstLayer,
}

impl<B: Computes> ValueNet<B> {
    /// The mean squared error of the expected result, a number between 0 and 1.
    fn loss(&self, part: &Part) -> Loss<B> {
        let device = self.output.bias.device();
        let inputs = Inputs::<B>::new(&part.examples, self.buckets(), part.first_layer, &device);
        let expected = sigmoid(self.forward(&inputs, part.grid.as_deref()));
        let count = part.targets.len();
        let error = expected - Tensor::from_data(TensorData::new(part.targets.clone(), [count]), &device);
        Loss((error.clone() * error).sum().div_scalar(part.of as f64))
    }
}

impl<B: Trains> TrainStep for ValueNet<B> {
    type Input = Part;
    type Output = Loss<B::InnerBackend>;

    fn step(&self, part: Part) -> TrainOutput<Self::Output> {
        let Loss(loss) = self.loss(&part);
        TrainOutput::new(self, loss.backward(), Loss(loss.inner()))
    }
}

impl<B: Computes> InferenceStep for ValueNet<B> {
    type Input = Part;
    type Output = Loss<B>;

    fn step(&self, part: Part) -> Loss<B> {
        self.loss(&part)
    }
}

/// Positions in batches, to validate by.
pub fn batches(examples: &[Example], size: usize, wdl: f32, scale: f32) -> Vec<Batch> {
    examples.chunks(size).map(|examples| Batch::new(examples.to_vec(), wdl, scale)).collect()
}

#[cfg(all(test, feature = "cpu"))]
mod tests {
    use super::*;
    use crate::train::value::bench::random_boards;
    use burn::{
        backend::{Autodiff, Flex},
        optim::GradientsParams,
    };

    type Back = Autodiff<Flex>;

    fn settings(width: usize, dense: &[usize], buckets: usize) -> Settings {
        Settings { width, dense: dense.to_vec(), buckets, batch: 64, ..Settings::default() }
    }

    fn batch(count: usize, seed: u64) -> Batch {
        let examples = random_boards(count, seed).iter().map(Example::new).collect::<Result<_, _>>();
        Batch::new(examples.expect("possible boards"), 0.5, 400.0)
    }

    fn part(batch: &Batch, first_layer: FirstLayer, grid: Option<Grid>) -> Part {
        Part {
            examples: Arc::clone(&batch.examples),
            targets: batch.targets.clone(),
            of: batch.targets.len(),
            grid: grid.map(Arc::new),
            first_layer,
        }
    }

    fn values<const D: usize>(tensor: Tensor<Flex, D>) -> Vec<f32> {
        tensor.into_data().to_vec().expect("floats")
    }

    /// The gradients of every layer, weights and biases in turn.
    fn gradients(net: &ValueNet<Back>, mut gradients: GradientsParams) -> Vec<Vec<f32>> {
        let mut all = Vec::new();
        for layer in net.layers() {
            all.push(values(gradients.remove::<Flex, 2>(layer.weight.id).expect("a gradient")));
            all.push(values(gradients.remove::<Flex, 1>(layer.bias.id).expect("a gradient")));
        }
        all
    }

    #[test]
    fn sparse_and_dense_first_layers_agree() {
        for (width, dense, buckets) in [(16, &[][..], 1), (32, &[], 8), (128, &[], 4), (64, &[8], 8), (48, &[16, 8], 2)]
        {
            let settings = settings(width, dense, buckets);
            let learner = ValueLearner::<Back>::new(&settings, &[Default::default()]);
            // More than one task's positions, and not a whole number of tasks.
            let batch = batch(700, 1);
            let step = |first| TrainStep::step(learner.pupil.net(), part(&batch, first, None));
            let (sparse, dense) = (step(FirstLayer::Sparse), step(FirstLayer::Dense));
            assert!((sparse.item.read() - dense.item.read()).abs() < 1e-6, "{settings:?}");
            let pairs = gradients(learner.pupil.net(), sparse.grads)
                .into_iter()
                .zip(gradients(learner.pupil.net(), dense.grads));
            for (layer, (sparse, dense)) in pairs.enumerate() {
                let largest = dense.iter().fold(0.0f32, |largest, slope| largest.max(slope.abs()));
                assert!(largest > 0.0, "no gradient at all in {layer} of {settings:?}");
                for (sparse, dense) in sparse.iter().zip(&dense) {
                    assert!((sparse - dense).abs() < 1e-4 * largest, "{sparse} {dense} in {layer} of {settings:?}");
                }
            }
        }
    }

    #[test]
    fn a_gradient_does_not_depend_on_threads() {
        let learner = ValueLearner::<Back>::new(&settings(64, &[], 8), &[Default::default()]);
        let batch = batch(3000, 2);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let net = learner.pupil.net();
            pool.install(|| TrainStep::step(net, part(&batch, FirstLayer::Sparse, None)))
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one.item.read(), three.item.read());
        assert_eq!(gradients(learner.pupil.net(), one.grads), gradients(learner.pupil.net(), three.grads));
    }

    #[test]
    fn several_devices_learn_what_one_does() {
        let settings = settings(32, &[8], 4);
        let batch = batch(257, 3);
        let mut one = ValueLearner::<Back>::new(&settings, &[Default::default()]);
        let mut two = ValueLearner::<Back>::new(&settings, &[Default::default(), Default::default()]);
        let loss =
            |learner: &mut ValueLearner<Back>| -> f32 { ValueLearner::<Back>::read(learner.step(&batch, 1e-3, 0.0)) };
        for _ in 0..5 {
            let (one, two) = (loss(&mut one), loss(&mut two));
            assert!((one - two).abs() < 1e-5, "{one} {two}");
        }
    }

    #[test]
    fn weights_stay_within_their_integers() {
        let settings = Settings { qa: 255, qb: 64, weight_decay: 0.0, ..settings(16, &[8], 2) };
        let mut learner = ValueLearner::<Back>::new(&settings, &[Default::default()]);
        let batch = batch(64, 4);
        // Steps of half a unit reach every border.
        for _ in 0..10 {
            learner.step(&batch, 0.5, 0.0);
        }
        for (layer, reach) in learner.pupil.net().layers().zip([127.0 / 255.0, 127.0 / 64.0, 127.0 / 64.0]) {
            let weights = values(layer.weight.val().inner());
            let largest = weights.iter().fold(0.0f32, |largest, weight| largest.max(weight.abs()));
            assert!((largest - reach).abs() < 1e-6, "{largest} of {reach}");
        }
    }

    #[test]
    fn rounded_weights_are_on_the_grid_and_still_learn() {
        let settings = settings(32, &[], 2);
        let grid = Grid::new(&settings.shape(), 255, 64);
        let learner = ValueLearner::<Back>::new(&settings, &[Default::default()]);
        let batch = batch(100, 5);
        let rounded = TrainStep::step(learner.pupil.net(), part(&batch, FirstLayer::Sparse, Some(grid.clone())));

        // The same network with its weights rounded by hand.
        let round = |tensor: Tensor<Back, 2>, steps: f64| {
            let rounded: Vec<f32> = values(tensor.inner())
                .iter()
                .map(|value| ((f64::from(*value) * steps).round() / steps) as f32)
                .collect();
            rounded
        };
        let mut by_hand = learner.pupil.net().clone();
        for (layer, steps) in [(&mut by_hand.features, 255.0), (&mut by_hand.output, 64.0)] {
            let weight = layer.weight.val();
            let data = TensorData::new(round(weight.clone(), steps), weight.dims());
            layer.weight = burn::module::Param::initialized(
                layer.weight.id,
                Tensor::from_data(data, &Default::default()).require_grad(),
            );
            let bias = values(layer.bias.val().inner());
            let steps = if steps == 255.0 { grid.features().bias } else { grid.output().bias };
            let bias: Vec<f32> = bias.iter().map(|bias| ((f64::from(*bias) * steps).round() / steps) as f32).collect();
            let data = TensorData::new(bias, layer.bias.dims());
            layer.bias = burn::module::Param::initialized(
                layer.bias.id,
                Tensor::from_data(data, &Default::default()).require_grad(),
            );
        }
        let by_hand_step = TrainStep::step(&by_hand, part(&batch, FirstLayer::Sparse, None));
        assert!((rounded.item.read() - by_hand_step.item.read()).abs() < 1e-7);
        let pairs =
            gradients(learner.pupil.net(), rounded.grads).into_iter().zip(gradients(&by_hand, by_hand_step.grads));
        for (through, by_hand) in pairs {
            for (through, by_hand) in through.iter().zip(&by_hand) {
                assert!((through - by_hand).abs() < 1e-6, "{through} {by_hand}");
            }
        }
    }
}
