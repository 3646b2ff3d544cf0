//! What a run was started with, kept beside its games, so that it is continued only as it was begun.

use std::{fs, io, path::Path};

use anyhow::{Context, bail};
use quantize::whole;
use serde_json::{Map, Value};

/// The name of the file in the folder of a run.
pub const FILE: &str = "mine.json";

/// Settings by name; the games depend on all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings(Map<String, Value>);

impl Settings {
    /// Puts a setting in.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// A whole number among the settings.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    /// The settings of the run in a folder; `None` if there is no run.
    pub fn read(folder: &Path) -> anyhow::Result<Option<Settings>> {
        let path = folder.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        match serde_json::from_str(&text) {
            Ok(Value::Object(settings)) => Ok(Some(Settings(settings))),
            Ok(_) => bail!("{}: expected an object of settings", path.display()),
            Err(error) => Err(error).with_context(|| path.display().to_string()),
        }
    }

    /// Writes them into a folder, whole or not at all.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&self.0)? + "\n";
        whole::write(&folder.join(FILE), text.as_bytes())
    }

    /// Every setting that differs from what a run was begun with, in words.
    pub fn contradictions(&self, begun: &Settings) -> Vec<String> {
        let mut names: Vec<&String> = self.0.keys().chain(begun.0.keys()).collect();
        names.sort();
        names.dedup();
        let show =
            |settings: &Settings, name: &str| settings.0.get(name).map_or("not set".to_owned(), Value::to_string);
        let differs = |name: &&String| self.0.get(*name) != begun.0.get(*name);
        let describe = |name: &String| format!("{name} was {} and is now {}", show(begun, name), show(self, name));
        names.into_iter().filter(differs).map(describe).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(seed: u64) -> Settings {
        let mut settings = Settings::default();
        settings.set("seed", seed);
        settings.set("choose", "80,15,5");
        settings
    }

    #[test]
    fn settings_come_back_as_they_were_written() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Settings::read(dir.path()).unwrap(), None);
        settings(7).write(dir.path()).unwrap();
        assert_eq!(Settings::read(dir.path()).unwrap(), Some(settings(7)));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn contradictions_are_named() {
        assert!(settings(7).contradictions(&settings(7)).is_empty());
        let mut other = settings(8);
        other.set("hash", 8);
        let expected = ["hash was not set and is now 8", "seed was 7 and is now 8"];
        assert_eq!(other.contradictions(&settings(7)), expected);
    }
}
