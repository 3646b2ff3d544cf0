//! How far a run has come, while it runs.

use std::{io::IsTerminal, sync::Arc};

use burn::{
    data::dataloader,
    train::{
        Interrupter,
        metric::{
            MetricAttributes, MetricDefinition, MetricEntry, MetricId, NumericAttributes, NumericEntry, SerializedEntry,
        },
        renderer::{
            MetricState, MetricsRenderer, MetricsRendererTraining, TrainingProgress, tui::TuiMetricsRendererWrapper,
        },
    },
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{curve::Row, kind::Judgement};
use crate::stop::Stop;

/// A live line on a terminal, or burn's dashboard; elsewhere a line for each row of the curve.
#[derive(Debug)]
pub struct Progress {
    view: View,
    steps: usize,
    done: usize,
    /// What the last validation said, in words.
    validation: String,
}

#[derive(Debug)]
enum View {
    Bar(ProgressBar),
    Lines,
    Dashboard(Dashboard),
}

impl Progress {
    /// For so many steps, of which some are done.
    pub fn new(steps: usize, done: usize, dashboard: bool) -> Progress {
        let view = match std::io::stderr().is_terminal() {
            _ if dashboard => View::Dashboard(Dashboard::new()),
            true => View::Bar(bar(steps, done)),
            false => View::Lines,
        };
        Progress { view, steps, done, validation: String::new() }
    }

    /// One more step is done. Raises the flag if the dashboard was asked to stop.
    pub fn step(&mut self, stop: &Stop) {
        self.done += 1;
        match &mut self.view {
            View::Bar(bar) => bar.inc(1),
            View::Lines => {}
            View::Dashboard(dashboard) => {
                if dashboard.interrupter.should_stop() {
                    stop.raise();
                }
            }
        }
    }

    /// A row of the curve, whose measures have these names.
    pub fn row(&mut self, row: &Row, measures: &[&str]) {
        if let Some(Judgement { loss, measures: values }) = &row.validation {
            self.validation = format!("  validation {loss:.6}");
            for (name, value) in measures.iter().zip(values) {
                self.validation += &format!("  {name} {value:.4}");
            }
        }
        let validation = &self.validation;
        let text = format!(
            "epoch {:.2}  lr {:.2e}  loss {:.6}{validation}  {:.0} positions/s",
            row.epoch, row.lr, row.train_loss, row.positions_per_second
        );
        match &mut self.view {
            View::Bar(bar) => bar.set_message(text),
            View::Lines => eprintln!("{}/{}  {text}", self.done, self.steps),
            View::Dashboard(dashboard) => dashboard.row(row, self.steps),
        }
    }

    /// Leaves the terminal as it was.
    pub fn finish(self) {
        if let View::Bar(bar) = self.view {
            bar.finish_and_clear();
        }
    }
}

fn bar(steps: usize, done: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{elapsed} {wide_bar} {pos}/{len} eta {eta}\n{msg}") {
        bar.set_style(style);
    }
    bar.set_position(done as u64);
    bar.reset_eta();
    bar
}

/// The dashboard of burn-train, which draws the curves as they grow.
///
/// It is no default: its thread never sleeps, and so takes a core from a run on the processor. On a graphics card that
/// costs nothing.
struct Dashboard {
    renderer: TuiMetricsRendererWrapper,
    interrupter: Interrupter,
}

const LOSS: &str = "Loss";
const RATE: &str = "Learning rate";
const SPEED: &str = "Positions a second";

impl Dashboard {
    fn new() -> Dashboard {
        let interrupter = Interrupter::new();
        let mut renderer = TuiMetricsRendererWrapper::new(interrupter.clone(), None);
        for name in [LOSS, RATE, SPEED] {
            renderer.register_metric(MetricDefinition {
                metric_id: id(name),
                name: name.to_owned(),
                description: None,
                attributes: MetricAttributes::Numeric(NumericAttributes {
                    unit: None,
                    higher_is_better: name == SPEED,
                }),
            });
        }
        Dashboard { renderer, interrupter }
    }

    fn row(&mut self, row: &Row, steps: usize) {
        self.renderer.update_train(state(LOSS, row.train_loss));
        self.renderer.update_train(state(RATE, row.lr));
        self.renderer.update_train(state(SPEED, row.positions_per_second));
        if let Some(Judgement { loss, .. }) = row.validation {
            self.renderer.update_valid(state(LOSS, loss));
        }
        let progress = TrainingProgress {
            progress: None,
            global_progress: dataloader::Progress::new(row.step, steps),
            iteration: Some(row.step),
        };
        self.renderer.render_train(progress, Vec::new());
    }
}

impl std::fmt::Debug for Dashboard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dashboard").finish_non_exhaustive()
    }
}

fn id(name: &str) -> MetricId {
    MetricId::new(Arc::new(name.to_owned()))
}

fn state(name: &str, value: f64) -> MetricState {
    let entry = SerializedEntry::new(format!("{value:.6}"), value.to_string());
    MetricState::Numeric(MetricEntry::new(id(name), entry), NumericEntry::Value(value))
}
