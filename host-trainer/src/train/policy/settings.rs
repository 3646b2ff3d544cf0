//! What makes a run what it is: everything that its curve depends on.
//!
//! [`Given`] is what the command line says, [`Settings`] is that and what a [`Preset`] has for the rest.

use std::path::PathBuf;

use anyhow::ensure;
use engine_core::net::{move_planes::OUTPUTS, planes::INPUTS};
use serde::{Deserialize, Serialize};

use crate::train::{first_layer::FirstLayer, given, kind::Plan, pupil::Method, schedule::Rates, sparse::WIDTH_UNIT};

/// A named set of settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// 896-64-4672, AdamW, cross entropy over the legal moves.
    #[default]
    Small,
    /// The same, 896-32-4672.
    Tiny,
    /// The same, 896-128-4672.
    Wide,
    /// 896-1000-1000-1000-200-4672 by SGD of batches of 4, cross entropy over all moves, 60 epochs, 80 % to learn from.
    Document,
}

/// What a network's chances are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// Cross entropy over the legal moves: what else a net says is never asked for.
    Legal,
    /// Cross entropy over all moves that chess knows, so that a net learns the rules too.
    All,
}

/// Settings of a run, as far as the command line gives them.
#[derive(Clone, Debug, Default, Serialize, clap::Args)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "What is trained (a resumed run keeps all of it)")]
pub struct Given {
    /// Files of games to learn from and to judge by
    #[arg(long, value_name = "FILE", num_args = 1..)]
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Vec<PathBuf>>,

    /// What all settings are that are not given [default: small]
    #[arg(long, value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<Preset>,

    /// Share of the games that is kept to judge by [default: 0.02; document: 0.2]
    #[arg(long, value_name = "SHARE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<f64>,

    /// At most so many of their positions are used [default: 100000]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_positions: Option<usize>,

    /// Read no further game after so many positions [default: read all]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<usize>,

    /// Name of the net, kept in its file [default: knightlight-policy]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,

    /// Sizes of the layers between the 896 inputs and the 4672 moves [default: as the preset has them]
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<Vec<usize>>,

    /// Which moves the loss is over [default: legal; document: all]
    #[arg(long, value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<Objective>,

    /// How gradients are used [default: adamw; document: sgd]
    #[arg(long, value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<Method>,

    /// Times that every position is seen [default: 10; document: 60]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    epochs: Option<usize>,

    /// Positions of a step [default: 4096; document: 4]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<usize>,

    /// Learning rate at its highest [default: 0.004; document: 0.001]
    #[arg(long, value_name = "RATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    lr: Option<f64>,

    /// Learning rate at the end, reached along a cosine [default: 0.000004; document: 0.001]
    #[arg(long, value_name = "RATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    final_lr: Option<f64>,

    /// Steps until the learning rate is at its highest [default: 200; document: 0]
    #[arg(long, value_name = "STEPS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    warm_up: Option<usize>,

    /// AdamW's weight decay [default: 0.01]
    #[arg(long, value_name = "X")]
    #[serde(skip_serializing_if = "Option::is_none")]
    weight_decay: Option<f64>,

    /// Steps between two validations [default: an epoch]
    #[arg(long, value_name = "STEPS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    validate_every: Option<usize>,

    /// Steps between two rows of the curve [default: 100; document: 1000]
    #[arg(long, value_name = "STEPS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    report_every: Option<usize>,

    /// How the first layer is computed [default: sparse; document: dense]
    #[arg(long, value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    first_layer: Option<FirstLayer>,

    /// Seed of the split, of the first weights and of the order [default: 1]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

/// All settings of a run; [`Given`] says what they mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are documented where they are given")]
pub struct Settings {
    pub data: Vec<PathBuf>,
    pub preset: Preset,
    pub validation: f64,
    pub validation_positions: usize,
    /// None: all.
    pub positions: Option<usize>,
    pub name: String,
    pub layers: Vec<usize>,
    pub loss: Objective,
    pub method: Method,
    pub epochs: usize,
    pub batch: usize,
    pub lr: f64,
    pub final_lr: f64,
    pub warm_up: usize,
    pub weight_decay: f64,
    /// None: an epoch.
    pub validate_every: Option<usize>,
    pub report_every: usize,
    pub first_layer: FirstLayer,
    pub seed: u64,
}

impl Preset {
    /// Its settings, for no data yet.
    #[must_use]
    pub fn settings(self) -> Settings {
        let ours = Settings {
            data: Vec::new(),
            preset: self,
            validation: 0.02,
            validation_positions: 100_000,
            positions: None,
            name: "knightlight-policy".to_owned(),
            layers: vec![64],
            loss: Objective::Legal,
            method: Method::Adamw,
            epochs: 10,
            batch: 4096,
            lr: 4e-3,
            final_lr: 4e-6,
            warm_up: 200,
            weight_decay: 0.01,
            validate_every: None,
            report_every: 100,
            first_layer: FirstLayer::Sparse,
            seed: 1,
        };
        match self {
            Preset::Small => ours,
            Preset::Tiny => Settings { layers: vec![32], ..ours },
            Preset::Wide => Settings { layers: vec![128], ..ours },
            Preset::Document => Settings {
                validation: 0.2,
                layers: vec![1000, 1000, 1000, 200],
                loss: Objective::All,
                method: Method::Sgd,
                epochs: 60,
                batch: 4,
                lr: 1e-3,
                final_lr: 1e-3,
                warm_up: 0,
                report_every: 1000,
                first_layer: FirstLayer::Dense,
                ..ours
            },
        }
    }
}

impl Given {
    /// The settings of a new run: those of the preset, and over them what was given.
    ///
    /// # Errors
    /// If the data are missing, or a setting cannot be.
    pub fn settings(&self) -> anyhow::Result<Settings> {
        ensure!(self.data.is_some(), "a new run needs --data FILE (a run that goes on needs --resume)");
        let settings = given::laid_over(self, &self.preset.unwrap_or_default().settings())?;
        settings.check()?;
        Ok(settings)
    }

