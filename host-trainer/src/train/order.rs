//! The order in which positions are learnt from: another one in every epoch, the same for the same seed.

use crate::arena::random::SplitMix64;

/// Positions that stay together: reading them one by one would be slow.
const BLOCK: usize = 256;

/// A file has at least about so many blocks, however short it is.
const BLOCKS: usize = 4096;

/// One pass through a file, cut into blocks that come in random order.
///
/// The file itself should have been shuffled. Where its blocks begin differs from epoch to epoch, and so do the
/// neighbours of a position.
#[derive(Debug)]
pub struct Epoch {
    block: usize,
    /// The first position of each block.
    starts: Vec<usize>,
}

impl Epoch {
    /// An epoch of a file with so many positions.
    pub fn new(positions: usize, seed: u64, epoch: usize) -> Epoch {
        let block = (positions / BLOCKS).clamp(1, BLOCK);
        let mut random = SplitMix64::new(seed ^ (epoch as u64 + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
        let spare = positions % block;
        let offset = (random.next_u64() % (spare as u64 + 1)) as usize;
        let mut starts: Vec<usize> = (0..positions / block).map(|index| offset + index * block).collect();
        random.shuffle(&mut starts);
        Epoch { block, starts }
    }

    /// Batches of an epoch; a rest that fills none is left out.
    pub fn batches(positions: usize, batch: usize) -> usize {
        let block = (positions / BLOCKS).clamp(1, BLOCK);
        positions / block * block / batch
    }

    /// The pieces of the file that make up a batch, each a first position and a count.
    pub fn pieces(&self, index: usize, batch: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (mut at, end) = (index * batch, (index + 1) * batch);
        std::iter::from_fn(move || {
            let start = self.starts.get(at / self.block).filter(|_| at < end)?;
            let within = at % self.block;
            let count = (self.block - within).min(end - at);
            at += count;
            Some((start + within, count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_takes_every_position_once() {
        for (positions, batch) in [(10, 3), (5000, 64), (2_000_000, 16384)] {
            let epoch = Epoch::new(positions, 1, 0);
            let mut seen = vec![false; positions];
            for index in 0..Epoch::batches(positions, batch) {
                let mut count = 0;
                for (first, length) in epoch.pieces(index, batch) {
                    for seen in &mut seen[first..first + length] {
                        assert!(!*seen, "a position from {first} on comes twice");
                        *seen = true;
                    }
                    count += length;
                }
                assert_eq!(count, batch);
            }
            assert!(seen.iter().filter(|&&seen| !seen).count() < batch + BLOCK);
        }
    }

    #[test]
    fn epochs_differ_and_seeds_repeat() {
        let pieces = |seed, epoch| Epoch::new(100_000, seed, epoch).pieces(0, 1024).collect::<Vec<_>>();
        assert_eq!(pieces(1, 0), pieces(1, 0));
        assert_ne!(pieces(1, 0), pieces(1, 1));
        assert_ne!(pieces(1, 0), pieces(2, 0));
    }
}
