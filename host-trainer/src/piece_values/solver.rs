//! Two ways to the weights of least cost: by second derivatives, and the published fixed step against the gradient.

use std::time::{Duration, Instant};

use anyhow::{anyhow, ensure};
use argmin::{
    core::{
        CostFunction, Error, Executor, Gradient, Hessian, IterState, KV, Problem, Solver as Stepper, State,
        TerminationReason, TerminationStatus,
    },
    solver::trustregion::{Steihaug, TrustRegion},
};
use nalgebra::{DMatrix, DVector};

use super::regression::Regression;
use crate::stop::Stop;

/// How the weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Method {
    /// Newton's steps within a region in which they are trusted: a few are enough
    #[default]
    TrustRegion,
    /// Many steps of one length against the gradient
    GradientDescent,
}

/// Where a solver came to.
#[derive(Clone, Debug)]
pub struct Solution {
    /// A weight for each feature.
    pub weights: DVector<f64>,
    /// The cost before the first step and after each.
    pub costs: Vec<f64>,
    /// The length of the gradient at the end: how far from flat it is.
    pub gradient: f64,
    /// How long it took.
    pub time: Duration,
}

impl Solution {
    /// How many steps were made.
    pub fn steps(&self) -> usize {
        self.costs.len() - 1
    }
}

/// The length of a gradient that is as good as none. The weights' error is this by the curvature, seldom below 1e-3.
const FLAT: f64 = 1e-10;
/// With a gradient longer than this the result is no minimum, and is refused.
const NEARLY_FLAT: f64 = 1e-6;
/// Some ten steps are usual.
const MOST_STEPS: u64 = 200;
/// Conjugate gradients on the way to a step; a step that is cut short goes downhill, too.
const MOST_CONJUGATE_STEPS: u64 = 1000;
/// So many steps refused one after another say that the cost falls no more by what its last digit can hold.
const MOST_REFUSALS: usize = 5;

/// A trust-region Newton method with steps by conjugate gradients: Lin, Weng and Keerthi, "Trust region Newton method
/// for large-scale logistic regression", 2008. `None` if someone wanted to stop.
///
/// # Errors
/// If it does not come to where the cost is flat.
pub fn trust_region(regression: &Regression<'_>, start: DVector<f64>, stop: &Stop) -> anyhow::Result<Option<Solution>> {
    let began = Instant::now();
    let steps = UntilFlat {
        steps: TrustRegion::new(Steihaug::new().with_max_iters(MOST_CONJUGATE_STEPS)),
        costs: Vec::new(),
        refusals: 0,
        stop,
    };
    let result = Executor::new(Landscape(regression), steps)
        .configure(|state| state.param(start).max_iters(MOST_STEPS))
        .timer(false)
        .run()
        .map_err(|error| anyhow!("the solver failed: {error}"))?;
    if stop.is_raised() {
        return Ok(None);
    }
    let weights = result.state.get_best_param().cloned();
    let weights = weights.ok_or_else(|| anyhow!("the solver found no weights"))?;
    let gradient = regression.cost_and_gradient(&weights).1.norm();
    ensure!(
        gradient < NEARLY_FLAT,
        "no best weights were found: after {} steps the cost still falls (gradient {gradient:e}); give more --l2",
        result.solver.costs.len() - 1
    );
    Ok(Some(Solution { weights, costs: result.solver.costs, gradient, time: began.elapsed() }))
}

/// Gradient descent with a fixed step, as textbooks have it. Without a step it takes one by the largest curvature that
/// there can be, which always leads downhill. `None` if someone wanted to stop.
///
/// # Errors
/// If the step is so long that the cost grows.
pub fn gradient_descent(
    regression: &Regression<'_>,
    start: DVector<f64>,
    step: Option<f64>,
    steps: usize,
    stop: &Stop,
) -> anyhow::Result<Option<Solution>> {
    let began = Instant::now();
    // The logistic function is steepest, and so the cost most curved, where all weights are 0.
    let steepest = || regression.hessian(&DVector::zeros(regression.features())).symmetric_eigenvalues().max();
    let step = step.unwrap_or_else(|| 1.0 / steepest());
    let mut weights = start;
    let (cost, mut gradient) = regression.cost_and_gradient(&weights);
    let mut costs = vec![cost];
    for _ in 0..steps {
        if stop.is_raised() {
            return Ok(None);
        }
        weights.axpy(-step, &gradient, 1.0);
        let (cost, next) = regression.cost_and_gradient(&weights);
        ensure!(
            cost <= costs[0],
            "--step {step} is too long: after {} steps the cost is {cost}, and it was {}",
            costs.len(),
            costs[0]
        );
        costs.push(cost);
        gradient = next;
    }
    Ok(Some(Solution { weights, costs, gradient: gradient.norm(), time: began.elapsed() }))
}

/// The cost as argmin wants to see it.
struct Landscape<'a>(&'a Regression<'a>);

