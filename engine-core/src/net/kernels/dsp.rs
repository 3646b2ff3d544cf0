//! The kernels with the DSP instructions of a Cortex-M4, M7 or alike: two lanes of 16 bits in a register.
//!
//! The instructions that widen bytes to 16 bits take every second byte of a word. So each four lanes of an accumulator
//! lie as 0, 2, 1, 3, and the weights need no order of their own. Whole loops are one block of assembly, for a compiler
//! that is given single instructions spills registers between them. Each block takes eight or four lanes a turn.

use core::arch::asm;

use super::portable;

/// Whether a pair of words may be loaded from here: the instruction wants a multiple of four.
fn is_aligned<T>(slice: &[T]) -> bool {
    slice.as_ptr().addr().is_multiple_of(4)
}

/// Lanes in the order of the registers, or back.
const fn swap_middle<T: Copy>([a, b, c, d]: [T; 4]) -> [T; 4] {
    [a, c, b, d]
}

pub(super) fn start(accumulator: &mut [i16], biases: &[i16]) {
    for (sums, biases) in accumulator.as_chunks_mut().0.iter_mut().zip(biases.as_chunks().0) {
        *sums = swap_middle(*biases);
    }
}

pub(super) fn update<const A: usize, const R: usize>(
    from: &[i16],
    to: &mut [i16],
    added: [&[i8]; A],
    removed: [&[i8]; R],
    are_narrow: bool,
) {
    match (added.as_slice(), removed.as_slice()) {
        ([added], [removed]) if are_narrow => replace_narrow(from, to, added, removed),
        ([added], [removed, captured]) if are_narrow => capture_narrow(from, to, added, removed, captured),
        ([added], [removed]) => replace(Some(from), to, added, removed),
        ([added], [removed, captured]) => capture(from, to, added, removed, captured),
        ([added, second], [removed, gone]) => {
            replace(Some(from), to, added, removed);
            replace(None, to, second, gone);
        }
        _ => portable::update(from, to, added, removed, are_narrow),
    }
}

/// `to = from + added - removed`, or without `from`, `to += added - removed`.
fn replace(from: Option<&[i16]>, to: &mut [i16], added: &[i8], removed: &[i8]) {
    let lanes = to.len() & !7;
    assert!(from.is_none_or(|from| from.len() >= lanes && is_aligned(from)) && is_aligned(to));
    assert!(added.len() >= lanes && removed.len() >= lanes && is_aligned(added));
    if lanes == 0 {
        return;
    }
    let to = to.as_mut_ptr();
    let from = from.map_or(to.cast_const(), <[i16]>::as_ptr);
    // SAFETY: the block reads `lanes` numbers from each pointer and writes as many to `to`; all slices are that long, and
    // aligned for it. Where `from` is `to`, each lane is read before it is written.
    unsafe {
        asm!(
            "2:",
            "ldrd {a0}, {a1}, [{added}], #8",
            "ldrd {s0}, {s1}, [{from}], #8",
            "sxtab16 {s0}, {s0}, {a0}",
            "sxtab16 {s1}, {s1}, {a0}, ror #8",
            "ldr {a0}, [{removed}], #4",
            "sxtb16 {t}, {a0}",
            "ssub16 {s0}, {s0}, {t}",
            "sxtb16 {t}, {a0}, ror #8",
            "ssub16 {s1}, {s1}, {t}",
            "strd {s0}, {s1}, [{to}], #8",
            "ldrd {s0}, {s1}, [{from}], #8",
            "ldr {a0}, [{removed}], #4",
            "sxtab16 {s0}, {s0}, {a1}",
            "sxtab16 {s1}, {s1}, {a1}, ror #8",
            "sxtb16 {t}, {a0}",
            "ssub16 {s0}, {s0}, {t}",
            "sxtb16 {t}, {a0}, ror #8",
            "ssub16 {s1}, {s1}, {t}",
            "strd {s0}, {s1}, [{to}], #8",
            "subs {lanes}, {lanes}, #8",
            "bne 2b",
            added = inout(reg) added.as_ptr() => _,
            removed = inout(reg) removed.as_ptr() => _,
            from = inout(reg) from => _,
            to = inout(reg) to => _,
            lanes = inout(reg) lanes => _,
            a0 = out(reg) _,
            a1 = out(reg) _,
            s0 = out(reg) _,
            s1 = out(reg) _,
            t = out(reg) _,
            options(nostack),
        );
    }
}

