//! How far a run has come, while it goes on.

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::tally::Tally;

/// Between two lines, where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(10);

/// What ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// So many games in all.
    Games(u64),
    /// At least so many positions in all.
    Positions(u64),
}

/// A live line on a terminal; elsewhere a line every few seconds.
#[derive(Debug)]
pub struct Progress {
    goal: Goal,
    /// Games and positions that were there already.
    before: (u64, u64),
    bar: ProgressBar,
    start: Instant,
    /// When the next line is due, where there is no terminal.
    due: Option<Instant>,
}

impl Progress {
    /// For a run that has games and positions already. `live` asks for a live line.
    pub fn new(goal: Goal, before: (u64, u64), live: bool) -> Progress {
        let live = live && std::io::stderr().is_terminal();
        let (length, done) = match goal {
            Goal::Games(games) => (games, before.0),
            Goal::Positions(positions) => (positions, before.1),
        };
        let target = if live { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(length), target).with_position(done);
        if let Ok(style) = ProgressStyle::with_template("{elapsed} {wide_bar} {percent}%\n{msg}") {
            bar.set_style(style);
        }
        let start = Instant::now();
        Progress { goal, before, bar, start, due: (!live).then(|| start + INTERVAL) }
    }

    /// This is what the run has brought in so far.
    pub fn note(&mut self, tally: &Tally) {
        let (games, positions) = (self.before.0 + tally.games, self.before.1 + tally.positions);
        let seconds = self.start.elapsed().as_secs_f64().max(1e-3);
        let (done, length, new) = match self.goal {
            Goal::Games(length) => (games, length, tally.games),
            Goal::Positions(length) => (positions, length, tally.positions),
        };
        let left = Duration::from_secs_f64((length.saturating_sub(done) as f64 * seconds / new.max(1) as f64).min(1e9));
        let rate = tally.positions as f64 / seconds;
        let text = format!("{games} games, {positions} positions, {rate:.0} a second, {} left", HumanDuration(left));
        self.bar.set_position(done.min(length));
        if let Some(due) = self.due.filter(|&due| Instant::now() >= due) {
            eprintln!("{text}");
            self.due = Some(due.max(Instant::now()) + INTERVAL);
        }
        self.bar.set_message(text);
    }

    /// What ends the run.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// How long the run has gone on.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Writes something else to the terminal without a mess.
    pub fn suspend(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Leaves the terminal as it was.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
