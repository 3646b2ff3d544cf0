//! How centipawns turn into a game's expected points.

/// Scores from one side with what the games were worth to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Centipawns.
    pub score: f64,
    /// How many positions had the score.
    pub count: f64,
    /// Their points: 1 for a win, 1/2 for a draw.
    pub points: f64,
}

/// Newton's steps are this many at most; some six are usual.
const MOST_STEPS: usize = 50;

/// The scale for which `1 / (1 + exp(-score / scale))` predicts the points best (by likelihood). `None` if the
/// observations set none: no score helps to predict, or every one tells the result.
pub fn fit_scale(observations: &[Observation]) -> Option<f64> {
    // The likelihood is concave in the slope, 1 / scale; so Newton's method finds the top, if kept from overshooting.
    let mut slope = 1.0 / 400.0;
    for _ in 0..MOST_STEPS {
        let (mut gradient, mut curvature) = (0.0, 0.0);
        for Observation { score, count, points } in observations {
            let expected = expectation(slope * score);
            gradient += score * (points - count * expected);
            curvature += score * score * count * expected * (1.0 - expected);
        }
        let step = gradient / curvature;
        if !step.is_finite() {
            return None;
        }
        slope += step.clamp(-slope / 2.0, slope);
        if step.abs() < 1e-9 * slope {
            return Some(1.0 / slope);
        }
    }
    None
}

/// Points that are expected of a score in units of the scale.
pub fn expectation(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observations(points: impl Fn(f64) -> f64) -> Vec<Observation> {
        (-20..=20)
            .map(|step| f64::from(step) * 50.0)
            .map(|score| Observation { score, count: 1000.0, points: 1000.0 * points(score) })
            .collect()
    }

    #[test]
    fn the_scale_that_made_the_results_is_found() {
        for scale in [50.0, 180.0, 400.0, 2500.0] {
            let fitted = fit_scale(&observations(|score| expectation(score / scale))).unwrap();
            assert!((fitted / scale - 1.0).abs() < 1e-6, "{fitted} instead of {scale}");
        }
    }

    #[test]
    fn results_that_set_no_scale() {
        assert_eq!(fit_scale(&[]), None);
        assert_eq!(fit_scale(&observations(|_| 0.5)), None, "scores that say nothing");
        assert_eq!(fit_scale(&observations(|score| 1.0 - expectation(score / 100.0))), None, "scores that mislead");
        let decided = |score: f64| if score == 0.0 { 0.5 } else { f64::from(u8::from(score > 0.0)) };
        assert_eq!(fit_scale(&observations(decided)), None, "scores that know the result");
    }
}