/// `to = from + added - removed`, of weights of seven bits: `added - removed` in bytes.
fn replace_narrow(from: &[i16], to: &mut [i16], added: &[i8], removed: &[i8]) {
    let lanes = to.len() & !7;
    assert!(from.len() >= lanes && is_aligned(from) && is_aligned(to));
    assert!(added.len() >= lanes && removed.len() >= lanes && is_aligned(added) && is_aligned(removed));
    if lanes == 0 {
        return;
    }
    // SAFETY: the block reads `lanes` numbers from each pointer and writes as many to `to`; all slices are that long, and
    // aligned for it.
    unsafe {
        asm!(
            "2:",
            "ldrd {w0}, {w1}, [{added}], #8",
            "ldrd {s0}, {s1}, [{removed}], #8",
            "ssub8 {w0}, {w0}, {s0}",
            "ssub8 {w1}, {w1}, {s1}",
            "ldrd {s0}, {s1}, [{from}], #8",
            "sxtab16 {s0}, {s0}, {w0}",
            "sxtab16 {s1}, {s1}, {w0}, ror #8",
            "strd {s0}, {s1}, [{to}], #8",
            "ldrd {s0}, {s1}, [{from}], #8",
            "sxtab16 {s0}, {s0}, {w1}",
            "sxtab16 {s1}, {s1}, {w1}, ror #8",
            "strd {s0}, {s1}, [{to}], #8",
            "subs {lanes}, {lanes}, #8",
            "bne 2b",
            added = inout(reg) added.as_ptr() => _,
            removed = inout(reg) removed.as_ptr() => _,
            from = inout(reg) from.as_ptr() => _,
            to = inout(reg) to.as_mut_ptr() => _,
            lanes = inout(reg) lanes => _,
            w0 = out(reg) _,
            w1 = out(reg) _,
            s0 = out(reg) _,
            s1 = out(reg) _,
            options(nostack),
        );
    }
}

/// `to = from + added - removed - captured`, of weights of seven bits: `added - removed` in bytes.
fn capture_narrow(from: &[i16], to: &mut [i16], added: &[i8], removed: &[i8], captured: &[i8]) {
    let lanes = to.len() & !7;
    assert!(added.len() >= lanes && removed.len() >= lanes && captured.len() >= lanes);
    assert!(is_aligned(added) && is_aligned(removed));
    assert!(from.len() >= lanes && is_aligned(from) && is_aligned(to));
    if lanes == 0 {
        return;
    }
    // SAFETY: the block reads `lanes` numbers from each pointer and writes as many to `to`; all slices are that long, and
    // aligned for it.
    unsafe {
        asm!(
            "2:",
            "ldrd {w0}, {w1}, [{added}], #8",
            "ldrd {s0}, {s1}, [{removed}], #8",
            "ssub8 {w0}, {w0}, {s0}",
            "ssub8 {w1}, {w1}, {s1}",
            "ldrd {s0}, {s1}, [{from}], #8",
            "sxtab16 {s0}, {s0}, {w0}",
            "sxtab16 {s1}, {s1}, {w0}, ror #8",
            "ldr {w0}, [{captured}], #4",
            "sxtb16 {t}, {w0}",
            "ssub16 {s0}, {s0}, {t}",
            "sxtb16 {t}, {w0}, ror #8",
            "ssub16 {s1}, {s1}, {t}",
            "strd {s0}, {s1}, [{to}], #8",
            "ldrd {s0}, {s1}, [{from}], #8",
            "sxtab16 {s0}, {s0}, {w1}",
            "sxtab16 {s1}, {s1}, {w1}, ror #8",
            "ldr {w1}, [{captured}], #4",
            "sxtb16 {t}, {w1}",
            "ssub16 {s0}, {s0}, {t}",
            "sxtb16 {t}, {w1}, ror #8",
            "ssub16 {s1}, {s1}, {t}",
            "strd {s0}, {s1}, [{to}], #8",
            "subs {lanes}, {lanes}, #8",
            "bne 2b",
            added = inout(reg) added.as_ptr() => _,
            removed = inout(reg) removed.as_ptr() => _,
            captured = inout(reg) captured.as_ptr() => _,
            from = inout(reg) from.as_ptr() => _,
            to = inout(reg) to.as_mut_ptr() => _,
            lanes = inout(reg) lanes => _,
            w0 = out(reg) _,
            w1 = out(reg) _,
            s0 = out(reg) _,
            s1 = out(reg) _,
            t = out(reg) _,
            options(nostack),
        );
    }
}

