//! The kernels with AVX2: sixteen lanes of 16 bits at a time.
//!
//! `unsafe` is needed for one thing only, calling functions that may use AVX2: the token [`Avx2`] exists only where the
//! processor has it. Loads and stores go through arrays of the right length.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi32, _mm_cvtsi32_si128, _mm_cvtsi128_si32, _mm_packs_epi16, _mm_shuffle_epi32,
    _mm_sub_epi8, _mm_unpackhi_epi64, _mm256_add_epi16, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16,
    _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_max_epi16, _mm256_min_epi16, _mm256_mullo_epi16,
    _mm256_set1_epi16, _mm256_setzero_si256, _mm256_srl_epi16, _mm256_sub_epi16,
};

use super::super::header::LANES;

cpufeatures::new!(has_avx2, "avx2");

/// The proof that this processor has AVX2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        has_avx2::get().then_some(Self(()))
    }

    pub(super) fn start(self, accumulator: &mut [i16], biases: &[i16]) {
        super::portable::start(accumulator, biases);
    }

    #[inline]
    pub(super) fn update<const A: usize, const R: usize>(
        self,
        from: &[i16],
        to: &mut [i16],
        added: [&[i8]; A],
        removed: [&[i8]; R],
        are_narrow: bool,
    ) {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe {
            if are_narrow {
                update::<A, R, true>(from, to, added, removed);
            } else {
                update::<A, R, false>(from, to, added, removed);
            }
        }
    }

    #[inline]
    pub(super) fn add(self, accumulator: &mut [i16], column: &[i8]) {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { add(accumulator, column) }
    }

    #[inline]
    pub(super) fn remove(self, accumulator: &mut [i16], column: &[i8]) {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { remove(accumulator, column) }
    }

    #[inline]
    pub(super) fn screlu_dot(self, accumulator: &[i16], weights: &[i8], one: i16) -> i32 {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { screlu_dot(accumulator, weights, one) }
    }

    #[inline]
    pub(super) fn activate(self, accumulator: &[i16], one: i16, shift: u32, activations: &mut [i8]) {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { activate(accumulator, one, shift, activations) }
    }

    #[inline]
    pub(super) fn dot(self, activations: &[i8], weights: &[i8]) -> i32 {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { dot(activations, weights) }
    }
}

/// Sixteen lanes of 16 bits.
fn load(lanes: &[i16; LANES]) -> __m256i {
    bytemuck::must_cast(*lanes)
}

/// Sixteen bytes, each widened to 16 bits.
#[target_feature(enable = "avx2")]
fn widen(bytes: &[i8; LANES]) -> __m256i {
    _mm256_cvtepi8_epi16(bytemuck::must_cast(*bytes))
}

/// The sum of eight lanes of 32 bits.
#[target_feature(enable = "avx2")]
fn total(sums: __m256i) -> i32 {
    let halves = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let pairs = _mm_add_epi32(halves, _mm_unpackhi_epi64(halves, halves));
    _mm_cvtsi128_si32(_mm_add_epi32(pairs, _mm_shuffle_epi32::<1>(pairs)))
}

#[target_feature(enable = "avx2")]
fn update<const A: usize, const R: usize, const NARROW: bool>(
    from: &[i16],
    to: &mut [i16],
    added: [&[i8]; A],
    removed: [&[i8]; R],
) {
    let (to, _) = to.as_chunks_mut::<LANES>();
    let from = &from.as_chunks::<LANES>().0[..to.len()];
    let added = added.map(|column| &column.as_chunks::<LANES>().0[..to.len()]);
    let removed = removed.map(|column| &column.as_chunks::<LANES>().0[..to.len()]);
    for (chunk, to) in to.iter_mut().enumerate() {
        let mut sum = load(&from[chunk]);
        let pairs = if NARROW { A.min(R) } else { 0 };
        for (added, removed) in added.iter().zip(&removed).take(pairs) {
            let (added, removed) = (bytemuck::must_cast(added[chunk]), bytemuck::must_cast(removed[chunk]));
            sum = _mm256_add_epi16(sum, _mm256_cvtepi8_epi16(_mm_sub_epi8(added, removed)));
        }
        for column in &added[pairs..] {
            sum = _mm256_add_epi16(sum, widen(&column[chunk]));
        }
        for column in &removed[pairs..] {
            sum = _mm256_sub_epi16(sum, widen(&column[chunk]));
        }
        *to = bytemuck::must_cast(sum);
    }
}

#[target_feature(enable = "avx2")]
fn add(accumulator: &mut [i16], column: &[i8]) {
    let (sums, columns) = (accumulator.as_chunks_mut::<LANES>().0, column.as_chunks::<LANES>().0);
    for (sum, weights) in sums.iter_mut().zip(columns) {
        *sum = bytemuck::must_cast(_mm256_add_epi16(load(sum), widen(weights)));
    }
}

#[target_feature(enable = "avx2")]
fn remove(accumulator: &mut [i16], column: &[i8]) {
    let (sums, columns) = (accumulator.as_chunks_mut::<LANES>().0, column.as_chunks::<LANES>().0);
    for (sum, weights) in sums.iter_mut().zip(columns) {
        *sum = bytemuck::must_cast(_mm256_sub_epi16(load(sum), widen(weights)));
    }
}

#[target_feature(enable = "avx2")]
fn screlu_dot(accumulator: &[i16], weights: &[i8], one: i16) -> i32 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(one));
    let mut total_of_lanes = zero;
    for (sums, weights) in accumulator.as_chunks::<LANES>().0.iter().zip(weights.as_chunks::<LANES>().0) {
        let clamped = _mm256_min_epi16(_mm256_max_epi16(load(sums), zero), one);
        // At most 255 times 128: this fits 16 bits, where the square of 255 would not.
        let weighted = _mm256_mullo_epi16(clamped, widen(weights));
        total_of_lanes = _mm256_add_epi32(total_of_lanes, _mm256_madd_epi16(weighted, clamped));
    }
    total(total_of_lanes)
}

#[target_feature(enable = "avx2")]
fn activate(accumulator: &[i16], one: i16, shift: u32, activations: &mut [i8]) {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(one));
    let shift = _mm_cvtsi32_si128(shift as i32);
    for (sums, activations) in accumulator.as_chunks::<LANES>().0.iter().zip(activations.as_chunks_mut::<LANES>().0) {
        let clamped = _mm256_min_epi16(_mm256_max_epi16(load(sums), zero), one);
        // The square of 255 fits 16 bits without a sign, and the shift leaves at most a byte; packing saturates it.
        let squares = _mm256_srl_epi16(_mm256_mullo_epi16(clamped, clamped), shift);
        let packed: __m128i = _mm_packs_epi16(_mm256_castsi256_si128(squares), _mm256_extracti128_si256::<1>(squares));
        *activations = bytemuck::must_cast(packed);
    }
}

#[target_feature(enable = "avx2")]
fn dot(activations: &[i8], weights: &[i8]) -> i32 {
    let mut sums = _mm256_setzero_si256();
    for (activations, weights) in activations.as_chunks::<LANES>().0.iter().zip(weights.as_chunks::<LANES>().0) {
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(widen(activations), widen(weights)));
    }
    total(sums)
}
