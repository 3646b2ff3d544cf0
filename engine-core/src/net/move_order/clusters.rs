//! Centres of good and of bad moves, as k-means finds them among the [features] of moves from games.
//!
//! A move is as good as it is nearer to a good centre than to a bad one: its score is the distance to the nearest bad
//! centre less the distance to the nearest good one. Distances are between *coordinates*: the features times a scale
//! each (*Manhattan* and *Euclidean*), or times a matrix that makes the Euclidean distance the *Mahalanobis* distance.
//! The matrix is made by whoever makes the blob; here it costs a product with 32 x 32 numbers a move.
//!
//! The weights of the blob, all i16: the scales of the 32 features or the rows of the matrix, then the good centres and
//! the bad ones, 32 coordinates each.

use super::MAX_SCORE;
use super::features::{self, FEATURES, Features};
use crate::chess::{Board, Move};
use crate::net::blob::BlobError;
use crate::net::header::{ClusterShape, Distance};
use crate::net::layers::Rest;

/// No coordinate is further from 0 than this, so that sums of squares of differences fit 32 bits.
pub const MAX_COORDINATE: i16 = 2_047;

/// A move, or a centre, where distances are measured.
pub type Coordinates = [i16; FEATURES];

/// A model of centres whose weights lie in a blob.
#[derive(Clone, Copy, Debug)]
pub struct Clusters<'a> {
    mixing: Mixing<'a>,
    good: &'a [Coordinates],
    bad: &'a [Coordinates],
    distance: Distance,
    scale: i32,
}

/// What makes coordinates of features.
#[derive(Clone, Copy, Debug)]
enum Mixing<'a> {
    /// A factor for each feature.
    Scales(&'a Coordinates),
    /// A row of factors for each coordinate.
    Matrix(&'a [Coordinates]),
}

impl<'a> Clusters<'a> {
    /// The model of these weights.
    pub(super) fn load(shape: &ClusterShape, mut rest: Rest<'a>) -> Result<Self, BlobError> {
        let mixing = if shape.mixed {
            Mixing::Matrix(rest.take(FEATURES)?)
        } else {
            Mixing::Scales(rest.take(1)?.first().ok_or(BlobError::Header)?)
        };
        let (good, bad) = (rest.take(usize::from(shape.good))?, rest.take(usize::from(shape.bad))?);
        check(good, 0)?;
        check(bad, good.len())?;
        Ok(Self { mixing, good, bad, distance: shape.distance, scale: i32::from(shape.scale) })
    }

    /// The score of a move.
    pub(super) fn score(&self, board: &Board, mv: Move) -> i32 {
        self.score_of(&features::of(board, mv))
    }

    /// The score of a move with these features.
    #[must_use]
    pub fn score_of(&self, features: &Features) -> i32 {
        let at = self.coordinates(features);
        let difference = self.nearest(self.bad, &at) - self.nearest(self.good, &at);
        // At most 131,008 x 8,192.
        ((difference * self.scale) >> 8).clamp(-MAX_SCORE, MAX_SCORE)
    }

    /// Where a move with these features is.
    fn coordinates(&self, features: &Features) -> Coordinates {
        let bounded = |value: i32| value.clamp(i32::from(-MAX_COORDINATE), i32::from(MAX_COORDINATE)) as i16;
        let product = |(weight, feature): (&i16, &i8)| i32::from(*weight) * i32::from(*feature);
        let mut at = [0; FEATURES];
        match self.mixing {
            Mixing::Scales(scales) => {
                for (at, pair) in at.iter_mut().zip(scales.iter().zip(features)) {
                    *at = bounded(product(pair));
                }
            }
            Mixing::Matrix(rows) => {
                for (at, row) in at.iter_mut().zip(rows) {
                    *at = bounded(row.iter().zip(features).map(product).sum());
                }
            }
        }
        at
    }

    /// The distance to the nearest of some centres.
    fn nearest(&self, centres: &[Coordinates], at: &Coordinates) -> i32 {
        match self.distance {
            Distance::Manhattan => centres.iter().map(|centre| manhattan(centre, at)).min().unwrap_or(0),
            // The root of the least is the least of the roots.
            Distance::Euclidean => centres.iter().map(|centre| squares(centre, at)).min().unwrap_or(0).isqrt(),
        }
    }
}

/// The sum of the differences, at most 131,008.
fn manhattan(a: &Coordinates, b: &Coordinates) -> i32 {
    a.iter().zip(b).map(|(&a, &b)| (i32::from(a) - i32::from(b)).abs()).sum()
}

/// The sum of the squares of the differences, at most 536,346,752.
fn squares(a: &Coordinates, b: &Coordinates) -> i32 {
    a.iter().zip(b).map(|(&a, &b)| (i32::from(a) - i32::from(b)).pow(2)).sum()
}

/// Looks whether every coordinate of some centres, counted from `first`, is in its range.
fn check(centres: &[Coordinates], first: usize) -> Result<(), BlobError> {
    for (centre, coordinates) in (first..).zip(centres) {
        for (coordinate, &value) in coordinates.iter().enumerate() {
            if value.unsigned_abs() > MAX_COORDINATE.unsigned_abs() {
                return Err(BlobError::Coordinate { centre, coordinate, value, most: MAX_COORDINATE });
            }
        }
    }
    Ok(())
}
