//! One step of learning of a policy network, and how it is judged.

use std::{cmp::Ordering, sync::Arc};

use burn::{
    module::AutodiffModule,
    tensor::{Int, Tensor, TensorData, activation::log_softmax, backend::Backend, ops::Device},
    train::{InferenceStep, TrainOutput, TrainStep},
};

use super::{
    Policy,
    examples::{Batch, Lists},
    export,
    legal::Legal,
    net::PolicyNet,
    settings::{Objective, Settings},
};
use crate::train::{
    device::{Computes, Trains},
    export::Exchange,
    first_layer::{FirstInputs, FirstLayer},
    kind::{Judgement, Learner},
    layer::{primitives, wrap},
    pupil::{Loss, Pupil},
};

/// A policy network that learns.
#[expect(missing_debug_implementations, reason = "burn's optimisers have none")]
pub struct PolicyLearner<B: Trains> {
    pupil: Pupil<B, PolicyNet<B>>,
    objective: Objective,
    first_layer: FirstLayer,
}

impl<B: Trains> PolicyLearner<B> {
    /// A learner that knows nothing yet, on one device at least.
    pub fn new(settings: &Settings, devices: &[Device<B>]) -> Self {
        let net = PolicyNet::random(&settings.sizes(), settings.seed, &devices[0]);
        PolicyLearner {
            pupil: Pupil::new(net, settings.method, settings.weight_decay, devices),
            objective: settings.loss,
            first_layer: settings.first_layer,
        }
    }
}

impl<B: Trains> Learner<Policy> for PolicyLearner<B> {
    type Loss = Vec<Loss<B::InnerBackend>>;

    fn step(&mut self, batch: &Batch, lr: f64, _course: f64) -> Self::Loss {
        let of = batch.positions();
        let share = self.pupil.share(of);
        let part = |batch: Batch| Part { batch, of, objective: self.objective, first_layer: self.first_layer };
        let parts = if share >= of {
            vec![part(batch.clone())]
        } else {
            (0..of).step_by(share).map(|first| part(batch.part(first..(first + share).min(of)))).collect()
        };
        self.pupil.step(parts, lr, |net| net)
    }

    fn read(losses: Self::Loss) -> f32 {
        losses.into_iter().map(Loss::read).sum()
    }

