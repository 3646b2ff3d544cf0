//! What a blob's header needs besides the shape: a name, how the net was trained, and the scales. The file of weights
//! says it, and the command line may say otherwise.

use thiserror::Error;

use crate::weights::Metadata;

/// Settings from the command line, each before what the file of weights says.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct Overrides {
    /// The network's name [default: as the file says; so for all of these]
    #[arg(long)]
    pub name: Option<String>,
    /// How it was trained, in a line
    #[arg(long, value_name = "LINE")]
    pub record: Option<String>,
    /// What 1.0 becomes in the first layer, 64 to 255
    #[arg(long)]
    pub qa: Option<u16>,
    /// What a weight of 1.0 becomes in the other layers, 16 to 128
    #[arg(long)]
    pub qb: Option<u16>,
    /// The centipawns of an output of 1.0, 50 to 2000
    #[arg(long, value_name = "CENTIPAWNS")]
    pub scale: Option<u16>,
}

/// What every blob says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The network's name.
    pub name: String,
    /// How it was trained, in a line.
    pub record: String,
}

/// What a value net's blob says of itself besides its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The network's name.
    pub name: String,
    /// How it was trained, in a line.
    pub record: String,
    /// What 1.0 becomes in the first layer.
    pub qa: u16,
    /// What a weight of 1.0 becomes in the other layers.
    pub qb: u16,
    /// The centipawns of an output of 1.0; the nearest whole number, if the file says another.
    pub scale: u16,
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// Nobody says it.
    #[error("the file's metadata has no '{0}': give --{0}")]
    Missing(&'static str),
    /// The file says what is no number.
    #[error("metadata '{name}' is '{value}': a number from 0 to 65535 wanted, whole but for scale; or give --{name}")]
    Number {
        /// Which setting.
        name: &'static str,
        /// What stands there.
        value: String,
    },
    /// Words with a control character, a new line say.
    #[error("{0}: one line of text wanted")]
    Line(&'static str),
    /// An option that says nothing of such a net.
    #[error("--{0} is for value nets, and this is a policy net")]
    ValueOnly(&'static str),
}

impl Words {
    /// The words of the command line, and for those not given there the file's.
    ///
    /// # Errors
    /// The first that is missing, or is no line.
    pub fn new(overrides: &Overrides, metadata: &Metadata) -> Result<Self, SettingsError> {
        let text = |name: &'static str, given: &Option<String>| {
            let text = given.as_ref().or_else(|| metadata.get(name)).ok_or(SettingsError::Missing(name))?;
            if text.chars().any(char::is_control) {
                return Err(SettingsError::Line(name));
            }
            Ok(text.clone())
        };
        Ok(Self { name: text("name", &overrides.name)?, record: text("record", &overrides.record)? })
    }

    /// The words of a policy net, which has no other settings.
    ///
    /// # Errors
    /// As [`new`](Self::new), and if the command line sets what only value nets have.
    pub fn of_policy(overrides: &Overrides, metadata: &Metadata) -> Result<Self, SettingsError> {
        for (name, given) in [("qa", overrides.qa), ("qb", overrides.qb), ("scale", overrides.scale)] {
            if given.is_some() {
                return Err(SettingsError::ValueOnly(name));
            }
        }
        Self::new(overrides, metadata)
    }

    /// The words as a file of weights says them.
    #[must_use]
    pub fn metadata(&self) -> Metadata {
        [("name", &self.name), ("record", &self.record)].map(|(name, value)| (name.to_owned(), value.clone())).into()
    }
}

impl Settings {
    /// The settings of the command line, and for those not given there the file's.
    ///
    /// # Errors
    /// The first that is missing, or is no number or no line.
    pub fn new(overrides: &Overrides, metadata: &Metadata) -> Result<Self, SettingsError> {
        let number =
            |name: &'static str, given: Option<u16>, read: fn(&str) -> Option<u16>| match (given, metadata.get(name)) {
                (Some(number), _) => Ok(number),
                (None, Some(value)) => {
                    read(value.trim()).ok_or_else(|| SettingsError::Number { name, value: value.clone() })
                }
                (None, None) => Err(SettingsError::Missing(name)),
            };
        let Words { name, record } = Words::new(overrides, metadata)?;
        Ok(Self {
            name,
            record,
            qa: number("qa", overrides.qa, whole)?,
            qb: number("qb", overrides.qb, whole)?,
            scale: number("scale", overrides.scale, nearest_whole)?,
        })
    }

    /// The settings as a file of weights says them.
    #[must_use]
    pub fn metadata(&self) -> Metadata {
        let Self { name, record, qa, qb, scale } = self;
        [
            ("name", name.clone()),
            ("record", record.clone()),
            ("qa", qa.to_string()),
            ("qb", qb.to_string()),
            ("scale", scale.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

fn whole(text: &str) -> Option<u16> {
    text.parse().ok()
}

/// A trainer may have measured the scale, to any number of places.
fn nearest_whole(text: &str) -> Option<u16> {
    let number: f64 = text.parse().ok()?;
    (0.0..=u16::MAX.into()).contains(&number).then(|| number.round() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings { name: "first".into(), record: "one epoch".into(), qa: 255, qb: 64, scale: 400 }
    }

    #[test]
    fn metadata_is_read_as_written_and_the_command_line_comes_first() {
        assert_eq!(Settings::new(&Overrides::default(), &settings().metadata()), Ok(settings()));
        let overrides = Overrides { name: Some("second".into()), qa: Some(181), ..Overrides::default() };
        let wanted = Settings { name: "second".into(), qa: 181, ..settings() };
        assert_eq!(Settings::new(&overrides, &settings().metadata()), Ok(wanted));
    }

    #[test]
    fn a_measured_scale_becomes_whole() {
        let mut metadata = settings().metadata();
        metadata.insert("scale".into(), "225.60000610351563".into());
        assert_eq!(Settings::new(&Overrides::default(), &metadata), Ok(Settings { scale: 226, ..settings() }));
    }

    #[test]
    fn what_is_missing_is_named() {
        for name in ["name", "record", "qa", "qb", "scale"] {
            let mut metadata = settings().metadata();
            metadata.remove(name);
            let error = Settings::new(&Overrides::default(), &metadata).expect_err("an error");
            assert_eq!(error.to_string(), format!("the file's metadata has no '{name}': give --{name}"));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let with = |name: &str, value: &str| {
            let mut metadata = settings().metadata();
            metadata.insert(name.into(), value.into());
            Settings::new(&Overrides::default(), &metadata).expect_err("an error").to_string()
        };
        assert_eq!(
            with("qa", "255.0"),
            "metadata 'qa' is '255.0': a number from 0 to 65535 wanted, whole but for scale; or give --qa"
        );
        for scale in ["-1", "65536", "NaN", "one"] {
            assert!(with("scale", scale).starts_with("metadata 'scale' is "), "{scale}");
        }
        assert_eq!(with("record", "two\nlines"), "record: one line of text wanted");
    }
}
