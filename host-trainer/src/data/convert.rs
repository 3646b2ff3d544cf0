//! From one kind of file to another.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail, ensure};
use indicatif::ProgressBar;

use super::{
    bullet,
    format::{Format, Input},
    game::Game,
    pgn, progress, viri,
};
use crate::stop::{INTERRUPTED, Stop};

/// Write the games or positions of a file in another format, as far as the file says enough.
///
/// Games (.viri, .pgn, .binpack) become .viri, .pgn or .bullet; nothing is filtered, but positions without a score
/// cannot be in .bullet and are left out. Positions in bulletformat do not know their games, so they only become .bullet.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file of games or positions
    #[arg(value_name = "INPUT")]
    input: PathBuf,

    /// The file to write: .viri, .pgn or .bullet
    #[arg(value_name = "OUTPUT")]
    output: PathBuf,
}

/// Converts what the command line names.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    let input = Input::new(&args.input)?;
    let write: Writer = match Format::of(&args.output)? {
        Format::Viri => viri::write,
        Format::Pgn => pgn::write,
        Format::Bullet => bullet::write,
        Format::Binpack => bail!("binpacks are only read: write .viri, .pgn or .bullet"),
    };
    ensure!(
        input.format.has_games() || Format::of(&args.output)? == Format::Bullet,
        "{}: positions in bulletformat do not know their games; they can only become .bullet",
        input.path.display()
    );
    let folder = match args.output.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let scratch = tempfile::Builder::new().prefix(".convert-").tempdir_in(folder);
    let scratch = scratch.with_context(|| format!("cannot write in {}", folder.display()))?;
    let path = scratch.path().join("output");
    let mut out = BufWriter::new(File::create(&path)?);
    let bar = progress::bytes(input.size);
    let Some(written) = copy(&input, write, &mut out, &bar, stop)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    out.into_inner()?.sync_all()?;
    std::fs::rename(&path, &args.output).with_context(|| format!("cannot write {}", args.output.display()))?;
    bar.finish_and_clear();
    println!("{}: {} games, {} positions", args.output.display(), written.games, written.positions);
    if written.unscored > 0 {
        println!("{} positions have no score and are left out", written.unscored);
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a game; says how many of its positions are left out.
type Writer = fn(&mut dyn Write, &Game) -> anyhow::Result<usize>;

/// How much was written.
#[derive(Debug, Default)]
struct Written {
    games: u64,
    positions: usize,
    unscored: usize,
}

/// Writes every game; `None` if someone wanted to stop.
fn copy(
    input: &Input,
    write: Writer,
    out: &mut dyn Write,
    bar: &ProgressBar,
    stop: &Stop,
) -> anyhow::Result<Option<Written>> {
    let mut source = input.open(bar)?;
    let mut game = Game::default();
    let mut written = Written::default();
    while source.next(&mut game).with_context(|| input.path.display().to_string())? {
        if stop.is_raised() {
            return Ok(None);
        }
        written.games += 1;
        let name = || format!("{}: game {}", input.path.display(), written.games);
        let unscored = write(out, &game).with_context(name)?;
        written.unscored += unscored;
        written.positions += game.samples.len() - unscored;
    }
    Ok(Some(written))
}
