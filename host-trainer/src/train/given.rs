//! What the command line gives, laid over what would hold without it.
//!
//! A kind of network has two lists of settings with the same names: those that may be given, and those that a run has.
//! So the one is laid over the other as JSON, and a resumed run is held to what it began with name by name.

use anyhow::{Context, bail};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// Settings, and over them what was given.
///
/// # Errors
/// If a name that was given is no setting.
pub fn laid_over<S: Serialize + DeserializeOwned>(given: &impl Serialize, settings: &S) -> anyhow::Result<S> {
    let mut all = object(settings)?;
    all.extend(object(given)?);
    serde_json::from_value(all.into()).context("cannot combine the settings")
}

/// Refuses what contradicts the settings that a run began with.
///
/// # Errors
/// The first setting that does.
pub fn agree(given: &impl Serialize, begun: &impl Serialize) -> anyhow::Result<()> {
    let begun = object(begun)?;
    for (name, given) in object(given)? {
        let kept = begun.get(&name).unwrap_or(&Value::Null);
        if *kept != given {
            bail!(
                "--{name} was {kept} when this run began and cannot become {given}: leave it out, or begin another run"
            );
        }
    }
    Ok(())
}

fn object(value: &impl Serialize) -> anyhow::Result<Map<String, Value>> {
    match serde_json::to_value(value)? {
        Value::Object(map) => Ok(map),
        other => bail!("settings are not an object: {other}"),
    }
}
