//! Which moves of a game are good, and which are bad.

use engine_core::chess::Move;

use crate::{
    arena::random::SplitMix64,
    data::{
        game::{Game, MATE_FROM, Outcome, Sample},
        pgn::Ratings,
    },
};

/// What makes a move good or bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Teaching {
    /// The winner's moves are good, the loser's bad
    Results,
    /// By the scores in the games: good if the score stays, bad if it drops
    Scores,
    /// The move that was played is good, another of the position's legal moves, drawn at random, bad
    Random,
}

/// How moves are labelled.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Labels {
    /// What makes a move good or bad
    #[arg(long, value_enum, default_value = "results", value_name = "KIND")]
    pub teaching: Teaching,

    /// With results: only winners rated at least this have good moves (and so need a rating)
    #[arg(long, value_name = "ELO")]
    pub winner_above: Option<u16>,

    /// With results: only losers rated at most this have bad moves (and so need a rating)
    #[arg(long, value_name = "ELO")]
    pub loser_below: Option<u16>,

    /// With scores: a move that loses at most this many centipawns is good
    #[arg(long, value_name = "CP", default_value = "10")]
    pub good_loss: i32,

    /// With scores: a move that loses at least this many centipawns is bad
    #[arg(long, value_name = "CP", default_value = "100")]
    pub bad_loss: i32,
}

impl Labels {
    /// The labelled moves of a game: position, move, and whether it is good. The first third of the game, where moves
    /// come from books, has none.
    pub(super) fn of<'a>(
        &self,
        game: &'a Game,
        ratings: Ratings,
        random: &mut SplitMix64,
        mut take: impl FnMut(&'a Sample, Move, bool),
    ) {
        let first = game.samples.len() / 3;
        for (index, sample) in game.samples.iter().enumerate().skip(first) {
            let Some(played) = sample.played else { continue };
            match self.teaching {
                Teaching::Results => {
                    if let Some(good) = self.by_result(sample, ratings) {
                        take(sample, played, good);
                    }
                }
                Teaching::Scores => {
                    if let Some(good) = game.samples.get(index + 1).and_then(|next| self.by_scores(sample, next)) {
                        take(sample, played, good);
                    }
                }
                Teaching::Random => {
                    let others = sample.board.legal_moves();
                    let others: Vec<Move> = others.into_iter().filter(|&mv| mv != played).collect();
                    if !others.is_empty() {
                        take(sample, played, true);
                        take(sample, others[random.below(others.len() as u64) as usize], false);
                    }
                }
            }
        }
    }

    fn by_result(&self, sample: &Sample, ratings: Ratings) -> Option<bool> {
        let rating = ratings.of(sample.board.side_to_move());
        match sample.outcome {
            Outcome::Win => {
                let strong = self.winner_above.is_none_or(|least| rating.is_some_and(|rating| rating >= least));
                strong.then_some(true)
            }
            Outcome::Loss => {
                let weak = self.loser_below.is_none_or(|most| rating.is_some_and(|rating| rating <= most));
                weak.then_some(false)
            }
            Outcome::Draw => None,
        }
    }

    fn by_scores(&self, sample: &Sample, next: &Sample) -> Option<bool> {
        let (before, after) = (sample.score?, next.score?);
        if before.abs() >= MATE_FROM || after.abs() >= MATE_FROM {
            return None;
        }
        // The next score is the opponent's.
        let loss = i32::from(before) + i32::from(after);
        if loss <= self.good_loss {
            Some(true)
        } else if loss >= self.bad_loss {
            Some(false)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use engine_core::chess::{Board, Colour};

    use super::*;

    fn labels(teaching: Teaching) -> Labels {
        Labels { teaching, winner_above: None, loser_below: None, good_loss: 10, bad_loss: 100 }
    }

    /// Six plies of a game that White wins, with these scores of the side to move.
    fn game(scores: [i16; 6]) -> Game {
        let mut board = Board::start();
        let mut samples = Vec::new();
        for (text, score) in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"].iter().zip(scores) {
            let mv = board.parse_move(text.as_bytes()).unwrap();
            let outcome = Outcome::Win.seen_by(board.side_to_move());
            samples.push(Sample { board, played: Some(mv), score: Some(score), outcome, ply: None });
            board.play(mv);
        }
        Game { samples }
    }

    /// The labels that the moves of a game get, in their order, by the colour that moved.
    fn taken(labels: &Labels, game: &Game, ratings: Ratings) -> Vec<(Colour, bool)> {
        let mut taken = Vec::new();
        labels.of(game, ratings, &mut SplitMix64::new(1), |sample, mv, good| {
            assert!(sample.board.is_legal(mv));
            taken.push((sample.board.side_to_move(), good));
        });
        taken
    }

    #[test]
    fn results_label_by_rating_and_leave_the_first_third_out() {
        let game = game([0; 6]);
        let (white, black) = ((Colour::White, true), (Colour::Black, false));
        let both = taken(&labels(Teaching::Results), &game, Ratings::default());
        assert_eq!(both, [white, black, white, black]);
        let rated = Labels { winner_above: Some(2400), loser_below: Some(1500), ..labels(Teaching::Results) };
        assert_eq!(taken(&rated, &game, Ratings { white: Some(2400), black: Some(1501) }), [white, white]);
        assert_eq!(taken(&rated, &game, Ratings { white: Some(2399), black: Some(1500) }), [black, black]);
        assert_eq!(taken(&rated, &game, Ratings::default()), []);
    }

    #[test]
    fn scores_label_by_what_a_move_loses() {
        // White's second move keeps 30; Black's second loses 170; White's third loses 50, which is neither.
        let game = game([0, 0, 30, -30, 200, -150]);
        assert_eq!(
            taken(&labels(Teaching::Scores), &game, Ratings::default()),
            [(Colour::White, true), (Colour::Black, false)]
        );
    }

    #[test]
    fn a_random_move_is_another() {
        let game = game([0; 6]);
        let mut pairs = Vec::new();
        labels(Teaching::Random).of(&game, Ratings::default(), &mut SplitMix64::new(3), |_, mv, good| {
            pairs.push((mv, good));
        });
        assert_eq!(pairs.len(), 8);
        assert!(pairs.chunks(2).all(|pair| pair[0].1 && !pair[1].1 && pair[0].0 != pair[1].0));
    }
}
