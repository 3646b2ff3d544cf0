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

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of so many moves is picked.
    fn counts(weights: &str, available: usize, picks: usize) -> Vec<usize> {
        let weights: Weights = weights.parse().unwrap();
        let mut random = SplitMix64::new(5);
        let mut counts = vec![0; available];
        for _ in 0..picks {
            counts[weights.pick(available, &mut random).unwrap()] += 1;
        }
        counts
    }

    /// Pearson's measure of how far counts are from what is expected of them.
    fn chi_square(counts: &[usize], shares: &[f64]) -> f64 {
        let total: usize = counts.iter().sum();
        let term = |(&count, share): (&usize, &f64)| {
            let expected = total as f64 * share;
            (count as f64 - expected).powi(2) / expected
        };
        counts.iter().zip(shares).map(term).sum()
    }

    #[test]
    fn moves_are_picked_as_often_as_their_weights_say() {
        // Beyond 13.8 with two degrees of freedom comes by chance once in a thousand seeds.
        assert!(chi_square(&counts("80,15,5", 3, 100_000), &[0.80, 0.15, 0.05]) < 13.8);
        assert!(chi_square(&counts("80,15,5", 2, 100_000), &[80.0 / 95.0, 15.0 / 95.0]) < 13.8);
        assert!(chi_square(&counts("1,1,1", 3, 100_000), &[0.80, 0.15, 0.05]) > 1000.0);
    }

    #[test]
    fn the_best_alone_is_always_picked_and_nothing_from_nothing() {
        assert_eq!(counts("100", 3, 1000), [1000, 0, 0]);
        assert_eq!("80,20".parse::<Weights>().unwrap().pick(0, &mut SplitMix64::new(1)), None);
    }

    #[test]
    fn nonsense_is_no_list_of_weights() {
        let many = vec!["1"; Weights::MAX + 1].join(",");
        for text in ["", "80,", "0", "80,0", "-1", "80;20", "x", "1000001", many.as_str()] {
            assert!(text.parse::<Weights>().is_err(), "{text}");
        }
        let error = "80,x".parse::<Weights>().unwrap_err().to_string();
        assert!(error.contains("`80,x`: expected 1 to 16 whole numbers"), "{error}");
    }
}