    fn validate(&self, batches: &[Batch]) -> Judgement {
        let net = self.pupil.net().valid();
        let mut legal = Tally::default();
        let mut all = Tally::default();
        for batch in batches {
            let inputs = FirstInputs::new(&batch.inputs, self.first_layer, &net.output.bias.device());
            let below = net.below(&inputs);
            let output = primitives(net.output.values(None));
            let logits = B::InnerBackend::logits(output, below.clone().into_primitive().tensor(), &batch.moves);
            for position in 0..batch.positions() {
                let logits = &logits[batch.moves.place(position)];
                legal.count(logits, 0);
            }
            if self.objective == Objective::All {
                let logits: Vec<f32> = net.logits(below).into_data().to_vec().expect("logits are floats");
                let rows = logits.chunks_exact(engine_core::net::move_planes::OUTPUTS);
                for (logits, moves) in rows.zip(batch.moves.iter()) {
                    all.count(logits, usize::from(moves[0]));
                }
            }
        }
        let [top1, top5] = legal.shares();
        match self.objective {
            Objective::Legal => Judgement { loss: legal.loss(), measures: vec![top1, top5] },
            Objective::All => {
                let [of_all1, of_all5] = all.shares();
                Judgement { loss: all.loss(), measures: vec![top1, top5, of_all1, of_all5] }
            }
        }
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

/// How often the played move was the first, and among the first five.
#[derive(Clone, Debug, Default)]
struct Tally {
    positions: usize,
    loss: f64,
    top: [usize; 2],
}

impl Tally {
    /// Counts a position with these logits, of which one is the played move's. Moves as good as that come before it.
    fn count(&mut self, logits: &[f32], played: usize) {
        let own = logits[played];
        let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = logits.iter().map(|logit| f64::from(logit - highest).exp()).sum();
        self.positions += 1;
        self.loss += sum.ln() + f64::from(highest - own);
        // A NaN comes before it too.
        let before = logits.iter().filter(|&&logit| logit.partial_cmp(&own) != Some(Ordering::Less)).count() - 1;
        for (top, most) in self.top.iter_mut().zip([1, 5]) {
            *top += usize::from(before < most);
        }
    }

    fn loss(&self) -> f64 {
        self.loss / self.positions as f64
    }

    fn shares(&self) -> [f64; 2] {
        self.top.map(|count| count as f64 / self.positions as f64)
    }
}

/// Part of a batch, for one device.
#[derive(Clone, Debug)]
pub struct Part {
    batch: Batch,
    /// Positions of the whole batch.
    of: usize,
    objective: Objective,
    first_layer: FirstLayer,
}

impl<B: Computes> PolicyNet<B> {
    /// The cross entropy of the played moves.
    fn loss(&self, part: &Part) -> Loss<B> {
        let device = self.output.bias.device();
        let Batch { inputs, moves } = &part.batch;
        let below = self.below(&FirstInputs::new(inputs, part.first_layer, &device));
        let losses: Tensor<B, 1> = match part.objective {
            Objective::Legal => {
                let output = primitives(self.output.values(None));
                wrap(B::losses(output, below.into_primitive().tensor(), moves))
            }
            Objective::All => {
                let chances = log_softmax(self.logits(below), 1);
                chances.gather(1, played(moves, &device)).neg().squeeze_dim(1)
            }
        };
        Loss(losses.sum().div_scalar(part.of as f64))
    }
}

/// The number of each position's played move, `[positions, 1]`.
fn played<B: Backend>(moves: &Arc<Lists>, device: &Device<B>) -> Tensor<B, 2, Int> {
    let played: Vec<i32> = moves.iter().map(|moves| moves[0].into()).collect();
    let count = played.len();
    Tensor::from_data(TensorData::new(played, [count, 1]), device)
}

impl<B: Trains> TrainStep for PolicyNet<B> {
    type Input = Part;
    type Output = Loss<B::InnerBackend>;

    fn step(&self, part: Part) -> TrainOutput<Self::Output> {
        let Loss(loss) = self.loss(&part);
        TrainOutput::new(self, loss.backward(), Loss(loss.inner()))
    }
}

impl<B: Computes> InferenceStep for PolicyNet<B> {
    type Input = Part;
    type Output = Loss<B>;

    fn step(&self, part: Part) -> Loss<B> {
        self.loss(&part)
    }
}

#[cfg(all(test, feature = "cpu"))]
mod tests {
    use super::*;
    use crate::train::policy::{bench::random_examples, settings::Preset};
    use burn::{
        backend::{Autodiff, Flex},
        optim::GradientsParams,
    };

    type Back = Autodiff<Flex>;

    fn settings(layers: &[usize]) -> Settings {
        Settings { layers: layers.to_vec(), ..Preset::Small.settings() }
    }

    fn batch(count: usize, seed: u64) -> Batch {
        Batch::new(&random_examples(count, seed), 0..count)
    }

    fn gradients(net: &PolicyNet<Back>, mut gradients: GradientsParams) -> Vec<Vec<f32>> {
        let mut all = Vec::new();
        for layer in [&net.features].into_iter().chain(&net.dense).chain([&net.output]) {
            let weight = gradients.remove::<Flex, 2>(layer.weight.id).expect("a gradient");
            let bias = gradients.remove::<Flex, 1>(layer.bias.id).expect("a gradient");
            all.push(weight.into_data().to_vec().expect("floats"));
            all.push(bias.into_data().to_vec().expect("floats"));
        }
        all
    }

    fn assert_near(left: &[Vec<f32>], right: &[Vec<f32>]) {
        for (layer, (left, right)) in left.iter().zip(right).enumerate() {
            let largest = right.iter().fold(0.0f32, |largest, slope| largest.max(slope.abs()));
            assert!(largest > 0.0, "no gradient at all in {layer}");
            for (left, right) in left.iter().zip(right) {
                assert!((left - right).abs() < 1e-4 * largest, "{left} {right} in {layer}");
            }
        }
    }

    #[test]
    fn our_loops_agree_with_all_logits_and_a_mask() {
        for layers in [&[16][..], &[32, 20], &[64, 16, 8]] {
            let learner = PolicyLearner::<Back>::new(&settings(layers), &[Default::default()]);
            let net = learner.pupil.net();
            let batch = batch(60, 1);
            let part =
                Part { batch: batch.clone(), of: 60, objective: Objective::Legal, first_layer: FirstLayer::Sparse };
            let ours = TrainStep::step(net, part);

            let device = Default::default();
            let mut mask = vec![-1e9f32; 60 * engine_core::net::move_planes::OUTPUTS];
            for (row, moves) in mask.chunks_exact_mut(engine_core::net::move_planes::OUTPUTS).zip(batch.moves.iter()) {
                moves.iter().for_each(|&mv| row[usize::from(mv)] = 0.0);
            }
            let logits = net.logits(net.below(&FirstInputs::new(&batch.inputs, FirstLayer::Dense, &device)));
            let mask = Tensor::from_data(TensorData::new(mask, logits.dims()), &device);
            let loss = log_softmax(logits + mask, 1).gather(1, played(&batch.moves, &device)).mean().neg();
            let value = loss.clone().into_data().to_vec::<f32>().expect("a number")[0];
            assert!((ours.item.read() - value).abs() < 1e-4, "{value} with {layers:?}");
            let slow = GradientsParams::from_grads(loss.backward(), net);
            assert_near(&gradients(net, ours.grads), &gradients(net, slow));
        }
    }

    #[test]
    fn a_gradient_does_not_depend_on_threads() {
        let learner = PolicyLearner::<Back>::new(&settings(&[32]), &[Default::default()]);
        let part =
            Part { batch: batch(1000, 2), of: 1000, objective: Objective::Legal, first_layer: FirstLayer::Sparse };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let net = learner.pupil.net();
            pool.install(|| TrainStep::step(net, part.clone()))
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one.item.read(), three.item.read());
        assert_eq!(gradients(learner.pupil.net(), one.grads), gradients(learner.pupil.net(), three.grads));
    }

    #[test]
    fn several_devices_learn_what_one_does() {
        let batch = batch(101, 3);
        let mut one = PolicyLearner::<Back>::new(&settings(&[16]), &[Default::default()]);
        let mut two = PolicyLearner::<Back>::new(&settings(&[16]), &[Default::default(), Default::default()]);
        let loss = |learner: &mut PolicyLearner<Back>| PolicyLearner::<Back>::read(learner.step(&batch, 1e-2, 0.0));
        for _ in 0..5 {
            let (one, two) = (loss(&mut one), loss(&mut two));
            assert!((one - two).abs() < 1e-4, "{one} {two}");
        }
    }

    #[test]
    fn what_is_learnt_is_what_is_judged() {
        for loss in [Objective::Legal, Objective::All] {
            let settings = Settings { loss, ..settings(&[16]) };
            let mut learner = PolicyLearner::<Back>::new(&settings, &[Default::default()]);
            let batches = [batch(10, 4)];
            let judged = learner.validate(&batches);
            let of_step = PolicyLearner::<Back>::read(learner.step(&batches[0], 1e-2, 0.0));
            assert!((judged.loss - f64::from(of_step)).abs() < 1e-4, "{} {of_step}", judged.loss);
            for _ in 0..40 {
                learner.step(&batches[0], 2e-2, 0.0);
            }
            // Ten positions are learnt by heart.
            let after = learner.validate(&batches);
            assert!(after.measures.iter().all(|&share| share > 0.9), "{after:?}");
        }
    }

    #[test]
    fn ties_count_against_the_played_move() {
        let mut tally = Tally::default();
        tally.count(&[0.0, 0.0, -1.0], 0);
        tally.count(&[0.5, 0.0], 0);
        assert_eq!(tally.shares(), [0.5, 1.0]);
        tally.count(&[f32::NAN; 9], 0);
        assert_eq!(tally.top, [1, 2]);
    }
}
