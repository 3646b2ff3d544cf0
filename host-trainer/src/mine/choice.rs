//! Which of the teacher's best moves is played.

use std::{fmt, str::FromStr};

use crate::arena::random::SplitMix64;

/// How often each of the teacher's best moves is played, best first, as shares of their sum.
///
/// ```
/// use host_trainer::mine::choice::Weights;
///
/// let weights: Weights = "80,15,5".parse().unwrap();
/// assert_eq!(weights.count(), 3);
/// assert_eq!(weights.to_string(), "80,15,5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights(Vec<u32>);

/// Why a text is no list of weights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}`: expected 1 to {max} whole numbers from 1 to 1000000 with commas between, as in 80,15,5", max = Weights::MAX)]
pub struct WeightsError(String);

impl Weights {
    /// The most moves to choose from.
    pub const MAX: usize = 16;

    /// How many moves there are to choose from.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Picks one of `available` moves, by its place; where there are fewer moves than weights, the first weights count.
    /// `None` if there is no move.
    pub fn pick(&self, available: usize, random: &mut SplitMix64) -> Option<usize> {
        let weights = &self.0[..available.min(self.0.len())];
        if weights.is_empty() {
            return None;
        }
        let mut left = random.below(weights.iter().copied().map(u64::from).sum());
        weights.iter().position(|&weight| {
            let hit = left < u64::from(weight);
            left = left.saturating_sub(u64::from(weight));
            hit
        })
    }
}

impl FromStr for Weights {
    type Err = WeightsError;

    fn from_str(text: &str) -> Result<Weights, WeightsError> {
        let weight = |word: &str| word.trim().parse().ok().filter(|weight| (1..=1_000_000).contains(weight));
        let weights: Option<Vec<u32>> = text.split(',').map(weight).collect();
        match weights {
            Some(weights) if weights.len() <= Weights::MAX => Ok(Weights(weights)),
            _ => Err(WeightsError(text.to_owned())),
        }
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&words.join(","))
    }
}
