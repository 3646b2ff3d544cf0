//! The kernels in plain Rust: what the others are held to.

pub(super) fn start(accumulator: &mut [i16], biases: &[i16]) {
    accumulator.copy_from_slice(biases);
}

pub(super) fn update<const A: usize, const R: usize>(
    from: &[i16],
    to: &mut [i16],
    added: [&[i8]; A],
    removed: [&[i8]; R],
    _are_narrow: bool,
) {
    let width = to.len();
    let from = &from[..width];
    let (added, removed) = (added.map(|column| &column[..width]), removed.map(|column| &column[..width]));
    for lane in 0..width {
        let mut sum = from[lane];
        for column in added {
            sum = sum.wrapping_add(i16::from(column[lane]));
        }
        for column in removed {
            sum = sum.wrapping_sub(i16::from(column[lane]));
        }
        to[lane] = sum;
    }
}

pub(super) fn add(accumulator: &mut [i16], column: &[i8]) {
    for (sum, &weight) in accumulator.iter_mut().zip(column) {
        *sum = sum.wrapping_add(i16::from(weight));
    }
}

pub(super) fn remove(accumulator: &mut [i16], column: &[i8]) {
    for (sum, &weight) in accumulator.iter_mut().zip(column) {
        *sum = sum.wrapping_sub(i16::from(weight));
    }
}

pub(super) fn screlu_dot(accumulator: &[i16], weights: &[i8], one: i16) -> i32 {
    let products = accumulator.iter().zip(weights).map(|(&sum, &weight)| {
        let clamped = i32::from(sum.clamp(0, one));
        clamped * clamped * i32::from(weight)
    });
    products.sum()
}

pub(super) fn activate(accumulator: &[i16], one: i16, shift: u32, activations: &mut [i8]) {
    for (activation, &sum) in activations.iter_mut().zip(accumulator) {
        let clamped = i32::from(sum.clamp(0, one));
        *activation = ((clamped * clamped) >> shift).min(127) as i8;
    }
}

pub(super) fn dot(activations: &[i8], weights: &[i8]) -> i32 {
    activations.iter().zip(weights).map(|(&activation, &weight)| i32::from(activation) * i32::from(weight)).sum()
}
