//! How far a match has come, while it runs.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A live line on a terminal; elsewhere a line every few games.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Games between two lines, where there is no terminal.
    every: Option<u64>,
}

impl Progress {
    /// For so many games.
    pub fn new(games: usize, report_every: usize) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(games as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{elapsed} {wide_bar} {pos}/{len} eta {eta}\n{msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(std::time::Duration::from_secs(1));
        Progress { bar, every: (!terminal).then_some(report_every as u64) }
    }

    /// One more game is over, and this is how things stand.
    pub fn note(&self, standing: &str) {
        self.bar.inc(1);
        self.bar.set_message(standing.to_owned());
        let (position, length) = (self.bar.position(), self.bar.length().unwrap_or(0));
        if self.every.is_some_and(|every| position.is_multiple_of(every)) {
            eprintln!("{position}/{length}  {standing}");
        }
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