/// `to = from + added - removed - captured`.
fn capture(from: &[i16], to: &mut [i16], added: &[i8], removed: &[i8], captured: &[i8]) {
    let lanes = to.len() & !3;
    assert!(added.len() >= lanes && removed.len() >= lanes && captured.len() >= lanes);
    assert!(from.len() >= lanes && is_aligned(from) && is_aligned(to));
    if lanes == 0 {
        return;
    }
    // SAFETY: the block reads `lanes` numbers from each pointer and writes as many to `to`; all slices are that long, and
    // aligned for it.
    unsafe {
        asm!(
            "2:",
            "ldrd {s0}, {s1}, [{from}], #8",
            "ldr {w}, [{added}], #4",
            "sxtab16 {s0}, {s0}, {w}",
            "sxtab16 {s1}, {s1}, {w}, ror #8",
            "ldr {w}, [{removed}], #4",
            "sxtb16 {t}, {w}",
            "ssub16 {s0}, {s0}, {t}",
            "sxtb16 {t}, {w}, ror #8",
            "ssub16 {s1}, {s1}, {t}",
            "ldr {w}, [{captured}], #4",
            "sxtb16 {t}, {w}",
            "ssub16 {s0}, {s0}, {t}",
            "sxtb16 {t}, {w}, ror #8",
            "ssub16 {s1}, {s1}, {t}",
            "strd {s0}, {s1}, [{to}], #8",
            "subs {lanes}, {lanes}, #4",
            "bne 2b",
            added = inout(reg) added.as_ptr() => _,
            removed = inout(reg) removed.as_ptr() => _,
            captured = inout(reg) captured.as_ptr() => _,
            from = inout(reg) from.as_ptr() => _,
            to = inout(reg) to.as_mut_ptr() => _,
            lanes = inout(reg) lanes => _,
            w = out(reg) _,
            s0 = out(reg) _,
            s1 = out(reg) _,
            t = out(reg) _,
            options(nostack),
        );
    }
}

pub(super) fn add(accumulator: &mut [i16], column: &[i8]) {
    let lanes = accumulator.len() & !7;
    assert!(column.len() >= lanes && is_aligned(column) && is_aligned(accumulator));
    if lanes == 0 {
        return;
    }
    // SAFETY: the block reads `lanes` numbers from both pointers and writes as many back to the accumulator; both slices
    // are that long, and aligned for it.
    unsafe {
        asm!(
            "2:",
            "ldrd {w0}, {w1}, [{column}], #8",
            "ldrd {s0}, {s1}, [{sums}]",
            "sxtab16 {s0}, {s0}, {w0}",
            "sxtab16 {s1}, {s1}, {w0}, ror #8",
            "strd {s0}, {s1}, [{sums}], #8",
            "ldrd {s0}, {s1}, [{sums}]",
            "sxtab16 {s0}, {s0}, {w1}",
            "sxtab16 {s1}, {s1}, {w1}, ror #8",
            "strd {s0}, {s1}, [{sums}], #8",
            "subs {lanes}, {lanes}, #8",
            "bne 2b",
            column = inout(reg) column.as_ptr() => _,
            sums = inout(reg) accumulator.as_mut_ptr() => _,
            lanes = inout(reg) lanes => _,
            w0 = out(reg) _,
            w1 = out(reg) _,
            s0 = out(reg) _,
            s1 = out(reg) _,
            options(nostack),
        );
    }
}

pub(super) fn remove(accumulator: &mut [i16], column: &[i8]) {
    let lanes = accumulator.len() & !7;
    assert!(column.len() >= lanes && is_aligned(column) && is_aligned(accumulator));
    if lanes == 0 {
        return;
    }
    // SAFETY: the block reads `lanes` numbers from both pointers and writes as many back to the accumulator; both slices
    // are that long, and aligned for it.
    unsafe {
        asm!(
            "2:",
            "ldrd {w0}, {w1}, [{column}], #8",
            "ldrd {s0}, {s1}, [{sums}]",
            "sxtb16 {t}, {w0}",
            "ssub16 {s0}, {s0}, {t}",
            "sxtb16 {t}, {w0}, ror #8",
            "ssub16 {s1}, {s1}, {t}",
            "strd {s0}, {s1}, [{sums}], #8",
            "ldrd {s0}, {s1}, [{sums}]",
            "sxtb16 {t}, {w1}",
            "ssub16 {s0}, {s0}, {t}",
            "sxtb16 {t}, {w1}, ror #8",
            "ssub16 {s1}, {s1}, {t}",
            "strd {s0}, {s1}, [{sums}], #8",
            "subs {lanes}, {lanes}, #8",
            "bne 2b",
            column = inout(reg) column.as_ptr() => _,
            sums = inout(reg) accumulator.as_mut_ptr() => _,
            lanes = inout(reg) lanes => _,
            w0 = out(reg) _,
            w1 = out(reg) _,
            s0 = out(reg) _,
            s1 = out(reg) _,
            t = out(reg) _,
            options(nostack),
        );
    }
}

pub(super) fn screlu_dot(accumulator: &[i16], weights: &[i8], one: i16) -> i32 {
    let lanes = accumulator.len() & !7;
    assert!(weights.len() >= lanes && is_aligned(accumulator) && is_aligned(weights));
    match lanes {
        0 => 0,
        _ if one == 127 => screlu_dot_of_seven_bits(accumulator, weights, lanes),
        _ => screlu_dot_of_any(accumulator, weights, lanes, one),
    }
}

