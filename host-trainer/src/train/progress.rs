//! How far a run has come, while it runs.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::curve::Row;

/// A live line on a terminal; elsewhere a line for each row of the curve.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    terminal: bool,
    validation: Option<f64>,
}

impl Progress {
    /// For so many steps, of which some are done.
    pub fn new(steps: usize, done: usize) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{elapsed} {wide_bar} {pos}/{len} eta {eta}\n{msg}") {
            bar.set_style(style);
        }
        bar.set_position(done as u64);
        bar.reset_eta();
        Progress { bar, terminal, validation: None }
    }

    /// One more step is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// A row of the curve.
    pub fn row(&mut self, row: &Row) {
        self.validation = row.validation_loss.or(self.validation);
        let validation = self.validation.map(|loss| format!("  validation {loss:.6}")).unwrap_or_default();
        let text = format!(
            "epoch {:.2}  lr {:.2e}  loss {:.6}{validation}  {:.0} positions/s",
            row.epoch, row.lr, row.train_loss, row.positions_per_second
        );
        if !self.terminal {
            eprintln!("{}/{}  {text}", row.step, self.bar.length().unwrap_or(0));
        }
        self.bar.set_message(text);
    }

    /// Leaves the terminal as it was.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
