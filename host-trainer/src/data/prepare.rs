//! From games to training positions: filter, split, drop duplicates, shuffle.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    num::NonZeroU64,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    bullet,
    duplicates::Seen,
    filter::{Filters, Rejected},
    format::Input,
    game::{Game, mix},
    progress,
    shuffle::Shuffle,
    statistics::{Statistics, percent},
};
use crate::stop::{INTERRUPTED, Stop};

/// Make training and validation positions out of games.
///
/// Reads games in viriformat (.viri), PGN with scores in its comments (.pgn) and, if built with the feature `binpack`,
/// Stockfish's binpacks (.binpack), or lone positions in bulletformat (.bullet: they have no plies and no moves, so the
/// filters that need those let them pass). Writes train.bullet, validation.bullet (bulletformat, shuffled) and data.json
/// (settings, counts, statistics).
///
/// Every game goes, by its content and the seed, as a whole to one side of the split. A position that occurs again, on
/// whichever side, is left out: the first stays. Positions are the same if their pieces are as the side to move sees
/// them; castling rights, en passant and counters, which no net sees, do not matter.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games or positions
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,

    /// Folder for the results; made if need be
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    filters: Filters,

    /// Keep positions that occur again (which can then stand on both sides of the split)
    #[arg(long)]
    keep_duplicates: bool,

    /// Share of the games that is kept for validation
    #[arg(long, value_name = "SHARE", default_value = "0.02", value_parser = share)]
    validation: f64,

    /// Seed of the split and of the shuffle: the same seed, inputs and memory give the same files
    #[arg(long, default_value = "1")]
    seed: u64,

    /// Megabytes of memory to shuffle in. Finding duplicates takes 10 to 21 bytes for each position kept, besides
    #[arg(long, value_name = "MB", default_value = "1024")]
    memory: NonZeroU64,
}

/// A share of the games, for the command line.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a number wanted, 0 to below 1".to_owned())?;
    if (0.0..1.0).contains(&share) { Ok(share) } else { Err("it must be at least 0 and below 1".to_owned()) }
}

/// One side of the split.
#[derive(Debug)]
struct Side {
    name: &'static str,
    shuffle: Shuffle,
    seen: Seen,
    statistics: Statistics,
    games: u64,
}

/// What happened to the positions on their way.
#[derive(Debug, Default)]
struct Counts {
    games: u64,
    positions: u64,
    rejected: Rejected,
    /// Positions that their own side had before.
    repeated: u64,
    /// Positions that the other side had before.
    shared: u64,
}

/// Where everything is while it is made.
#[derive(Debug)]
struct Work<'a> {
    args: &'a Args,
    sides: [Side; 2],
    counts: Counts,
    /// Gone with everything in it, however this ends.
    folder: TempDir,
}

const TRAIN: usize = 0;
const VALIDATION: usize = 1;

/// Prepares the data that the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    let inputs = args.inputs.iter().map(|path| Input::new(path)).collect::<anyhow::Result<Vec<_>>>()?;
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
    let mut work = Work::new(args, &inputs)?;
    let bar = progress::bytes(inputs.iter().map(|input| input.size).sum());
    for input in &inputs {
        let mut source = input.open(&bar)?;
        let mut game = Game::default();
        let damaged = || input.path.display().to_string();
        while source.next(&mut game).with_context(damaged)? {
            if stop.is_raised() {
                return Ok(ExitCode::from(INTERRUPTED));
            }
            work.take(&game).context("cannot write a bucket file")?;
        }
    }
    bar.finish_and_clear();
    print!("{}", work.summary(&inputs));
    ensure!(work.sides[TRAIN].shuffle.records() > 0, "no position is left to train on");
    work.publish(&inputs, stop)
}

