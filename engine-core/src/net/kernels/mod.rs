//! The inner loops of a network, several times: portable, and with a machine's vector instructions. All give the same
//! bits; tests hold each to the portable one.
//!
//! Each kind keeps accumulators and activations in an order of its own, so that what one kind has made, the others
//! cannot read.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "vector instructions")]
mod avx2;
#[cfg(cortex_m_dsp)]
#[allow(unsafe_code, reason = "assembly")]
mod dsp;
mod portable;
mod twins;

pub use twins::all_agree;

/// Numbers at an address that suits every kernel.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Aligned<T>(pub(super) T);

/// Whether all weights fit seven bits, so that the difference of any two fits eight: then what comes and what goes can
/// be taken together before either is widened.
pub(super) fn are_narrow(weights: &[i8]) -> bool {
    weights.iter().all(|weight| (-64..64).contains(weight))
}

/// The kernels that a network is computed with. Slices of numbers begin at a multiple of four bytes, and have a
/// multiple of [`LANES`](super::header::LANES) of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernels {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(cortex_m_dsp)]
    Dsp,
}

/// Calls a kernel of the right kind.
macro_rules! dispatch {
    ($kernels:expr, $kernel:ident($($argument:expr),*)) => {
        match $kernels {
            Kernels::Portable => portable::$kernel($($argument),*),
            #[cfg(target_arch = "x86_64")]
            Kernels::Avx2(avx2) => avx2.$kernel($($argument),*),
            #[cfg(cortex_m_dsp)]
            Kernels::Dsp => dsp::$kernel($($argument),*),
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
        #[cfg(cortex_m_dsp)]
        return Self::Dsp;
        #[cfg(not(cortex_m_dsp))]
        Self::Portable
    }

    /// Fills an accumulator with the biases of the first layer.
    #[inline]
    pub(super) fn start(self, accumulator: &mut [i16], biases: &[i16]) {
        dispatch!(self, start(accumulator, biases));
    }

    /// `to = from + added - removed`: one column of weights for each input that comes or goes. `are_narrow` says that
    /// all weights are, see [`are_narrow`].
    #[inline]
    pub(super) fn update<const A: usize, const R: usize>(
        self,
        from: &[i16],
        to: &mut [i16],
        added: [&[i8]; A],
        removed: [&[i8]; R],
        are_narrow: bool,
    ) {
        dispatch!(self, update(from, to, added, removed, are_narrow));
    }

    /// `accumulator += column`.
    #[inline]
    pub(super) fn add(self, accumulator: &mut [i16], column: &[i8]) {
        dispatch!(self, add(accumulator, column));
    }

    /// `accumulator -= column`.
    #[inline]
    pub(super) fn remove(self, accumulator: &mut [i16], column: &[i8]) {
        dispatch!(self, remove(accumulator, column));
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
