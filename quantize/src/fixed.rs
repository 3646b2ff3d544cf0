//! Rounding to fixed point: a weight `w` becomes the whole number nearest to `w * scale`.

use engine_core::net::header::ValueShape;

/// The largest activation between dense layers.
const MAX_ACTIVATION: u64 = 127;

/// What 1.0 becomes in a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// As a weight.
    pub weight: u16,
    /// As a bias, and so in the sums.
    pub bias: f64,
}

/// The scales of every layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Scales {
    /// Those of the first layer.
    pub features: Scale,
    /// Those of the dense layers.
    pub dense: Vec<Scale>,
    /// Those of the output.
    pub output: Scale,
}

/// The scales of a net.
///
/// The first layer's sums have one at `qa`. With no dense layer the output sees their squares. A dense layer sees
/// squares shifted right until they are at most 127, so that 1.0 is `one * one / 2^shift`, where `one` is 1.0 in the
/// sums before.
#[must_use]
pub fn scales(shape: &ValueShape) -> Scales {
    let qa = f64::from(shape.qa);
    let after = |inputs: f64| Scale { weight: shape.qb, bias: inputs * f64::from(shape.qb) };
    let mut inputs = if shape.dense.is_empty() { qa * qa } else { activation_of_one(shape.qa.into()) };
    let mut dense = Vec::new();
    for _ in &shape.dense {
        let scale = after(inputs);
        inputs = activation_of_one(scale.bias.round() as u64);
        dense.push(scale);
    }
    Scales { features: Scale { weight: shape.qa, bias: qa }, dense, output: after(inputs) }
}

/// What 1.0 is in the activations of a layer, if it is `one` in its sums.
fn activation_of_one(one: u64) -> f64 {
    let mut square = (one * one) as f64;
    let mut shift = 0;
    while (one * one) >> shift > MAX_ACTIVATION {
        shift += 1;
        square /= 2.0;
    }
    square
}

/// What rounding a tensor to eight bits costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// How many weights lie beyond what eight bits hold at this scale, and were clipped.
    pub clipped: usize,
    /// The largest difference between a weight and what it became.
    pub largest_error: f32,
    /// The root of the mean squared difference.
    pub rms_error: f32,
}

/// The `i8` nearest to a weight times a scale; ties go away from zero, and what does not fit is clipped. A weight that
/// is no number becomes zero.
#[must_use]
pub fn round(weight: f32, scale: f32) -> i8 {
    // A cast from float to integer saturates, and takes NaN to zero.
    (weight * scale).round() as i8
}

/// The whole number nearest to a bias times a scale, if its type can hold it.
#[must_use]
pub fn round_bias<T: TryFrom<i64>>(bias: f32, scale: f64) -> Option<T> {
    T::try_from((f64::from(bias) * scale).round() as i64).ok()
}

/// The largest scale, at most `scale`, at which all the weights fit eight bits; `None` if none does.
#[must_use]
pub fn largest_fit(weights: &[f32], scale: u16) -> Option<u16> {
    let least = weights.iter().copied().fold(0.0, f32::min);
    let greatest = weights.iter().copied().fold(0.0, f32::max);
    (1..=scale).rev().find(|&scale| fits(least, scale.into()) && fits(greatest, scale.into()))
}

/// Whether a weight times a scale rounds to eight bits.
#[must_use]
pub fn fits(weight: f32, scale: f32) -> bool {
    (f32::from(i8::MIN)..=f32::from(i8::MAX)).contains(&(weight * scale).round())
}

/// What rounding these weights at a scale costs.
#[must_use]
pub fn cost(weights: &[f32], scale: f32) -> Cost {
    let clipped = weights.iter().filter(|weight| !fits(**weight, scale)).count();
    Cost { clipped, ..cost_of_pairs(weights.iter().map(|&weight| (weight, f32::from(round(weight, scale)) / scale))) }
}

