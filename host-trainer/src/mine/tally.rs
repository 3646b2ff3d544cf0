//! What a run has brought in.

use std::{collections::BTreeMap, fmt, time::Duration};

use shakmaty::Color;

use super::worker::Finished;
use crate::arena::game::Verdict;

/// Counts of a run's games.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
    white: u64,
    draws: u64,
    black: u64,
    endings: BTreeMap<String, u64>,
    faults: u64,
}

impl Tally {
    /// Counts a game.
    pub fn count(&mut self, finished: &Finished) {
        self.games += 1;
        self.positions += finished.positions;
        match finished.verdict.winner {
            Some(Color::White) => self.white += 1,
            Some(Color::Black) => self.black += 1,
            None => self.draws += 1,
        }
        *self.endings.entry(reason(&finished.verdict)).or_default() += 1;
    }

    /// Counts a game that was given up for the teacher's fault.
    pub fn count_fault(&mut self) {
        self.faults += 1;
    }

    /// For people, at the end.
    pub fn summary(&self, elapsed: Duration) -> Summary<'_> {
        Summary { tally: self, elapsed }
    }
}

/// Why a game ended, without the colour.
fn reason(verdict: &Verdict) -> String {
    verdict.to_string().replace("White ", "").replace("Black ", "").to_lowercase()
}

/// A tally with the time it took.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    tally: &'a Tally,
    elapsed: Duration,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { games, positions, white, draws, black, endings, faults } = self.tally;
        let seconds = self.elapsed.as_secs_f64();
        let rate = if seconds > 0.0 { *positions as f64 / seconds } else { 0.0 };
        writeln!(f, "{games} games with {positions} positions in {seconds:.1} s: {rate:.0} positions a second")?;
        writeln!(f, "White won {white}, drawn {draws}, Black won {black}")?;
        for (reason, count) in endings {
            writeln!(f, "  {count:8} {reason}")?;
        }
        if *faults > 0 {
            writeln!(f, "  {faults:8} given up for a fault of the teacher, and played anew")?;
        }
        Ok(())
    }
}
