//! How many centipawns are one unit of log odds, fitted to how games ended.

use anyhow::ensure;

use super::examples::Example;

/// Steps of Newton's method; five are enough from anywhere near.
const STEPS: usize = 50;

/// The scale by which a logistic function of the scores says best how the games ended: logistic regression without a
/// constant, by Newton's method, for scores of at most `MOST` in magnitude.
pub fn fit(examples: &[Example]) -> anyhow::Result<f32> {
    // Beyond this, games are won whatever the number says.
    const MOST: i16 = 2000;
    let used = || examples.iter().filter(|example| example.score.unsigned_abs() <= MOST.unsigned_abs());
    // Per pawn, so that the numbers stay near one.
    let mut slope = 0.25f64;
    for _ in 0..STEPS {
        let (mut gradient, mut curvature) = (0.0, 0.0);
        for example in used() {
            let pawns = f64::from(example.score) / 100.0;
            let expected = 1.0 / (1.0 + (-slope * pawns).exp());
            gradient += (f64::from(example.result) / 2.0 - expected) * pawns;
            curvature += expected * (1.0 - expected) * pawns * pawns;
        }
        ensure!(curvature > 0.0, "every score is zero, so no scale fits them: give --scale");
        // Half a step is safe where a whole one would overshoot.
        let step = (gradient / curvature).clamp(-slope / 2.0, slope);
        slope += step;
        if step.abs() < 1e-9 {
            break;
        }
    }
    let scale = 100.0 / slope;
    ensure!(
        (50.0..=2000.0).contains(&scale),
        "scores say little about results: the scale that fits them is {scale:.0} centipawns. Give --scale (400 is \
         usual), or look at the data"
    );
    Ok(scale as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::random::SplitMix64;
    use bulletformat::ChessBoard;

    #[test]
    fn a_scale_is_found_again() {
        let board: ChessBoard = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 0 | 1.0".parse().expect("a position");
        let mut random = SplitMix64::new(1);
        let examples: Vec<Example> = (0..100_000)
            .map(|_| {
                let score = (random.next_u64() % 2001) as i16 - 1000;
                let expected = 1.0 / (1.0 + (-f64::from(score) / 320.0).exp());
                let won = ((random.next_u64() >> 11) as f64) < expected * (1u64 << 53) as f64;
                let result = if won { 2 } else { 0 };
                Example::new(&ChessBoard { score, result, ..board }).expect("possible")
            })
            .collect();
        let scale = fit(&examples).expect("a scale");
        assert!((scale - 320.0).abs() < 5.0, "{scale}");
    }

    #[test]
    fn scores_that_say_nothing_are_refused() {
        let board: ChessBoard = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 0 | 1.0".parse().expect("a position");
        let example = |score| Example::new(&ChessBoard { score, result: 1, ..board }).expect("possible");
        assert!(fit(&[example(0)]).is_err_and(|fault| fault.to_string().contains("every score is zero")));
        let drawn: Vec<Example> = (-500..500).map(example).collect();
        assert!(fit(&drawn).is_err_and(|fault| fault.to_string().contains("say little about results")));
    }
}