    /// Refuses what contradicts the settings that a run began with.
    ///
    /// # Errors
    /// The first setting that does.
    pub fn agree_with(&self, settings: &Settings) -> anyhow::Result<()> {
        given::agree(self, settings)
    }
}

impl Settings {
    /// Inputs, sizes of the layers between, outputs.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        [&[INPUTS][..], &self.layers, &[OUTPUTS]].concat()
    }

    /// What every run needs to know of them.
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan {
            epochs: self.epochs,
            batch: self.batch,
            seed: self.seed,
            validate_every: self.validate_every,
            report_every: self.report_every,
            rates: Rates { warm_up: self.warm_up, peak: self.lr, end: self.final_lr },
        }
    }

    pub(super) fn check(&self) -> anyhow::Result<()> {
        let layers = &self.layers;
        ensure!(
            (1..=8).contains(&layers.len()) && layers.iter().all(|size| (1..=4096).contains(size)),
            "--layers {layers:?}: there can be 1 to 8 layers of 1 to 4096 outputs"
        );
        ensure!(
            self.first_layer == FirstLayer::Dense || layers[0].is_multiple_of(WIDTH_UNIT),
            "--layers {layers:?}: a sparse first layer must be a multiple of {WIDTH_UNIT} wide (--first-layer dense need \
             not)"
        );
        let counts = [
            ("epochs", self.epochs),
            ("batch", self.batch),
            ("report-every", self.report_every),
            ("validation-positions", self.validation_positions),
            ("validate-every", self.validate_every.unwrap_or(1)),
            ("positions", self.positions.unwrap_or(1)),
        ];
        for (name, count) in counts {
            ensure!(count > 0, "--{name} must be at least 1");
        }
        let share = self.validation;
        ensure!(share > 0.0 && share < 1.0, "--validation {share}: it must be above 0 and below 1");
        for (name, rate) in [("lr", self.lr), ("final-lr", self.final_lr)] {
            ensure!(rate.is_finite() && rate > 0.0, "--{name} {rate}: it must be above 0");
        }
        let decay = self.weight_decay;
        ensure!((0.0..1.0).contains(&decay), "--weight-decay {decay}: it must be at least 0 and below 1");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given() -> Given {
        Given { data: Some(vec!["a.viri".into()]), ..Given::default() }
    }

    #[test]
    fn what_is_given_covers_the_preset() {
        let settings = Given { preset: Some(Preset::Document), epochs: Some(2), ..given() }.settings().expect("good");
        let expected = Settings { data: vec!["a.viri".into()], epochs: 2, ..Preset::Document.settings() };
        assert_eq!(settings, expected);
        assert_eq!(settings.sizes(), [896, 1000, 1000, 1000, 200, 4672]);
        assert_eq!(given().settings().expect("good").layers, [64]);
    }

    #[test]
    fn impossible_settings_are_refused_by_name() {
        let fault = |given: Given| given.settings().expect_err("a fault").to_string();
        assert!(fault(Given::default()).contains("needs --data"));
        assert!(fault(Given { layers: Some(vec![]), ..given() }).starts_with("--layers []"));
        assert!(fault(Given { layers: Some(vec![40]), ..given() }).contains("multiple of 16"));
        assert!(fault(Given { validation: Some(1.0), ..given() }).starts_with("--validation 1"));
        assert!(fault(Given { lr: Some(0.0), ..given() }).starts_with("--lr 0"));
        let dense = Given { layers: Some(vec![40]), first_layer: Some(FirstLayer::Dense), ..given() };
        assert_eq!(dense.settings().expect("good").layers, [40]);
    }
}
