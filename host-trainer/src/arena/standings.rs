//! What a match has come to so far.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use shakmaty::Color;

use super::{
    game::Game,
    schedule::Fixture,
    statistics::{Pentanomial, Tally},
};

/// The first engine's results against one opponent.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    /// All games.
    pub tally: Tally,
    /// The pairs of which both games are over.
    pub pairs: Pentanomial,
    /// Half points of pairs of which one game is over.
    open: HashMap<usize, usize>,
}

impl Pairing {
    /// Counts a game of a pair by the half points that it brought; whether it completed the pair.
    fn count(&mut self, pair: usize, half_points: usize) -> bool {
        self.tally.count(half_points);
        match self.open.remove(&pair) {
            Some(other) => {
                self.pairs.0[half_points + other] += 1;
                true
            }
            None => {
                self.open.insert(pair, half_points);
                false
            }
        }
    }
}

/// One engine's conduct in all its games.
#[derive(Clone, Debug, Default)]
pub struct Conduct {
    /// What it did wrong, by kind, and how often.
    pub faults: BTreeMap<&'static str, u32>,
    thinking: Duration,
    moves: u32,
}

impl Conduct {
    /// Mean time for a move; `None` without moves.
    pub fn time_per_move(&self) -> Option<Duration> {
        self.thinking.checked_div(self.moves)
    }
}

/// Everything that a match has come to.
#[derive(Clone, Debug)]
pub struct Standings {
    /// By opponent: the first engine's results against engine 1, 2 and so on.
    pub pairings: Vec<Pairing>,
    /// By engine.
    pub conduct: Vec<Conduct>,
    games: u32,
    plies: u64,
}

impl Standings {
    /// Before the first game of so many engines.
    pub fn new(engines: usize) -> Standings {
        Standings {
            pairings: vec![Pairing::default(); engines - 1],
            conduct: vec![Conduct::default(); engines],
            games: 0,
            plies: 0,
        }
    }

    /// Games that are over.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Mean length of a game in half-moves, openings included; `None` without games.
    pub fn plies_per_game(&self) -> Option<f64> {
        (self.games > 0).then(|| self.plies as f64 / f64::from(self.games))
    }

    /// All faults of all engines.
    pub fn faults(&self) -> u32 {
        self.conduct.iter().flat_map(|conduct| conduct.faults.values()).sum()
    }

    /// Counts a game; whether it completed a pair.
    pub fn count(&mut self, fixture: &Fixture, game: &Game) -> bool {
        self.games += 1;
        self.plies += game.line.plies().len() as u64;
        let engine_of = |color: Color| {
            let first = (color == Color::White) == fixture.first_is_white;
            if first { 0 } else { fixture.opponent }
        };
        let mut mover = game.line.turn();
        for note in game.notes.iter().rev() {
            mover = !mover;
            let conduct = &mut self.conduct[engine_of(mover)];
            conduct.thinking += note.elapsed;
            conduct.moves += 1;
        }
        if let Some((sinner, fault)) = game.verdict.fault() {
            *self.conduct[engine_of(sinner)].faults.entry(fault.kind()).or_default() += 1;
        }
        let half_points = match game.verdict.winner {
            None => 1,
            Some(winner) if engine_of(winner) == 0 => 2,
            Some(_) => 0,
        };
        self.pairings[fixture.opponent - 1].count(fixture.pair, half_points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        arena::game::{Ending, MoveNote, Verdict},
        engine::fault::Fault,
        line::Line,
    };

    fn game(winner: Option<Color>, ending: Ending) -> Game {
        let mut line = Line::default();
        for text in ["e4", "e5", "Nf3"] {
            line.play(crate::epd::parse_move(text, line.position()).unwrap());
        }
        let note = |ms| MoveNote { score: None, depth: None, elapsed: Duration::from_millis(ms) };
        Game { line, notes: vec![note(5), note(30)], verdict: Verdict { winner, ending } }
    }

    fn fixture(number: usize, pair: usize, first_is_white: bool) -> Fixture {
        Fixture { number, opponent: 1, pair, first_is_white }
    }

    #[test]
    fn pairs_are_counted_when_both_games_are_over() {
        let mut standings = Standings::new(2);
        // Pair 0: a win with White, and a draw with Black; pair 1 only half played, its game ending in between.
        assert!(!standings.count(&fixture(0, 0, true), &game(Some(Color::White), Ending::Agreement)));
        assert!(!standings.count(&fixture(2, 1, true), &game(Some(Color::Black), Ending::Agreement)));
        assert!(standings.count(&fixture(1, 0, false), &game(None, Ending::Agreement)));
        let pairing = &standings.pairings[0];
        assert_eq!(pairing.pairs, Pentanomial([0, 0, 0, 1, 0]));
        assert_eq!(pairing.tally, Tally { wins: 1, draws: 1, losses: 1 });
        assert_eq!(standings.plies_per_game(), Some(3.0));
    }

    #[test]
    fn faults_and_times_go_to_the_right_engine() {
        let mut standings = Standings::new(2);
        let crash = Ending::Fault(Color::White, Fault::Crash(String::new()));
        standings.count(&fixture(1, 0, false), &game(Some(Color::Black), crash));
        assert_eq!(standings.conduct[1].faults["crash"], 1);
        assert!(standings.conduct[0].faults.is_empty());
        // The last move, by White, took 30 ms, and White was the opponent.
        assert_eq!(standings.conduct[1].time_per_move(), Some(Duration::from_millis(30)));
        assert_eq!(standings.conduct[0].time_per_move(), Some(Duration::from_millis(5)));
        assert_eq!(standings.pairings[0].tally.wins, 1);
    }
}
