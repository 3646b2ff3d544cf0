//! Logistic regression: weights for which `1 / (1 + exp(-w·x))` foretells the points of games best.
//!
//! The cost is the mean cross entropy and an L2 penalty, `l2 / 2m · |w - prior|²` over `m` examples. So `l2` is the
//! precision of a Gaussian prior; 1 is what textbooks have as `λ`, and scikit-learn as `C`, by default. The cost is
//! strictly convex if `l2` is above 0, or if no feature follows from the others: all solvers then find the same weights.

use std::{fmt, ops::Range};

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use crate::data::logistic::expectation;

/// A feature's number and its value in an example.
pub type Entry = (usize, f64);

/// How often an example occurred, and the points that it brought in all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// How often.
    pub count: f64,
    /// The points: 1 for White's win, 1/2 for a draw, or what a search's score makes of it.
    pub points: f64,
}

/// What is learnt from.
pub trait Examples: Sync {
    /// How many features there are.
    fn features(&self) -> usize;

    /// How many rows there are; equal examples may share one.
    fn rows(&self) -> usize;

    /// Adds the features of a row that are not 0 to `entries`, each at most once, and says what came of it.
    fn row(&self, row: usize, entries: &mut Vec<Entry>) -> Target;
}

/// Rows that a thread should have at least.
const ROWS_A_PART: usize = 8192;
/// Parts that the rows are split into at most. Their sums are added in one order, so that threads change no bit.
const MOST_PARTS: usize = 16;

/// A cost to make small.
#[derive(Clone)]
pub struct Regression<'a> {
    examples: &'a dyn Examples,
    l2: f64,
    prior: DVector<f64>,
    count: f64,
}

impl fmt::Debug for Regression<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Regression").field("l2", &self.l2).field("count", &self.count).finish_non_exhaustive()
    }
}