impl CostFunction for Landscape<'_> {
    type Param = DVector<f64>;
    type Output = f64;

    fn cost(&self, weights: &DVector<f64>) -> Result<f64, Error> {
        Ok(self.0.cost(weights))
    }
}

impl Gradient for Landscape<'_> {
    type Param = DVector<f64>;
    type Gradient = DVector<f64>;

    fn gradient(&self, weights: &DVector<f64>) -> Result<DVector<f64>, Error> {
        Ok(self.0.cost_and_gradient(weights).1)
    }
}

impl Hessian for Landscape<'_> {
    type Param = DVector<f64>;
    type Hessian = DMatrix<f64>;

    fn hessian(&self, weights: &DVector<f64>) -> Result<DMatrix<f64>, Error> {
        Ok(self.0.hessian(weights))
    }
}

type Place = IterState<DVector<f64>, DVector<f64>, (), DMatrix<f64>, (), f64>;

/// Ends the steps where the cost is flat, for argmin's trust region itself never ends, and takes down the costs.
struct UntilFlat<'a> {
    steps: TrustRegion<Steihaug<DVector<f64>, f64>, f64>,
    costs: Vec<f64>,
    refusals: usize,
    stop: &'a Stop,
}

impl<'a> Stepper<Landscape<'a>, Place> for UntilFlat<'_> {
    fn name(&self) -> &str {
        "trust region"
    }

    fn init(&mut self, problem: &mut Problem<Landscape<'a>>, state: Place) -> Result<(Place, Option<KV>), Error> {
        let (state, notes) = self.steps.init(problem, state)?;
        self.costs.push(state.cost);
        Ok((state, notes))
    }

    fn next_iter(&mut self, problem: &mut Problem<Landscape<'a>>, state: Place) -> Result<(Place, Option<KV>), Error> {
        let before = state.cost;
        let (state, notes) = self.steps.next_iter(problem, state)?;
        self.refusals = if state.cost == before { self.refusals + 1 } else { 0 };
        self.costs.push(state.cost);
        Ok((state, notes))
    }

    fn terminate(&mut self, state: &Place) -> TerminationStatus {
        let flat = state.get_gradient().is_some_and(|gradient| gradient.norm() < FLAT);
        if self.stop.is_raised() {
            TerminationStatus::Terminated(TerminationReason::Interrupt)
        } else if flat || self.refusals == MOST_REFUSALS {
            TerminationStatus::Terminated(TerminationReason::SolverConverged)
        } else {
            TerminationStatus::NotTerminated
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::regression::tests::{Dense, dense},
        *,
    };

    fn solve(examples: &Dense, l2: f64) -> Solution {
        let regression = Regression::new(examples, l2, DVector::zeros(3));
        trust_region(&regression, DVector::zeros(3), &Stop::new()).unwrap().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn both_methods_find_the_same_weights(examples in dense()) {
            // Enough of a pull that ten thousand short steps arrive.
            let l2 = 1.0;
            let newton = solve(&examples, l2);
            prop_assert!(newton.gradient < 1e-8 && newton.steps() < 30, "{newton:?}");
            prop_assert!(newton.costs.is_sorted_by(|before, after| before >= after));
            let regression = Regression::new(&examples, l2, DVector::zeros(3));
            let descent = gradient_descent(&regression, DVector::zeros(3), None, 10_000, &Stop::new());
            let descent = descent.unwrap().unwrap();
            prop_assert!((&newton.weights - &descent.weights).amax() < 1e-6, "{newton:?} {:?}", descent.weights);
            prop_assert_eq!(descent.steps(), 10_000);
        }
    }

    #[test]
    fn what_is_separable_needs_a_pull() {
        let row = |feature: f64| {
            let points = f64::from(u8::from(feature > 0.0));
            (vec![feature, 0.0, 0.0], super::super::regression::Target { count: 1.0, points })
        };
        let examples = Dense(vec![row(-1.0), row(1.0), row(2.0)]);
        let weights = solve(&examples, 0.01).weights;
        assert!(weights[0] > 3.0 && weights[1] == 0.0, "{weights}");
    }

    #[test]
    fn a_step_too_long_is_said_and_a_wish_to_stop_is_heard() {
        let row = |feature, points| (vec![feature, 0.0, 0.0], super::super::regression::Target { count: 1.0, points });
        let examples = Dense(vec![row(100.0, 1.0), row(90.0, 0.0)]);
        let regression = Regression::new(&examples, 1.0, DVector::zeros(3));
        let descend = |step, stop: &Stop| gradient_descent(&regression, DVector::zeros(3), step, 100, stop);
        let error = descend(Some(1.0), &Stop::new()).unwrap_err().to_string();
        assert!(error.starts_with("--step 1 is too long: after 1 steps the cost is "), "{error}");
        let stop = Stop::new();
        stop.raise();
        assert!(descend(None, &stop).unwrap().is_none());
        assert!(trust_region(&regression, DVector::zeros(3), &stop).unwrap().is_none());
    }
}
