//! What a score promises, as a bar.

use engine_core::{search::MATE, uci::chances};

use super::board::Look;
use crate::engine::info::Score;

/// The bar's columns.
const WIDTH: u32 = 30;
/// Scores beyond this are shown as this: no engine means more by more.
const MOST_CENTIPAWNS: i32 = 20_000;

/// White's chances of a win, a draw and a loss by White's score, in thousandths, as games of the engine ended.
fn white_chances(score: Score) -> (u32, u32, u32) {
    match score {
        Score::Centipawns(cp) => chances(cp.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS)),
        Score::Mate(moves) if moves > 0 => chances(MATE - 1),
        Score::Mate(_) => chances(1 - MATE),
    }
}

/// A line with a bar: White's wins from the left, Black's from the right, draws between. `score` is White's.
#[must_use]
pub fn draw(score: Score, look: Look) -> String {
    let (win, draw, loss) = white_chances(score);
    let columns = |thousandths: u32| (thousandths * WIDTH + 500) / 1000;
    let (white, black) = (columns(win), columns(loss));
    let between = WIDTH.saturating_sub(white + black);
    let (full, half, empty) = if look.ascii { ("#", "=", "-") } else { ("█", "▒", "░") };
    let bar: String = [(full, white), (half, between), (empty, black)]
        .iter()
        .map(|&(mark, count)| mark.repeat(count as usize))
        .collect();
    let percent = |thousandths: u32| (thousandths + 5) / 10;
    format!(
        "White {bar} Black   {}   White wins {} %, draw {} %, Black wins {} %",
        spoken(score),
        percent(win),
        percent(draw),
        percent(loss)
    )
}

/// `+0.35`, or whose mate it is, and in how many moves. `score` is White's.
#[must_use]
pub fn spoken(score: Score) -> String {
    match score {
        Score::Centipawns(_) => score.to_string(),
        Score::Mate(moves) => {
            let side = if moves > 0 { "White" } else { "Black" };
            format!("{side} mates in {}", moves.unsigned_abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Look = Look { ascii: true, colour: false };

    #[test]
    fn a_level_game_is_a_draw_with_chances_for_both() {
        let bar = draw(Score::Centipawns(0), PLAIN);
        let count = |mark| bar.matches(mark).count();
        assert_eq!(count('#'), count('-'), "{bar}");
        assert_eq!(count('#') + count('=') + count('-'), WIDTH as usize, "{bar}");
        assert!(count('=') > count('#'), "{bar}");
    }

    #[test]
    fn mates_fill_the_bar_and_are_spoken() {
        let mated = draw(Score::Mate(-2), PLAIN);
        assert!(mated.contains(&"-".repeat(30)) && mated.contains("Black mates in 2"), "{mated}");
        assert!(draw(Score::Mate(1), PLAIN).contains(&"#".repeat(30)));
        assert_eq!(spoken(Score::Centipawns(-35).reversed()), "+0.35");
    }

    #[test]
    fn every_score_has_a_whole_bar() {
        for cp in (-30_000..30_000).step_by(7) {
            let bar = draw(Score::Centipawns(cp), PLAIN);
            assert_eq!(bar.matches(['#', '=']).count() + bar.matches('-').count() - usize::from(cp < 0), 30, "{bar}");
        }
    }
}