/// The lanes, eight a turn, held between 0 and 127. A multiplication of two lanes with themselves leaves one square in the
/// lower half of its first word, and the other in its second word; twice their product lies between.
fn screlu_dot_of_seven_bits(accumulator: &[i16], weights: &[i8], lanes: usize) -> i32 {
    let mut sum = 0;
    // SAFETY: the block reads `lanes` numbers from both pointers, and the caller has seen to it that both slices are that
    // long, and aligned.
    unsafe {
        asm!(
            "2:",
            "ldrd {w0}, {w1}, [{weights}], #8",
            "ldrd {s0}, {s1}, [{sums}], #8",
            "usat16 {s0}, #7, {s0}",
            "usat16 {s1}, #7, {s1}",
            "sxtb16 {v}, {w0}",
            "umull {low}, {high}, {s0}, {s0}",
            "smlabb {sum}, {low}, {v}, {sum}",
            "smlabt {sum}, {high}, {v}, {sum}",
            "sxtb16 {v}, {w0}, ror #8",
            "umull {low}, {high}, {s1}, {s1}",
            "smlabb {sum}, {low}, {v}, {sum}",
            "smlabt {sum}, {high}, {v}, {sum}",
            "ldrd {s0}, {s1}, [{sums}], #8",
            "usat16 {s0}, #7, {s0}",
            "usat16 {s1}, #7, {s1}",
            "sxtb16 {v}, {w1}",
            "umull {low}, {high}, {s0}, {s0}",
            "smlabb {sum}, {low}, {v}, {sum}",
            "smlabt {sum}, {high}, {v}, {sum}",
            "sxtb16 {v}, {w1}, ror #8",
            "umull {low}, {high}, {s1}, {s1}",
            "smlabb {sum}, {low}, {v}, {sum}",
            "smlabt {sum}, {high}, {v}, {sum}",
            "subs {lanes}, {lanes}, #8",
            "bne 2b",
            sums = inout(reg) accumulator.as_ptr() => _,
            weights = inout(reg) weights.as_ptr() => _,
            lanes = inout(reg) lanes => _,
            sum = inout(reg) sum,
            w0 = out(reg) _,
            w1 = out(reg) _,
            s0 = out(reg) _,
            s1 = out(reg) _,
            low = out(reg) _,
            high = out(reg) _,
            v = out(reg) _,
            options(nostack, readonly),
        );
    }
    sum
}

/// The lanes, four a turn, held between 0 and `one`. The product with the weight of what is clamped fits 16 bits, where
/// the square of 255 would not.
fn screlu_dot_of_any(accumulator: &[i16], weights: &[i8], lanes: usize, one: i16) -> i32 {
    let ones = u32::from(one as u16) * 0x1_0001;
    let mut sum = 0;
    // SAFETY: the block reads `lanes` numbers from both pointers, and the caller has seen to it that both slices are that
    // long, and aligned.
    unsafe {
        asm!(
            "2:",
            "ldrd {s0}, {s1}, [{sums}], #8",
            "ldr {w}, [{weights}], #4",
            "usat16 {s0}, #15, {s0}",
            "usat16 {s1}, #15, {s1}",
            // Takes the lesser: where the subtraction does not borrow, one.
            "usub16 {t}, {s0}, {ones}",
            "sel {s0}, {ones}, {s0}",
            "usub16 {t}, {s1}, {ones}",
            "sel {s1}, {ones}, {s1}",
            "sxtb16 {v}, {w}",
            "smulbb {t}, {s0}, {v}",
            "smultt {v}, {s0}, {v}",
            "smlabb {sum}, {t}, {s0}, {sum}",
            "smlabt {sum}, {v}, {s0}, {sum}",
            "sxtb16 {v}, {w}, ror #8",
            "smulbb {t}, {s1}, {v}",
            "smultt {v}, {s1}, {v}",
            "smlabb {sum}, {t}, {s1}, {sum}",
            "smlabt {sum}, {v}, {s1}, {sum}",
            "subs {lanes}, {lanes}, #4",
            "bne 2b",
            sums = inout(reg) accumulator.as_ptr() => _,
            weights = inout(reg) weights.as_ptr() => _,
            lanes = inout(reg) lanes => _,
            sum = inout(reg) sum,
            ones = in(reg) ones,
            w = out(reg) _,
            s0 = out(reg) _,
            s1 = out(reg) _,
            t = out(reg) _,
            v = out(reg) _,
            options(nostack, readonly),
        );
    }
    sum
}

pub(super) fn activate(accumulator: &[i16], one: i16, shift: u32, activations: &mut [i8]) {
    portable::activate(accumulator, one, shift, activations);
    for four in activations.as_chunks_mut().0 {
        *four = swap_middle(*four);
    }
}

pub(super) use portable::dot;
