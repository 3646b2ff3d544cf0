//! Win, draw and loss from a score: two logistic curves, fitted by maximum likelihood to 25,880 scores of 200 games of
//! the engine, judging by its widest network, against itself at 5,000 nodes a move.

use micromath::F32Ext;

use crate::search::mate_in_moves;

/// The score in centipawns at which a win is as likely as not.
const EVEN_CHANCE: f32 = 250.0;
/// How many centipawns make the odds of a win e times as good.
const SPREAD: f32 = 145.0;

/// The chances of a win, a draw and a loss, in thousandths, of the side whose score this is, in centipawns or a mate's
/// score.
#[must_use]
pub fn chances(score: i32) -> (u32, u32, u32) {
    if let Some(moves) = mate_in_moves(score) {
        return if moves > 0 { (1000, 0, 0) } else { (0, 0, 1000) };
    }
    let (win, loss) = (win_chance(score), win_chance(-score));
    (win, 1000 - win - loss, loss)
}

/// A logistic curve, in thousandths.
fn win_chance(score: i32) -> u32 {
    // Beyond this the chance is 0 or 1 in thousandths, and the exponential has a limit.
    let exponent = ((EVEN_CHANCE - score as f32) / SPREAD).clamp(-20.0, 20.0);
    let odds = F32Ext::exp(exponent);
    (1000.0 / (1.0 + odds)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_and_rise_with_the_score() {
        let mut last = 0;
        for score in -20_000..=20_000 {
            let (win, draw, loss) = chances(score);
            assert_eq!(win + draw + loss, 1000);
            assert!(win >= last, "{score}");
            assert_eq!(chances(-score), (loss, draw, win));
            last = win;
        }
        assert_eq!(chances(crate::search::MATE - 3), (1000, 0, 0));
    }
}
