//! What makes a run what it is: everything that its curve depends on.
//!
//! [`Given`] is what the command line says, [`Settings`] is that and the defaults.

use std::path::PathBuf;

use anyhow::ensure;
use serde::{Deserialize, Serialize};

use super::net::Shape;
use crate::train::{first_layer::FirstLayer, given, kind::Plan, schedule::Rates, sparse::WIDTH_UNIT};

/// Settings of a run, as far as the command line gives them.
#[derive(Clone, Debug, Default, Serialize, clap::Args)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "What is trained (a resumed run keeps all of it)")]
pub struct Given {
    /// Positions to learn from, in bulletformat
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<PathBuf>,

    /// Positions to judge by, from other games than those
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<PathBuf>,

    /// At most so many positions of the validation file are used [default: 500000]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_positions: Option<usize>,

    /// Name of the net, kept in its file [default: knightlight]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,

    /// Outputs of the first layer for each side, a multiple of 16 [default: 128]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<usize>,

    /// Sizes of dense layers behind it, such as 16,32 [default: none]
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Option::is_none")]
    dense: Option<Vec<usize>>,

    /// Outputs, of which the number of pieces chooses one [default: 8]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    buckets: Option<usize>,

    /// Times that every position is seen [default: 24]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    epochs: Option<usize>,

    /// Positions of a step [default: 4096]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<usize>,

    /// Learning rate at its highest [default: 0.001]
    #[arg(long, value_name = "RATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    lr: Option<f64>,

    /// Learning rate at the end, reached along a cosine [default: 0.0000024]
    #[arg(long, value_name = "RATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    final_lr: Option<f64>,

    /// Steps until the learning rate is at its highest [default: 200]
    #[arg(long, value_name = "STEPS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    warm_up: Option<usize>,

    /// AdamW's weight decay [default: 0.01]
    #[arg(long, value_name = "X")]
    #[serde(skip_serializing_if = "Option::is_none")]
    weight_decay: Option<f64>,

    /// Share of the game's result in the targets at the beginning, 0 to 1; the rest is the score [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    wdl: Option<f64>,

    /// That share at the end, and in the validation loss [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    wdl_end: Option<f64>,

    /// Centipawns of one unit of log odds [default: fitted to how the games of the data ended]
    #[arg(long, value_name = "CP")]
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<f64>,

    /// Integer steps to one in the first layer, 127 to 255: its weights are held within half as many [default: 127]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    qa: Option<u32>,

    /// Integer steps to one in the other layers: their weights are held within 127 steps [default: 128]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    qb: Option<u32>,

    /// Share of the steps, at the end, in which weights are rounded to their integers [default: 0.2]
    #[arg(long, value_name = "SHARE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    fake_quantised: Option<f64>,

    /// Steps between two validations [default: an epoch]
    #[arg(long, value_name = "STEPS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    validate_every: Option<usize>,

    /// Steps between two rows of the curve [default: 100]
    #[arg(long, value_name = "STEPS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    report_every: Option<usize>,

    /// How the first layer is computed [default: sparse]
    #[arg(long, value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    first_layer: Option<FirstLayer>,

    /// Seed of the first weights and of the order [default: 1]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

/// All settings of a run; [`Given`] says what they mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are documented where they are given")]
pub struct Settings {
    pub data: PathBuf,
    pub validation: PathBuf,
    pub validation_positions: usize,
    pub name: String,
    pub width: usize,
    pub dense: Vec<usize>,
    pub buckets: usize,
    pub epochs: usize,
    pub batch: usize,
    pub lr: f64,
    pub final_lr: f64,
    pub warm_up: usize,
    pub weight_decay: f64,
    pub wdl: f64,
    pub wdl_end: f64,
    /// None until it is fitted.
    pub scale: Option<f64>,
    pub qa: u32,
    pub qb: u32,
    pub fake_quantised: f64,
    /// None: an epoch.
    pub validate_every: Option<usize>,
    pub report_every: usize,
    pub first_layer: FirstLayer,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            data: PathBuf::new(),
            validation: PathBuf::new(),
            validation_positions: 500_000,
            name: "knightlight".to_owned(),
            width: 128,
            dense: Vec::new(),
            buckets: 8,
            epochs: 24,
            batch: 4096,
            lr: 1e-3,
            final_lr: 2.4e-6,
            warm_up: 200,
            weight_decay: 0.01,
            wdl: 0.1,
            wdl_end: 0.1,
            scale: None,
            qa: 127,
            qb: 128,
            fake_quantised: 0.2,
            validate_every: None,
            report_every: 100,
            first_layer: FirstLayer::Sparse,
            seed: 1,
        }
    }
}

