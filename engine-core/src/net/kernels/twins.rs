//! Holds the fast kernels to the portable ones, on any machine: in a test, and on a chip.

use super::super::header::{LANES, MAX_WIDTH};
use super::{Aligned, Kernels};
use crate::random;

/// What the kernels are tried with.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        random::next(&mut self.0)
    }

    fn bytes(&mut self) -> Aligned<[i8; MAX_WIDTH]> {
        Aligned(core::array::from_fn(|_| self.next() as i8))
    }

    /// From `low` to `high`.
    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }
}

/// What a kind of kernels makes of random numbers.
fn make(kernels: Kernels, seed: u64) -> [i32; 8] {
    let mut random = Random(seed);
    let width = LANES * random.between(1, (MAX_WIDTH / LANES) as u64) as usize;
    let one = match random.between(0, 2) {
        0 => 127,
        1 => 255,
        _ => random.between(64, 255) as i16,
    };
    let shift = if one < 182 { 8 } else { 9 };
    let biases: Aligned<[i16; MAX_WIDTH]> =
        Aligned(core::array::from_fn(|_| (random.next() as i16) >> random.between(0, 8)));
    let mut columns = [random.bytes(), random.bytes(), random.bytes(), random.bytes()];
    let narrow = random.between(0, 1) == 0;
    if narrow {
        columns.iter_mut().flat_map(|column| &mut column.0).for_each(|weight| *weight >>= 1);
    }
    let [a, b, c, d] = columns.each_ref().map(|column| &column.0[..width]);

    let mut sums = Aligned([[0; MAX_WIDTH]; 5]);
    let [start, quiet, capture, promotion, castling] = sums.0.each_mut().map(|sums| &mut sums[..width]);
    kernels.start(start, &biases.0[..width]);
    kernels.add(start, a);
    kernels.add(start, d);
    kernels.remove(start, c);
    kernels.update(start, quiet, [b], [c], narrow);
    kernels.update(quiet, capture, [a], [b, c], narrow);
    kernels.update(capture, promotion, [d], [b], narrow);
    kernels.update(promotion, castling, [a, b], [c, d], narrow);
    let mut activations = Aligned([0; MAX_WIDTH]);
    kernels.activate(start, one, shift, &mut activations.0[..width]);
    let of_activations = activations.0.iter().fold(0, |sum: i32, &a| sum.wrapping_mul(31).wrapping_add(i32::from(a)));
    let [start, quiet, capture, promotion, castling] =
        sums.0.each_ref().map(|sums| kernels.screlu_dot(&sums[..width], a, one));
    let dot = kernels.dot(&activations.0[..width], b);
    [start, quiet, capture, promotion, castling, of_activations, dot, width as i32]
}

/// Whether the fastest kernels of this machine give the same bits as the portable ones, for this many random networks.
#[must_use]
pub fn all_agree(rounds: u32) -> bool {
    (0..u64::from(rounds)).all(|seed| make(Kernels::Portable, seed) == make(Kernels::best(), seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kernels_give_the_same_bits() {
        assert!(all_agree(2_000));
        assert_ne!(make(Kernels::Portable, 1), make(Kernels::Portable, 2));
    }
}
