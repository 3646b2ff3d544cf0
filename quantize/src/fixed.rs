//! Rounding to fixed point: a weight `w` becomes the whole number nearest to `w * scale`.

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

/// What rounding these weights at a scale costs.
#[must_use]
pub fn cost(weights: &[f32], scale: f32) -> Cost {
    let mut clipped = 0;
    let mut largest = 0.0f32;
    let mut squares = 0.0f64;
    for &weight in weights {
        let scaled = (weight * scale).round();
        clipped += usize::from(!(f32::from(i8::MIN)..=f32::from(i8::MAX)).contains(&scaled));
        let error = (weight - f32::from(round(weight, scale)) / scale).abs();
        largest = largest.max(error);
        squares += f64::from(error) * f64::from(error);
    }
    let rms_error = (squares / weights.len().max(1) as f64).sqrt() as f32;
    Cost { clipped, largest_error: largest, rms_error }
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

    #[test]
    fn clipping_is_counted() {
        let cost = cost(&[1.0, -1.0, 1.5, -1.5, 0.1], 127.0);
        assert_eq!(cost.clipped, 2);
        assert!((cost.largest_error - 0.5).abs() < 0.01, "{cost:?}");
    }
}