impl Given {
    /// The settings of a new run: defaults, and over them what was given.
    pub fn settings(&self) -> anyhow::Result<Settings> {
        for (name, path) in [("--data", &self.data), ("--validation", &self.validation)] {
            ensure!(path.is_some(), "a new run needs {name} FILE (a run that goes on needs --resume)");
        }
        let settings = given::laid_over(self, &Settings::default())?;
        settings.check()?;
        Ok(settings)
    }

    /// Refuses what contradicts the settings that a run began with.
    pub fn agree_with(&self, settings: &Settings) -> anyhow::Result<()> {
        given::agree(self, settings)
    }
}

impl Settings {
    /// Sizes of the network.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape { width: self.width, dense: self.dense.clone(), buckets: self.buckets }
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

    /// Centipawns of one unit of log odds, once it has been fitted.
    #[must_use]
    pub fn known_scale(&self) -> f32 {
        self.scale.unwrap_or(400.0) as f32
    }

    fn check(&self) -> anyhow::Result<()> {
        let Settings { width, buckets, qa, qb, .. } = *self;
        ensure!(
            width.is_multiple_of(WIDTH_UNIT) && (WIDTH_UNIT..=4096).contains(&width),
            "--width {width}: it must be a multiple of {WIDTH_UNIT} from {WIDTH_UNIT} to 4096"
        );
        ensure!(
            (1..=32).contains(&buckets),
            "--buckets {buckets}: there can be 1 to 32, one for each number of pieces"
        );
        ensure!(
            self.dense.len() <= 4 && self.dense.iter().all(|size| (1..=1024).contains(size)),
            "--dense {:?}: there can be up to 4 layers of 1 to 1024 outputs",
            self.dense
        );
        ensure!((127..=255).contains(&qa), "--qa {qa}: activations need 127 to 255 steps");
        ensure!((16..=255).contains(&qb), "--qb {qb}: it must be 16 to 255");
        let counts = [("epochs", self.epochs), ("batch", self.batch), ("report-every", self.report_every)];
        let counts = counts.into_iter().chain([
            ("validation-positions", self.validation_positions),
            ("validate-every", self.validate_every.unwrap_or(1)),
        ]);
        for (name, count) in counts {
            ensure!(count > 0, "--{name} must be at least 1");
        }
        for (name, share) in [("wdl", self.wdl), ("wdl-end", self.wdl_end), ("fake-quantised", self.fake_quantised)] {
            ensure!((0.0..=1.0).contains(&share), "--{name} {share}: it must be between 0 and 1");
        }
        for (name, rate) in [("lr", self.lr), ("final-lr", self.final_lr), ("scale", self.scale.unwrap_or(1.0))] {
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
        Given { data: Some("a.bullet".into()), validation: Some("b.bullet".into()), ..Given::default() }
    }

    #[test]
    fn what_is_given_covers_the_defaults() {
        let settings =
            Given { width: Some(32), dense: Some(vec![16]), scale: Some(380.0), ..given() }.settings().expect("good");
        let expected = Settings {
            data: "a.bullet".into(),
            validation: "b.bullet".into(),
            width: 32,
            dense: vec![16],
            scale: Some(380.0),
            ..Settings::default()
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn a_resumed_run_keeps_its_settings() {
        let begun = Given { lr: Some(0.002), ..given() }.settings().expect("good");
        assert!(Given::default().agree_with(&begun).is_ok());
        assert!(Given { lr: Some(0.002), width: Some(128), ..Given::default() }.agree_with(&begun).is_ok());
        let fault = Given { width: Some(64), ..Given::default() }.agree_with(&begun).expect_err("a contradiction");
        assert!(fault.to_string().starts_with("--width was 128 when this run began and cannot become 64"), "{fault}");
    }

    #[test]
    fn impossible_settings_are_refused_by_name() {
        let fault = |given: Given| given.settings().expect_err("a fault").to_string();
        assert!(fault(Given::default()).contains("needs --data"));
        assert!(fault(Given { width: Some(100), ..given() }).starts_with("--width 100"));
        assert!(fault(Given { buckets: Some(0), ..given() }).starts_with("--buckets 0"));
        assert!(fault(Given { qa: Some(300), ..given() }).starts_with("--qa 300"));
        assert!(fault(Given { wdl: Some(1.5), ..given() }).starts_with("--wdl 1.5"));
        assert!(fault(Given { batch: Some(0), ..given() }).starts_with("--batch"));
    }
}
