//! A random sample of a stream whose length is not known.

use crate::arena::random::SplitMix64;

/// Keeps so many items of all that pass, each with the same chance: Vitter's algorithm R ("Random Sampling with a
/// Reservoir", 1985).
#[derive(Debug)]
pub(super) struct Reservoir<T> {
    kept: Vec<T>,
    most: usize,
    passed: u64,
    random: SplitMix64,
}

impl<T> Reservoir<T> {
    /// Keeps at most so many.
    pub(super) fn new(most: usize, seed: u64) -> Reservoir<T> {
        Reservoir { kept: Vec::new(), most, passed: 0, random: SplitMix64::new(seed) }
    }

    /// Takes the next item.
    pub(super) fn pass(&mut self, item: T) {
        self.passed += 1;
        if self.kept.len() < self.most {
            self.kept.push(item);
            return;
        }
        let place = self.random.below(self.passed) as usize;
        if let Some(kept) = self.kept.get_mut(place) {
            *kept = item;
        }
    }

    /// How many have passed.
    pub(super) fn passed(&self) -> u64 {
        self.passed
    }

    /// Those that were kept.
    pub(super) fn into_kept(self) -> Vec<T> {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_has_the_same_chance() {
        let mut counts = [0u32; 20];
        for seed in 0..4_000 {
            let mut reservoir = Reservoir::new(5, seed);
            (0..20).for_each(|item| reservoir.pass(item));
            assert_eq!(reservoir.passed(), 20);
            reservoir.into_kept().into_iter().for_each(|item: usize| counts[item] += 1);
        }
        // 1,000 of each expected, with a standard deviation of 27.
        assert!(counts.iter().all(|count| (880..1_120).contains(count)), "{counts:?}");
    }
}
