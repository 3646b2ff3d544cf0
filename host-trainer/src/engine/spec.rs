//! The line of text that names an engine: its command, its protocol, its options and its limits.

use std::{str::FromStr, time::Duration};

use super::limits::{Limits, TimeControlError};

/// The language an engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The Chess Engine Communication Protocol of xboard and WinBoard.
    Cecp,
}

/// How to start an engine and what to allow it.
///
/// Written as words in the manner of a shell: first the command, then `key=value` settings.
///
/// ```
/// use host_trainer::engine::spec::EngineSpec;
///
/// let bare: EngineSpec = "./knightlight --quiet".parse()?;
/// assert_eq!(bare.command, ["./knightlight", "--quiet"]);
///
/// let weak: EngineSpec = "cmd=stockfish name=weak nodes=5000 option.UCI_Elo=1350 'option.Move Overhead=5'".parse()?;
/// assert_eq!(weak.options[1], ("Move Overhead".to_owned(), "5".to_owned()));
///
/// let old: EngineSpec = "cmd='gnuchess --xboard' proto=xboard init='hard;nopost' tc=40/60".parse()?;
/// assert_eq!(old.command, ["gnuchess", "--xboard"]);
/// # Ok::<(), host_trainer::engine::spec::SpecError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineSpec {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Folder to run it in; ours by default.
    pub dir: Option<String>,
    /// What to call it; its own name by default.
    pub name: Option<String>,
    /// `proto=uci` (the default) or `proto=xboard`, also written `cecp`.
    pub protocol: Protocol,
    /// `option.NAME=VALUE`, in the order given.
    pub options: Vec<(String, String)>,
    /// Lines sent before the first game, given as `init="one;two"`.
    pub init: Vec<String>,
    /// `tc=`, `st=` (seconds a move), `movetime=` (milliseconds a move), `nodes=`, `depth=`. Where one is given, the
    /// match's own limits do not apply to this engine.
    pub limits: Limits,
    /// `reuse=0` starts a fresh process for every game.
    pub fresh: bool,
}

/// Why a text is not an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A quote is not closed.
    #[error("engine `{0}`: a quote is not closed")]
    Quote(String),
    /// Nothing says what to run.
    #[error("engine `{0}`: no command (write it first, or as cmd=...)")]
    NoCommand(String),
    /// A word where a setting should stand.
    #[error(
        "engine: `{0}` is no setting; known are cmd, dir, name, proto, init, reuse, tc, st, movetime, nodes, depth, option.NAME"
    )]
    UnknownKey(String),
    /// A setting whose value makes no sense.
    #[error("engine: {key}={value}: {problem}")]
    Value {
        /// The setting.
        key: String,
        /// What was given.
        value: String,
        /// What should be given.
        problem: &'static str,
    },
    /// A time control that is none.
    #[error("engine: tc: {0}")]
    TimeControl(#[from] TimeControlError),
}

impl FromStr for EngineSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<EngineSpec, SpecError> {
        let words = shlex::split(text).ok_or_else(|| SpecError::Quote(text.to_owned()))?;
        let mut spec = EngineSpec::default();
        let mut settings = false;
        for word in words {
            match word.split_once('=').filter(|(key, _)| is_key(key)) {
                Some((key, value)) => {
                    settings = true;
                    spec.set(key, value)?;
                }
                // Words before the first setting are the command.
                None if !settings => spec.command.push(word),
                None => return Err(SpecError::UnknownKey(word)),
            }
        }
        if spec.command.is_empty() {
            return Err(SpecError::NoCommand(text.to_owned()));
        }
        Ok(spec)
    }
}

/// Whether a word before `=` names a setting rather than belonging to a program's argument.
fn is_key(key: &str) -> bool {
    matches!(key, "cmd" | "dir" | "name" | "proto" | "init" | "reuse" | "tc" | "st" | "movetime" | "nodes" | "depth")
        || key.starts_with("option.")
}

impl EngineSpec {
    /// An engine with nothing but a command.
    pub fn bare(command: &str) -> EngineSpec {
        EngineSpec { command: vec![command.to_owned()], ..EngineSpec::default() }
    }

