//! Makes a book of the openings of games.

use std::{fs::File, path::PathBuf, process::ExitCode};

use anyhow::{Context, ensure};
use quantize::whole;

use super::{
    games::{self, Census},
    polyglot::Entry,
    tally::{self, Tallies},
};
use crate::{
    data::progress,
    stop::{INTERRUPTED, Stop},
};

/// Make a book from the games of PGN files.
///
/// A move's weight is twice the games that its side won and once those it drew, so a move is played more the more it was
/// played and the better it did. Moves that never scored are left out.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games
    #[arg(value_name = "PGN", required = true)]
    games: Vec<PathBuf>,

    /// The book to write; it must not be there yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Half-moves of each game that are counted
    #[arg(long, value_name = "N", default_value = "40", value_parser = clap::value_parser!(u32).range(1..))]
    max_ply: u32,

    /// Leave out moves that were played less often
    #[arg(long, value_name = "GAMES", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    min_count: u32,

    /// Leave out moves that scored less for the side that played them, from 0 to 100
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = parse_percent)]
    min_score: f64,

    /// Leave out games unless both players are known to be rated at least this
    #[arg(long, value_name = "ELO")]
    min_rating: Option<u32>,
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "a number from 0 to 100 is wanted".to_owned())
}

/// Makes the book that the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    ensure!(!args.out.exists(), "{} is there already: remove it, or name another file", args.out.display());
    let mut size = 0;
    for path in &args.games {
        let data = path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
        ensure!(!data.is_dir(), "{} is a folder, not a file of games", path.display());
        size += data.len();
    }
    let wanted = games::Wanted { plies: args.max_ply as usize, rating: args.min_rating };
    let (mut tallies, mut census) = (Tallies::default(), Census::default());
    let bar = progress::bytes(size);
    for path in &args.games {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        let is_whole = games::count(bar.wrap_read(file), &name, wanted, &mut tallies, &mut census, || stop.is_raised())
            .with_context(|| format!("cannot read {name}"))?;
        if !is_whole {
            bar.finish_and_clear();
            return Ok(ExitCode::from(INTERRUPTED));
        }
    }
    bar.finish_and_clear();
    print!("{}", describe(&census));

    let entries = tallies.entries(tally::Wanted { count: args.min_count, percent: args.min_score });
    ensure!(
        !entries.is_empty(),
        "no move was played {} times or more and scored {}% or more: nothing is written",
        args.min_count,
        args.min_score
    );
    let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.bytes()).collect();
    whole::write(&args.out, &bytes).with_context(|| format!("cannot write {}", args.out.display()))?;
    let positions = entries.chunk_by(|a: &Entry, b| a.key == b.key).count();
    println!("{}: {positions} positions, {} entries, {} bytes", args.out.display(), entries.len(), bytes.len());
    Ok(ExitCode::SUCCESS)
}

/// What became of the games, in a line or more.
fn describe(census: &Census) -> String {
    let mut text = format!("{} games", census.used);
    for (count, why) in [
        (census.unfinished, "without a result"),
        (census.unrated, "of players below the rating"),
        (census.damaged, "damaged"),
    ] {
        if count > 0 {
            text += &format!("; left out: {count} {why}");
        }
    }
    text.push('\n');
    if let Some(first) = &census.first_damage {
        text += &format!("the first that is damaged: {first}\n");
    }
    text
}