impl<'a> Work<'a> {
    fn new(args: &'a Args, inputs: &[Input]) -> anyhow::Result<Work<'a>> {
        let folder = tempfile::Builder::new().prefix(".prepare-").tempdir_in(&args.out);
        let folder = folder.with_context(|| format!("cannot write in {}", args.out.display()))?;
        let most: u64 = inputs.iter().map(Input::most_positions).sum();
        let side = |name, most, seed| -> anyhow::Result<Side> {
            let buckets = folder.path().join(format!("{name}-buckets"));
            fs::create_dir(&buckets)?;
            let shuffle = Shuffle::new(&buckets, most, args.memory.get() << 20, seed)?;
            Ok(Side { name, shuffle, seen: Seen::default(), statistics: Statistics::default(), games: 0 })
        };
        let validation = (most as f64 * args.validation).ceil() as u64;
        let sides = [side("train", most, mix(args.seed))?, side("validation", validation, mix(!args.seed))?];
        Ok(Work { args, sides, counts: Counts::default(), folder })
    }

    /// Sends the positions of a game where they belong.
    fn take(&mut self, game: &Game) -> std::io::Result<()> {
        let own = if game.is_within(self.args.seed, self.args.validation) { VALIDATION } else { TRAIN };
        self.counts.games += 1;
        self.sides[own].games += 1;
        for sample in &game.samples {
            self.counts.positions += 1;
            let score = match self.args.filters.pass(sample) {
                Ok(score) => score,
                Err(reason) => {
                    self.counts.rejected.count(reason);
                    continue;
                }
            };
            let record = bullet::encode(&sample.board, score, sample.outcome);
            if !self.args.keep_duplicates && !self.is_new(own, bullet::key(&record)) {
                continue;
            }
            let side = &mut self.sides[own];
            side.statistics.count(Some(score), sample.outcome, sample.board.occupied().len(), sample.ply);
            side.shuffle.add(&record)?;
        }
        Ok(())
    }

    /// Whether neither side has had the position; counts it if one has.
    fn is_new(&mut self, own: usize, key: u64) -> bool {
        let shared = self.sides[1 - own].seen.contains(key);
        let new = !shared && self.sides[own].seen.insert(key);
        self.counts.shared += u64::from(shared);
        self.counts.repeated += u64::from(!shared && !new);
        new
    }

    /// Writes the files under other names and then gives them theirs, the record last: where it is, all is whole.
    fn publish(self, inputs: &[Input], stop: &Stop) -> anyhow::Result<ExitCode> {
        let record = self.record(inputs);
        let Work { args, sides, folder, .. } = self;
        let mut names = Vec::new();
        for side in sides {
            let name = format!("{}.bullet", side.name);
            let path = folder.path().join(&name);
            let mut out = File::create(&path).map(BufWriter::new).with_context(|| path.display().to_string())?;
            if !side.shuffle.finish(&mut out, stop).with_context(|| format!("cannot write {name}"))? {
                return Ok(ExitCode::from(INTERRUPTED));
            }
            out.into_inner()?.sync_all()?;
            names.push(name);
        }
        let mut out = File::create(folder.path().join("data.json"))?;
        out.write_all((serde_json::to_string_pretty(&record)? + "\n").as_bytes())?;
        out.sync_all()?;
        names.push("data.json".to_owned());

        let old = args.out.join("data.json");
        if old.exists() {
            fs::remove_file(&old).with_context(|| format!("cannot replace {}", old.display()))?;
        }
        for name in names {
            rename(&folder.path().join(&name), &args.out.join(&name))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn record(&self, inputs: &[Input]) -> Value {
        let args = self.args;
        let rejected: serde_json::Map<String, Value> =
            self.counts.rejected.rows().map(|(name, count)| (name.to_owned(), count.into())).collect();
        let sides: serde_json::Map<String, Value> = self
            .sides
            .iter()
            .map(|side| {
                let mut statistics = side.statistics.json();
                statistics["games"] = side.games.into();
                (side.name.to_owned(), statistics)
            })
            .collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": inputs.iter().map(|input| json!({
                "file": input.path.display().to_string(),
                "bytes": input.size,
            })).collect::<Vec<_>>(),
            "settings": {
                "min_ply": args.filters.min_ply,
                "max_score": args.filters.max_score,
                "contradiction": args.filters.contradiction,
                "keep_checks": args.filters.keep_checks,
                "keep_captures": args.filters.keep_captures,
                "keep_duplicates": args.keep_duplicates,
                "validation": args.validation,
                "seed": args.seed,
                "memory_mb": args.memory.get(),
            },
            "read": { "games": self.counts.games, "positions": self.counts.positions },
            "rejected": rejected,
            "duplicates": { "same_side": self.counts.repeated, "other_side": self.counts.shared },
            "not_applied": not_applied(inputs),
            "train": sides["train"],
            "validation": sides["validation"],
        })
    }

    fn summary(&self, inputs: &[Input]) -> String {
        let counts = &self.counts;
        let mut text = format!("read {} positions of {} games\n", counts.positions, counts.games);
        let row = |name: &str, count| format!("  {name:<24}{count:>12} {:>8}\n", percent(count, counts.positions));
        for (name, count) in counts.rejected.rows() {
            text += &row(name, count);
        }
        text += &row("duplicate", counts.repeated);
        text += &row("on the other side", counts.shared);
        for side in &self.sides {
            text += &row(side.name, side.shuffle.records());
        }
        if let Some(scale) = self.sides[TRAIN].statistics.scale() {
            text += &format!("scale {scale:.1}\n");
        }
        let unknown = not_applied(inputs);
        if !unknown.is_empty() {
            text += &format!("not applied to .bullet files: {}\n", unknown.join(", "));
        }
        text
    }
}

/// The filters that some file does not say enough for.
fn not_applied(inputs: &[Input]) -> &'static [&'static str] {
    let games = inputs.iter().all(|input| input.format.has_games());
    if games { &[] } else { &["early (no plies)", "capture (no moves)", "split by game (no games)"] }
}

fn rename(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::rename(from, to).with_context(|| format!("cannot write {}", to.display()))
}
