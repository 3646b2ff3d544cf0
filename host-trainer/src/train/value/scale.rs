//! How many centipawns are one unit of log odds, fitted to how games ended.

use anyhow::Context;

use super::examples::Example;
use crate::data::logistic::{Observation, fit_scale};

/// The scale by which a logistic function of the scores says best how the games ended, from scores of at most `MOST` in
/// magnitude.
///
/// # Errors
/// If scores and results have nothing to do with each other.
pub fn fit(examples: &[Example]) -> anyhow::Result<f32> {
    // Beyond this, games are won whatever the number says.
    const MOST: i16 = 2000;
    let used = examples.iter().filter(|example| example.score.unsigned_abs() <= MOST.unsigned_abs());
    let observations: Vec<Observation> = used
        .map(|example| Observation { score: example.score.into(), count: 1.0, points: f64::from(example.result) / 2.0 })
        .collect();
    let scale = fit_scale(&observations).filter(|scale| (50.0..=2000.0).contains(scale));
    let scale = scale.context(
        "scores say little about results, so no scale fits them. Give --scale (400 is usual), or look at the data",
    )?;
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
        assert!(fit(&[example(0)]).is_err_and(|fault| fault.to_string().contains("say little about results")));
        let drawn: Vec<Example> = (-500..500).map(example).collect();
        assert!(fit(&drawn).is_err_and(|fault| fault.to_string().contains("say little about results")));
    }
}