    /// What to call the engine before it has told its own name.
    pub fn label(&self) -> &str {
        let program = self.command.first().map_or("engine", String::as_str);
        self.name.as_deref().unwrap_or(program)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), SpecError> {
        let wrong = |problem| SpecError::Value { key: key.to_owned(), value: value.to_owned(), problem };
        match key {
            "cmd" => self.command = shlex::split(value).ok_or(wrong("a quote is not closed"))?,
            "dir" => self.dir = Some(value.to_owned()),
            "name" => self.name = Some(value.to_owned()),
            "proto" => {
                self.protocol = match value {
                    "uci" => Protocol::Uci,
                    "xboard" | "cecp" => Protocol::Cecp,
                    _ => return Err(wrong("must be uci or xboard")),
                }
            }
            "init" => self.init.extend(value.split(';').map(|line| line.trim().to_owned())),
            "reuse" => {
                self.fresh = match value {
                    "0" => true,
                    "1" => false,
                    _ => return Err(wrong("must be 0 or 1")),
                }
            }
            "tc" => self.limits.clock = Some(value.parse()?),
            "st" => {
                let seconds: f64 = value.parse().map_err(|_| wrong("must be seconds"))?;
                if !(0.001..=86_400.0).contains(&seconds) {
                    return Err(wrong("must be seconds, from 0.001 to a day"));
                }
                self.limits.movetime = Some(Duration::from_secs_f64(seconds));
            }
            "movetime" => {
                let ms = positive(value).ok_or(wrong("must be milliseconds"))?;
                self.limits.movetime = Some(Duration::from_millis(ms));
            }
            "nodes" => self.limits.nodes = Some(positive(value).ok_or(wrong("must be 1 or more"))?),
            "depth" => {
                let plies = positive(value).and_then(|plies| plies.try_into().ok());
                self.limits.depth = Some(plies.ok_or(wrong("must be 1 or more"))?);
            }
            _ => match key.strip_prefix("option.") {
                Some(name) if !name.is_empty() => self.options.push((name.to_owned(), value.to_owned())),
                _ => return Err(SpecError::UnknownKey(key.to_owned())),
            },
        }
        Ok(())
    }
}

fn positive(text: &str) -> Option<u64> {
    text.parse().ok().filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<EngineSpec, SpecError> {
        text.parse()
    }

    #[test]
    fn a_bare_command_is_a_uci_engine() {
        let spec = parse("./target/release/knightlight").unwrap();
        assert_eq!(spec, EngineSpec::bare("./target/release/knightlight"));
        assert_eq!(spec.protocol, Protocol::Uci);
    }

    #[test]
    fn settings_follow_the_command_or_stand_alone() {
        let spec = parse("engine --eval=small -x name=me depth=4").unwrap();
        assert_eq!(spec.command, ["engine", "--eval=small", "-x"]);
        assert_eq!(spec.name.as_deref(), Some("me"));
        assert_eq!(spec.limits.depth, Some(4));

        let spec = parse("cmd='/a b/engine' proto=xboard st=0.5 reuse=0 init='hard;random'").unwrap();
        assert_eq!(spec.command, ["/a", "b/engine"]);
        assert_eq!(spec.protocol, Protocol::Cecp);
        assert_eq!(spec.limits.movetime, Some(Duration::from_millis(500)));
        assert_eq!(spec.init, ["hard", "random"]);
        assert!(spec.fresh);
    }

    #[test]
    fn option_values_keep_their_spaces_and_equals() {
        let spec = parse(r#"e "option.Move Overhead=10" option.File=/a=b option.Empty="#).unwrap();
        let options: Vec<(&str, &str)> = spec.options.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(options, [("Move Overhead", "10"), ("File", "/a=b"), ("Empty", "")]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("", "no command"),
            ("name=x", "no command"),
            ("e name=x stray", "`stray` is no setting"),
            ("e name=x hash=16", "`hash=16` is no setting"),
            ("e proto=usi", "must be uci or xboard"),
            ("e depth=0", "depth=0: must be 1 or more"),
            ("e nodes=many", "nodes=many"),
            ("e st=-1", "must be seconds"),
            ("e tc=soon", "`soon` is not a time control"),
            ("e 'name=x", "a quote is not closed"),
            ("e option.=1", "`option.` is no setting"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