impl<'a> Regression<'a> {
    /// The cost over examples, with a pull of this strength to a weight for each feature.
    pub fn new(examples: &'a dyn Examples, l2: f64, prior: DVector<f64>) -> Regression<'a> {
        let mut regression = Regression { examples, l2, prior, count: 0.0 };
        regression.count = regression.sum(|| 0.0, |sum, _, target| *sum += target.count, |sum, part| *sum += part);
        regression
    }

    /// How many examples there are, equal ones counted each.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// What the weights are pulled to.
    pub fn prior(&self) -> &DVector<f64> {
        &self.prior
    }

    /// How many weights there are.
    pub fn features(&self) -> usize {
        self.prior.len()
    }

    /// The mean cross entropy, without the penalty, in nats.
    pub fn cross_entropy(&self, weights: &DVector<f64>) -> f64 {
        let add = |sum: &mut f64, entries: &[Entry], target| *sum += loss(score(entries, weights), target);
        self.sum(|| 0.0, add, |sum, part| *sum += part) / self.count
    }

    /// The cost.
    pub fn cost(&self, weights: &DVector<f64>) -> f64 {
        self.cross_entropy(weights) + self.penalty(weights)
    }

    /// The cost and its gradient, in one pass.
    pub fn cost_and_gradient(&self, weights: &DVector<f64>) -> (f64, DVector<f64>) {
        let zero = || (0.0, DVector::zeros(self.features()));
        let add = |(cost, gradient): &mut (f64, DVector<f64>), entries: &[Entry], target: Target| {
            let score = score(entries, weights);
            *cost += loss(score, target);
            let error = target.count * expectation(score) - target.points;
            for &(feature, value) in entries {
                gradient[feature] += error * value;
            }
        };
        let merge = |sum: &mut (f64, DVector<f64>), part: (f64, DVector<f64>)| {
            sum.0 += part.0;
            sum.1 += part.1;
        };
        let (cost, gradient) = self.sum(zero, add, merge);
        let pull = (weights - &self.prior) * self.l2;
        (cost / self.count + self.penalty(weights), (gradient + pull) / self.count)
    }

    /// The matrix of second derivatives of the cost.
    pub fn hessian(&self, weights: &DVector<f64>) -> DMatrix<f64> {
        let features = self.features();
        let add = |sum: &mut DMatrix<f64>, entries: &[Entry], target: Target| {
            let expected = expectation(score(entries, weights));
            let curvature = target.count * expected * (1.0 - expected);
            for (index, &(column, value)) in entries.iter().enumerate() {
                for &(row, other) in &entries[index..] {
                    sum[(row.max(column), row.min(column))] += curvature * value * other;
                }
            }
        };
        let mut hessian = self.sum(|| DMatrix::zeros(features, features), add, |sum, part| *sum += part);
        hessian.fill_upper_triangle_with_lower_triangle();
        for feature in 0..features {
            hessian[(feature, feature)] += self.l2;
        }
        hessian / self.count
    }

    fn penalty(&self, weights: &DVector<f64>) -> f64 {
        self.l2 / (2.0 * self.count) * (weights - &self.prior).norm_squared()
    }

    /// Adds something up over all rows.
    fn sum<T: Send>(
        &self,
        zero: impl Fn() -> T + Sync,
        add: impl Fn(&mut T, &[Entry], Target) + Sync,
        merge: impl Fn(&mut T, T),
    ) -> T {
        let rows = self.examples.rows();
        let parts = (rows / ROWS_A_PART).clamp(1, MOST_PARTS);
        let of_part = |rows: Range<usize>| {
            let (mut sum, mut entries) = (zero(), Vec::new());
            for row in rows {
                entries.clear();
                let target = self.examples.row(row, &mut entries);
                add(&mut sum, &entries, target);
            }
            sum
        };
        if parts == 1 {
            return of_part(0..rows);
        }
        let range = |part| rows * part / parts..rows * (part + 1) / parts;
        let sums: Vec<T> = (0..parts).into_par_iter().map(|part| of_part(range(part))).collect();
        let mut all = zero();
        for part in sums {
            merge(&mut all, part);
        }
        all
    }
}

/// What the weights make of an example, in units of the logistic function.
pub fn score(entries: &[Entry], weights: &DVector<f64>) -> f64 {
    entries.iter().map(|&(feature, value)| value * weights[feature]).sum()
}

/// The cross entropy of a row.
fn loss(score: f64, target: Target) -> f64 {
    // ln(1 + exp(score)), for a score of any size.
    let softplus = score.max(0.0) + (-score.abs()).exp().ln_1p();
    target.count * softplus - target.points * score
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Examples written down in full.
    #[derive(Debug)]
    pub(crate) struct Dense(pub(crate) Vec<(Vec<f64>, Target)>);

    impl Examples for Dense {
        fn features(&self) -> usize {
            self.0[0].0.len()
        }

        fn rows(&self) -> usize {
            self.0.len()
        }

        fn row(&self, row: usize, entries: &mut Vec<Entry>) -> Target {
            let (features, target) = &self.0[row];
            entries.extend(features.iter().copied().enumerate().filter(|&(_, value)| value != 0.0));
            *target
        }
    }

    /// Rows of three features with any targets, none of them sure.
    pub(crate) fn dense() -> impl Strategy<Value = Dense> {
        let row = (prop::collection::vec(-1i8..=1, 3), 1u32..5, 0.05f64..0.95).prop_map(|(features, count, share)| {
            let count = f64::from(count);
            (features.into_iter().map(f64::from).collect(), Target { count, points: count * share })
        });
        prop::collection::vec(row, 1..60).prop_map(Dense)
    }

    proptest! {
        #[test]
        fn derivatives_are_slopes(examples in dense(), weights: [i8; 3], prior: [i8; 3], l2 in 0.0f64..5.0) {
            let vector = |numbers: [i8; 3]| DVector::from_iterator(3, numbers.map(|number| f64::from(number) / 50.0));
            let weights = vector(weights);
            let regression = Regression::new(&examples, l2, vector(prior));
            let (cost, gradient) = regression.cost_and_gradient(&weights);
            prop_assert!((cost - regression.cost(&weights)).abs() < 1e-12);
            let hessian = regression.hessian(&weights);
            let step = 1e-5;
            for feature in 0..3 {
                let moved = |by: f64| {
                    let mut moved = weights.clone();
                    moved[feature] += by;
                    moved
                };
                let slope = (regression.cost(&moved(step)) - regression.cost(&moved(-step))) / (2.0 * step);
                prop_assert!((slope - gradient[feature]).abs() < 1e-7, "{slope} {}", gradient[feature]);
                let gradient = |by| regression.cost_and_gradient(&moved(by)).1;
                let slopes = (gradient(step) - gradient(-step)) / (2.0 * step);
                prop_assert!((slopes - hessian.column(feature)).amax() < 1e-7);
            }
        }
    }

    #[test]
    fn the_cost_of_what_is_known() {
        let row = |feature, points| (vec![feature], Target { count: 1.0, points });
        let examples = Dense(vec![row(1.0, 1.0), row(0.0, 0.5)]);
        let weight = 3f64.ln();
        // Three to one for what happened, and an even chance: -ln(3/4) and ln 2.
        let weights = DVector::from_element(1, weight);
        let expected = (0.75f64.ln() + 0.5f64.ln()) / -2.0;
        let regression = Regression::new(&examples, 4.0, DVector::from_element(1, weight - 1.0));
        assert!((regression.cross_entropy(&weights) - expected).abs() < 1e-12);
        assert!((regression.cost(&weights) - expected - 4.0 / (2.0 * 2.0)).abs() < 1e-12, "the penalty");
        let sure = DVector::from_element(1, 1e4);
        assert!((regression.cross_entropy(&sure) - 0.5 * 0.5f64.ln().abs()).abs() < 1e-12, "no overflow");
        assert!((regression.cross_entropy(&-sure) - 5e3).abs() < 1.0);
    }

    #[test]
    fn threads_change_no_bit() {
        let rows = 5 * ROWS_A_PART + 17;
        let row = |number: usize| {
            let feature = ((number * 7919) % 13) as f64 - 6.0;
            (vec![feature, 1.0], Target { count: 1.0, points: (number % 3) as f64 / 2.0 })
        };
        let examples = Dense((0..rows).map(row).collect());
        let regression = Regression::new(&examples, 1.0, DVector::zeros(2));
        assert_eq!(regression.count(), rows as f64);
        let weights = DVector::from_vec(vec![0.3, -0.1]);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = one.install(|| (regression.cost_and_gradient(&weights), regression.hessian(&weights)));
        assert_eq!((regression.cost_and_gradient(&weights), regression.hessian(&weights)), alone);
    }
}
