//! Which positions of a game are quiet: what is counted in them will not change by the next moves.

use crate::data::game::Game;

/// How far around a position nothing may be taken, no check given and none answered.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Quiet positions")]
pub struct Quiet {
    /// Moves before a position that must be quiet
    #[arg(long, value_name = "MOVES", default_value = "1")]
    pub before: usize,

    /// Moves from a position on that must be quiet: the one played there is the first
    #[arg(long, value_name = "MOVES", default_value = "2")]
    pub after: usize,

    /// Captures and promotions are quiet, too
    #[arg(long)]
    pub keep_captures: bool,

    /// Checks and answers to checks are quiet, too
    #[arg(long)]
    pub keep_checks: bool,
}

impl Quiet {
    /// The numbers of a game's quiet positions, in their order. What a file does not say (the moves beside a lone
    /// position, those beyond a game's ends) is quiet.
    pub fn positions(self, game: &Game) -> Vec<usize> {
        let loud: Vec<bool> = (0..game.samples.len()).map(|ply| self.is_loud(game, ply)).collect();
        let around = |ply: usize| ply.saturating_sub(self.before)..(ply.saturating_add(self.after)).min(loud.len());
        (0..loud.len()).filter(|&ply| loud[around(ply)].iter().all(|&loud| !loud)).collect()
    }

    /// Whether the move played at this ply is none of the quiet ones.
    fn is_loud(self, game: &Game, ply: usize) -> bool {
        let sample = &game.samples[ply];
        let board = &sample.board;
        let captures = || sample.played.is_some_and(|mv| board.is_capture(mv) || mv.promotes_to().is_some());
        let checks = || {
            board.in_check()
                || match game.samples.get(ply + 1) {
                    Some(next) => next.board.in_check(),
                    None => sample.played.is_some_and(|mv| board.after(mv).in_check()),
                }
        };
        (!self.keep_captures && captures()) || (!self.keep_checks && checks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{format::Source, pgn::PgnReader};

    const DEFAULTS: Quiet = Quiet { before: 1, after: 2, keep_captures: false, keep_checks: false };

    fn game(movetext: &str) -> Game {
        let mut game = Game::default();
        let mut reader = PgnReader::new(movetext.as_bytes(), "test.pgn".to_owned());
        assert!(reader.next(&mut game).unwrap());
        game
    }

    #[test]
    fn a_capture_makes_noise_before_and_after() {
        // Plies:          0  1  2   3  4    5  6   7   8  9
        let game = game("1. e4 d5 2. a3 a6 3. exd5 h6 4. h3 Nf6 5. g3 g6 1/2-1/2\n");
        // The capture at ply 4 is the next move of 3, the move played of 4, the move before of 5.
        assert_eq!(DEFAULTS.positions(&game), [0, 1, 2, 6, 7, 8, 9]);
        assert_eq!(Quiet { after: 1, ..DEFAULTS }.positions(&game), [0, 1, 2, 3, 6, 7, 8, 9]);
        assert_eq!(Quiet { before: 0, ..DEFAULTS }.positions(&game), [0, 1, 2, 5, 6, 7, 8, 9]);
        assert_eq!(Quiet { before: 3, ..DEFAULTS }.positions(&game), [0, 1, 2, 8, 9]);
        assert_eq!(Quiet { keep_captures: true, ..DEFAULTS }.positions(&game).len(), 10);
        assert_eq!(Quiet { keep_checks: true, ..DEFAULTS }.positions(&game), DEFAULTS.positions(&game));
        assert_eq!(Quiet { before: usize::MAX, after: usize::MAX, ..DEFAULTS }.positions(&game), [0; 0]);
    }

    #[test]
    fn a_check_and_its_answer_make_noise() {
        // Plies:          0  1  2   3  4    5  6  7  8  9
        let game = game("1. e4 d6 2. a3 a6 3. Bb5+ c6 4. Bd3 h6 5. h3 g6 1/2-1/2\n");
        // The check is given at ply 4 and answered at 5.
        assert_eq!(DEFAULTS.positions(&game), [0, 1, 2, 7, 8, 9]);
        assert_eq!(Quiet { keep_checks: true, ..DEFAULTS }.positions(&game).len(), 10);
    }

    #[test]
    fn the_last_move_may_give_check_and_promotions_are_loud() {
        let mate = game("1. f3 e5 2. g4 Qh4# 0-1\n");
        assert_eq!(DEFAULTS.positions(&mate), [0, 1]);
        let fen = "[FEN \"7k/P7/8/8/8/8/8/7K w - - 0 1\"]\n\n";
        let promotion = game(&format!("{fen}1. a8=N Kg7 2. Kg2 Kg6 1/2-1/2\n"));
        assert_eq!(DEFAULTS.positions(&promotion), [2, 3]);
    }
}
