//! The inner loops of a network, several times: portable, and with a machine's vector instructions. All give the same
//! bits; tests hold each to the portable one.
//!
//! Each kind keeps accumulators and activations in an order of its own, so that what one kind has made, the others
//! cannot read.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "vector instructions")]
mod avx2;
mod portable;

/// The kernels that a network is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernels {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
}

/// Calls a kernel of the right kind.
macro_rules! dispatch {
    ($kernels:expr, $kernel:ident($($argument:expr),*)) => {
        match $kernels {
            Kernels::Portable => portable::$kernel($($argument),*),
            #[cfg(target_arch = "x86_64")]
            Kernels::Avx2(avx2) => avx2.$kernel($($argument),*),
        }
    };
}

impl Kernels {
    /// The fastest kernels that this machine has.
    pub(super) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = avx2::Avx2::detect() {
            return Self::Avx2(avx2);
        }
        Self::Portable
    }

    /// Fills an accumulator with the biases of the first layer.
    #[inline]
    pub(super) fn start(self, accumulator: &mut [i16], biases: &[i16]) {
        accumulator.copy_from_slice(biases);
    }

    /// `to = from + added - removed`: one column of weights for each input that comes or goes.
    #[inline]
    pub(super) fn update<const A: usize, const R: usize>(
        self,
        from: &[i16],
        to: &mut [i16],
        added: [&[i8]; A],
        removed: [&[i8]; R],
    ) {
        dispatch!(self, update(from, to, added, removed));
    }

    /// `accumulator += column`.
    #[inline]
    pub(super) fn add(self, accumulator: &mut [i16], column: &[i8]) {
        dispatch!(self, add(accumulator, column));
    }

    /// The sum of `clamp(a, 0, one)^2 * w` over an accumulator, `one` at most 255.
    #[inline]
    pub(super) fn screlu_dot(self, accumulator: &[i16], weights: &[i8], one: i16) -> i32 {
        dispatch!(self, screlu_dot(accumulator, weights, one))
    }

    /// `min(127, clamp(a, 0, one)^2 >> shift)` for each of an accumulator, `one` at most 255.
    #[inline]
    pub(super) fn activate(self, accumulator: &[i16], one: i16, shift: u32, activations: &mut [i8]) {
        dispatch!(self, activate(accumulator, one, shift, activations));
    }

    /// The sum of `activation * weight`; activations are not negative.
    #[inline]
    pub(super) fn dot(self, activations: &[i8], weights: &[i8]) -> i32 {
        dispatch!(self, dot(activations, weights))
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use proptest::prelude::*;
    use std::vec::Vec;

    use super::*;

    /// Numbers for every lane of the widest first layer.
    fn lanes<T: Arbitrary>() -> impl Strategy<Value = Vec<T>> {
        prop::collection::vec(any::<T>(), 256)
    }

    proptest! {
        #[test]
        fn all_kernels_give_the_same_bits(
            (from, columns) in (lanes::<i16>(), prop::array::uniform4(lanes::<i8>())),
            (activations, one, width) in (prop::collection::vec(0i8.., 256), 64i16..=255, 1usize..=16),
        ) {
            let width = width * 16;
            let [a, b, c, d] = columns.each_ref().map(|column| &column[..width]);
            let made = [Kernels::Portable, Kernels::best()].map(|kernels| {
                let mut sums = [[0; 256]; 5];
                let [biased, quiet, capture, promotion, castling] = sums.each_mut().map(|sums| &mut sums[..width]);
                kernels.start(biased, &from[..width]);
                kernels.add(biased, a);
                kernels.update(biased, quiet, [b], [c]);
                kernels.update(quiet, capture, [a], [b, c]);
                kernels.update(capture, promotion, [a, d], [b]);
                kernels.update(promotion, castling, [a, b], [c, d]);
                let mut squares = [0; 256];
                let shift = if one < 182 { 8 } else { 9 };
                kernels.activate(castling, one, shift, &mut squares[..width]);
                let seen = sums.map(|sums| kernels.screlu_dot(&sums[..width], a, one));
                (seen, kernels.dot(&squares[..width], b), kernels.dot(&activations[..width], c))
            });
            prop_assert_eq!(made[0], made[1]);
        }
    }
}
