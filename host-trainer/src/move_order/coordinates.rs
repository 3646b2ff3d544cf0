//! Where moves lie for their distances to mean something: features brought to one scale, or made independent.

use anyhow::Context;
use engine_core::net::{
    header::Distance,
    move_order::{
        clusters::MAX_COORDINATE,
        features::{FEATURES, Features},
    },
};
use linfa_linalg::{
    cholesky::Cholesky,
    triangular::{SolveTriangular, UPLO},
};
use ndarray::{Array1, Array2};

/// What a standard deviation is in the engine's integer coordinates.
pub(super) const ONE: f64 = 64.0;

/// Added to the diagonal of the covariance, so that features which never vary do not make it singular.
const RIDGE: f64 = 1e-3;

/// How far apart two moves are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Metric {
    /// The sum of the differences, each feature divided by its standard deviation
    Manhattan,
    /// The root of the sum of the squares of the same
    Euclidean,
    /// Euclidean distance after a linear map that makes the features uncorrelated, with variance 1
    Mahalanobis,
}

impl Metric {
    /// The distance that the engine measures between coordinates.
    pub(super) fn distance(self) -> Distance {
        if self == Metric::Manhattan { Distance::Manhattan } else { Distance::Euclidean }
    }

    /// Whether coordinates mix features.
    pub(super) fn mixes(self) -> bool {
        self == Metric::Mahalanobis
    }
}

/// The linear map from features to coordinates whose unit is a standard deviation.
#[derive(Clone, Debug)]
pub(super) struct Map(Array2<f64>);

impl Map {
    /// The map for a metric, from the features of many moves.
    ///
    /// # Errors
    /// If there are no moves.
    pub(super) fn of(metric: Metric, moves: &[Features]) -> anyhow::Result<Map> {
        let all = matrix(moves);
        let mean = all.mean_axis(ndarray::Axis(0)).context("there are no moves")?;
        let centred = all - &mean;
        let covariance = centred.t().dot(&centred) / moves.len() as f64;
        if metric.mixes() {
            let ridged = covariance + Array2::<f64>::eye(FEATURES) * RIDGE;
            // With C = L L', the squared length of L⁻¹ d is d' C⁻¹ d.
            let lower = ridged.cholesky().context("the features' covariance has no Cholesky factor")?;
            let inverse = lower.solve_triangular(&Array2::eye(FEATURES), UPLO::Lower);
            return Ok(Map(inverse.context("the features' covariance cannot be inverted")?));
        }
        // A feature that never varies tells nothing.
        let inverse = |variance: &f64| if *variance > 0.0 { variance.sqrt().recip() } else { 0.0 };
        Ok(Map(Array2::from_diag(&covariance.diag().iter().map(inverse).collect::<Array1<f64>>())))
    }

    /// The coordinates of moves, a row each.
    pub(super) fn apply(&self, moves: &[Features]) -> Array2<f64> {
        matrix(moves).dot(&self.0.t())
    }

    /// The engine's integers: the matrix by rows, or the diagonal alone.
    pub(super) fn integers(&self, mixes: bool) -> Vec<i16> {
        let integer = |weight: &f64| (weight * ONE).round() as i16;
        if mixes { self.0.iter().map(integer).collect() } else { self.0.diag().iter().map(integer).collect() }
    }
}

/// The engine's integers of a centre.
pub(super) fn centre(coordinates: &[f64]) -> Vec<i16> {
    let most = f64::from(MAX_COORDINATE);
    coordinates.iter().map(|at| (at * ONE).round().clamp(-most, most) as i16).collect()
}

fn matrix(moves: &[Features]) -> Array2<f64> {
    Array2::from_shape_fn((moves.len(), FEATURES), |(row, column)| f64::from(moves[row][column]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::random::SplitMix64;

    /// Moves whose second feature follows the first, and whose others do not vary.
    fn moves() -> Vec<Features> {
        let mut random = SplitMix64::new(7);
        let one = |random: &mut SplitMix64| random.below(9) as i8;
        (0..3_000)
            .map(|_| {
                let mut features = [0; FEATURES];
                let first = one(&mut random);
                (features[0], features[1]) = (first, 5 * first + one(&mut random));
                features
            })
            .collect()
    }

    fn covariance(coordinates: &Array2<f64>) -> Array2<f64> {
        let mean = coordinates.mean_axis(ndarray::Axis(0)).unwrap();
        let centred = coordinates - &mean;
        centred.t().dot(&centred) / coordinates.nrows() as f64
    }

    #[test]
    fn each_metric_has_the_variance_that_it_promises() {
        let moves = moves();
        let scaled = covariance(&Map::of(Metric::Euclidean, &moves).unwrap().apply(&moves));
        assert!((scaled[[0, 0]] - 1.0).abs() < 1e-9 && (scaled[[1, 1]] - 1.0).abs() < 1e-9);
        assert!(scaled[[0, 1]] > 0.9, "they still go together");
        let whitened = covariance(&Map::of(Metric::Mahalanobis, &moves).unwrap().apply(&moves));
        assert!((whitened[[0, 0]] - 1.0).abs() < 1e-2 && (whitened[[1, 1]] - 1.0).abs() < 1e-2);
        assert!(whitened[[0, 1]].abs() < 1e-2, "they do not any more");
    }

    #[test]
    fn integers_are_64ths_of_a_deviation() {
        let moves = moves();
        let map = Map::of(Metric::Manhattan, &moves).unwrap();
        let integers = map.integers(false);
        let deviation = covariance(&matrix(&moves))[[0, 0]].sqrt();
        assert!((f64::from(integers[0]) - 64.0 / deviation).abs() <= 0.5);
        // What never varies counts nothing.
        assert_eq!((integers.len(), integers[2]), (FEATURES, 0));
        assert_eq!(map.integers(true).len(), FEATURES * FEATURES);
        assert_eq!(centre(&[1.0, -0.5, 1e9]), [64, -32, MAX_COORDINATE]);
    }
}
