//! Ending games whose result is plain, to save their time.

use shakmaty::{ByColor, Color};

use crate::engine::info::Score;

/// Both sides have called the game level for some moves on end.
#[derive(Clone, Copy, Debug)]
pub struct DrawRule {
    /// Not before this move of the game.
    pub from: u32,
    /// Moves on end by each side.
    pub moves: u32,
    /// Level means at most this far from 0, in centipawns.
    pub score: i32,
}

/// One side calls itself lost, and the other calls itself winning, for some moves on end.
#[derive(Clone, Copy, Debug)]
pub struct ResignRule {
    /// Moves on end by each side.
    pub moves: u32,
    /// Lost means at most minus this, winning at least this, in centipawns.
    pub score: i32,
}

/// The rules in force; `None` is off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Adjudication {
    /// Level games.
    pub draw: Option<DrawRule>,
    /// Lost games.
    pub resign: Option<ResignRule>,
    /// A game is drawn after so many moves by each side, openings included.
    pub max_moves: Option<u32>,
}

/// How a game was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjudicated {
    /// Both sides called it level.
    Draw,
    /// Both sides called it won for this one.
    Win(Color),
    /// It had gone on for too long.
    TooLong,
}

/// Scores in a row that point one way, for one side.
#[derive(Clone, Copy, Debug, Default)]
struct Streaks {
    level: u32,
    losing: u32,
    winning: u32,
}

/// Watches one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: Adjudication,
    streaks: ByColor<Streaks>,
}

impl Adjudicator {
    /// For a game that begins.
    pub fn new(rules: Adjudication) -> Adjudicator {
        Adjudicator { rules, streaks: ByColor::default() }
    }

    /// Hears of a move: who played it, which move of the game it was (1 for the first of either side), and the score
    /// that the engine gave. A move without score, from a book perhaps, breaks every streak.
    pub fn note(&mut self, mover: Color, move_number: u32, score: Option<Score>) -> Option<Adjudicated> {
        let mine = self.streaks.get_mut(mover);
        let score = score.map(Score::centipawns);
        let extend = |streak: u32, holds: Option<bool>| if holds == Some(true) { streak + 1 } else { 0 };
        if let Some(rule) = self.rules.draw {
            mine.level = extend(mine.level, score.map(|cp| cp.abs() <= rule.score));
        }
        if let Some(rule) = self.rules.resign {
            mine.losing = extend(mine.losing, score.map(|cp| cp <= -rule.score));
            mine.winning = extend(mine.winning, score.map(|cp| cp >= rule.score));
        }
        self.verdict(mover, move_number)
    }

    fn verdict(&self, mover: Color, move_number: u32) -> Option<Adjudicated> {
        if let Some(rule) = self.rules.resign {
            let lost = |loser: Color| {
                self.streaks.get(loser).losing >= rule.moves && self.streaks.get(!loser).winning >= rule.moves
            };
            if let Some(loser) = Color::ALL.into_iter().find(|&color| lost(color)) {
                return Some(Adjudicated::Win(!loser));
            }
        }
        if let Some(rule) = self.rules.draw {
            let level = self.streaks.iter().all(|side| side.level >= rule.moves);
            if level && move_number >= rule.from {
                return Some(Adjudicated::Draw);
            }
        }
        let too_long = |max| move_number >= max && mover == Color::Black;
        self.rules.max_moves.is_some_and(too_long).then_some(Adjudicated::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Adjudication = Adjudication {
        draw: Some(DrawRule { from: 10, moves: 2, score: 10 }),
        resign: Some(ResignRule { moves: 2, score: 700 }),
        max_moves: Some(30),
    };

    /// Plays scores in turn, White first, from a move on; gives the verdict and after how many half-moves.
    fn judge(rules: Adjudication, first_move: u32, scores: &[Option<i32>]) -> Option<(Adjudicated, usize)> {
        let mut adjudicator = Adjudicator::new(rules);
        scores.iter().enumerate().find_map(|(ply, score)| {
            let mover = if ply % 2 == 0 { Color::White } else { Color::Black };
            let number = first_move + ply as u32 / 2;
            let verdict = adjudicator.note(mover, number, score.map(Score::Centipawns));
            verdict.map(|verdict| (verdict, ply + 1))
        })
    }

    #[test]
    fn level_scores_end_a_game_only_late_and_in_a_row() {
        assert_eq!(judge(RULES, 10, &[Some(5), Some(-10), Some(0), Some(9)]), Some((Adjudicated::Draw, 4)));
        let early = [Some(0); 6];
        assert_eq!(judge(RULES, 8, &early), Some((Adjudicated::Draw, 5)));
        assert_eq!(judge(RULES, 10, &[Some(0), Some(0), Some(11), Some(0), Some(0), None]), None);
    }

    #[test]
    fn a_win_needs_both_sides_to_agree() {
        let agreed = [Some(-800), Some(700), Some(-700), Some(900)];
        assert_eq!(judge(RULES, 1, &agreed), Some((Adjudicated::Win(Color::Black), 4)));
        let doubted = [Some(-800), Some(600), Some(-700), Some(900), Some(-800)];
        assert_eq!(judge(RULES, 1, &doubted), None);
    }

    #[test]
    fn a_game_ends_after_the_last_allowed_move() {
        let silent = [None; 4];
        assert_eq!(judge(RULES, 29, &silent), Some((Adjudicated::TooLong, 4)));
    }

    #[test]
    fn rules_that_are_off_say_nothing() {
        let scores = [Some(0); 100];
        assert_eq!(judge(Adjudication::default(), 1, &scores), None);
    }
}