/// What it costs that numbers became others, with nothing counted as clipped.
#[must_use]
pub fn cost_of_pairs(pairs: impl ExactSizeIterator<Item = (f32, f32)>) -> Cost {
    let count = pairs.len().max(1);
    let mut largest = 0.0f32;
    let mut squares = 0.0f64;
    for (before, after) in pairs {
        let error = (before - after).abs();
        largest = largest.max(error);
        squares += f64::from(error) * f64::from(error);
    }
    Cost { clipped: 0, largest_error: largest, rms_error: (squares / count as f64).sqrt() as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_to_the_nearest_and_saturates() {
        for (weight, rounded) in [(0.0, 0), (0.49, 49), (0.005, 1), (-0.005, -1), (1.27, 127), (9.0, 127), (-9.0, -128)]
        {
            assert_eq!(round(weight, 100.0), rounded, "{weight}");
        }
        assert_eq!(round(f32::NAN, 100.0), 0);
    }

    #[test]
    fn the_cost_is_at_most_half_a_step_where_nothing_is_clipped() {
        let weights: Vec<f32> = (-1000i16..=1000).map(|n| f32::from(n) / 1001.0).collect();
        let cost = cost(&weights, 127.0);
        assert_eq!(cost.clipped, 0);
        assert!(cost.largest_error <= 0.5 / 127.0 + 1e-6);
        // Evenly spread errors of a step `s` have the root mean square s / sqrt(12).
        assert!((cost.rms_error - 1.0 / (127.0 * 12.0f32.sqrt())).abs() < 1e-4, "{cost:?}");
    }

    fn shape(dense: &[u16], qa: u16, qb: u16) -> ValueShape {
        let dense = heapless::Vec::from_slice(dense).expect("few layers");
        ValueShape { width: 16, dense, buckets: 1, qa, qb, scale: 400 }
    }

    #[test]
    fn scales_are_those_computed_by_hand() {
        let of = |shape| scales(&shape);
        let scale = |weight, bias| Scale { weight, bias };
        let none = of(shape(&[], 255, 64));
        assert_eq!((none.features, none.output), (scale(255, 255.0), scale(64, 255.0 * 255.0 * 64.0)));
        assert_eq!(none.dense, []);
        // 127^2 = 16129, half of it seven times: 126.0078125.
        assert_eq!(of(shape(&[16], 127, 64)).dense, [scale(64, 126.007_812_5 * 64.0)]);
        // 65025 / 512 * 64 = 8128.125, so one is 8128; its square is halved 19 times to 126.0078125.
        // 126.0078125 * 64 = 8064.5, which rounds to 8065; its square / 2^18 would be 248, and / 2^19 is 124.06.
        let two = of(shape(&[16, 32], 255, 64));
        assert_eq!(two.dense, [scale(64, 8_128.125), scale(64, 8_064.5)]);
        assert_eq!(two.output, scale(64, 8_065.0 * 8_065.0 / 524_288.0 * 64.0));
    }

    #[test]
    fn a_bias_that_does_not_fit_is_refused() {
        assert_eq!(round_bias::<i16>(0.5, 255.0), Some(128));
        assert_eq!(round_bias::<i16>(-0.5, 255.0), Some(-128));
        assert_eq!(round_bias::<i16>(128.499, 255.0), Some(32_767));
        assert_eq!(round_bias::<i16>(128.5, 255.0), None);
        assert_eq!(round_bias::<i32>(-1e30, 255.0), None);
    }

    #[test]
    fn the_largest_scale_that_fits_is_found() {
        assert_eq!(largest_fit(&[0.1, -0.2], 255), Some(255));
        // 127.49 / 0.7 = 182.1, and 128.49 / 0.7 = 183.5.
        assert_eq!(largest_fit(&[0.1, 0.7], 255), Some(182));
        assert_eq!(largest_fit(&[0.1, -0.7], 255), Some(183));
        assert_eq!(largest_fit(&[1e9], 255), None);
    }

    #[test]
    fn clipping_is_counted() {
        let cost = cost(&[1.0, -1.0, 1.5, -1.5, 0.1], 127.0);
        assert_eq!(cost.clipped, 2);
        assert!((cost.largest_error - 0.5).abs() < 0.01, "{cost:?}");
    }
}
