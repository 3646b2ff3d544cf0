//! Emulated boards, started as their own folders say.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// Where `sh tests/all` has built the boards' programs, a folder a target.
const BUILDS: &str = "KNIGHTLIGHT_BOARDS";

/// Where a board's target and its runner stand.
const CONFIGURATION: &str = ".cargo/config.toml";

/// An emulator with a board's program.
#[derive(Clone, Debug)]
pub struct Emulator {
    qemu: String,
    /// Its arguments up to the program, as `cargo run` in the board's folder has them.
    arguments: Vec<String>,
    program: PathBuf,
}

/// The folder of all boards.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware/boards")
}

/// The names of the emulated boards' folders.
///
/// # Errors
/// If they cannot be read.
pub fn emulated_boards() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder())? {
        let name = entry?.file_name().into_string().ok().context("a folder's name that is not UTF-8")?;
        if name.starts_with("qemu-") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// A file of a board's folder.
///
/// # Errors
/// If it cannot be read.
pub fn text(board: &str, file: &str) -> Result<String> {
    let path = folder().join(board).join(file);
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// The program of a board.
///
/// # Errors
/// If there is no such board, or it has not been built.
pub fn program(board: &str) -> Result<PathBuf> {
    let configuration = text(board, CONFIGURATION)?;
    let target = setting(&configuration, "target").with_context(|| format!("{board} says no target"))?;
    let program = builds()?.join(target).join("release").join(board);
    ensure!(program.is_file(), "{} was not built", program.display());
    Ok(program)
}

fn builds() -> Result<PathBuf> {
    env::var_os(BUILDS).map(PathBuf::from).with_context(|| format!("{BUILDS}: the folder of the boards' builds"))
}

/// The text of a setting in a board's cargo configuration, which stands on a line of its own.
fn setting<'a>(configuration: &'a str, name: &str) -> Option<&'a str> {
    let value = configuration.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='))?;
    value.trim().strip_prefix('"')?.strip_suffix('"')
}

impl Emulator {
    /// The emulator of the board in a folder under `firmware/boards`.
    ///
    /// # Errors
    /// If there is no such board, or it has not been built.
    pub fn of(board: &str) -> Result<Self> {
        let configuration = text(board, CONFIGURATION)?;
        let runner = setting(&configuration, "runner").with_context(|| format!("{board} says no runner"))?;
        let mut words = runner.split(' ').map(str::to_owned);
        let qemu = words.next().with_context(|| format!("{board} has an empty runner"))?;
        Ok(Self { qemu, arguments: words.collect(), program: program(board)? })
    }

    /// The same, but a board that starts anew does not end it.
    #[must_use]
    pub fn restarting(mut self) -> Self {
        self.arguments.retain(|word| word != "-no-reboot");
        self
    }

    /// The same with this many cores.
    #[must_use]
    pub fn with_cores(mut self, cores: u32) -> Self {
        let last = self.arguments.len().saturating_sub(1);
        // The last is what the program comes behind.
        self.arguments.splice(last..last, ["-smp".to_owned(), cores.to_string()]);
        self
    }

    /// The same with the board's program that counts what it does, which `-append` names.
    ///
    /// # Errors
    /// If it has not been built.
    pub fn measuring(mut self, work: &str) -> Result<Self> {
        let name = self.program.file_name().context("a program without a name")?;
        self.program = builds()?.join("measure").join(name);
        ensure!(self.program.is_file(), "{} was not built", self.program.display());
        let counting = "-icount shift=8,align=off,sleep=off -rtc clock=vm -semihosting-config enable=on,target=native";
        let last = self.arguments.len().saturating_sub(1);
        let more = counting.split(' ').chain(["-append", work]).map(str::to_owned);
        // The last is what the program comes behind.
        self.arguments.splice(last..last, more);
        Ok(self)
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The command that starts it, with the board's serial port at `serial`: `stdio`, or `pty`.
    #[must_use]
    pub fn command(&self, serial: &str) -> Command {
        let mut command = Command::new(&self.qemu);
        command.args(self.arguments.iter().map(|word| if word == "stdio" { serial } else { word }));
        command.arg(&self.program).stderr(Stdio::inherit());
        command
    }
}
