//! The kinds of files, by their names.

use std::{
    fmt,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use indicatif::ProgressBar;

use super::{bullet::BulletReader, game::Game, pgn::PgnReader, viri::ViriReader};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Games in viriformat.
    Viri,
    /// Games as text.
    Pgn,
    /// Positions in bulletformat.
    Bullet,
    /// Games as Stockfish's tools pack them.
    Binpack,
}

impl Format {
    /// The format that a file's name says.
    ///
    /// # Errors
    /// If its ending is none of ours.
    pub fn of(path: &Path) -> anyhow::Result<Format> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("viri") => Ok(Format::Viri),
            Some("pgn") => Ok(Format::Pgn),
            Some("bullet") => Ok(Format::Bullet),
            Some("binpack") => Ok(Format::Binpack),
            _ => bail!("{}: the ending of its name must be .viri, .pgn, .bullet or .binpack", path.display()),
        }
    }

    /// Whether its positions come in games, with their moves and ply numbers.
    pub fn has_games(self) -> bool {
        self != Format::Bullet
    }

    /// The bytes that a position takes at the very least, for sizing what cannot be counted beforehand.
    fn least_bytes(self) -> u64 {
        match self {
            Format::Viri => 4,
            Format::Bullet => 32,
            // `d4 {0.00/1} `
            Format::Pgn => 12,
            Format::Binpack => 1,
        }
    }
}

/// A file that games or positions come from.
pub trait Source {
    /// Reads the next game into `game`, or the next position as a game of its own. `false`: the file has ended.
    ///
    /// # Errors
    /// If the file cannot be read or is [damaged](Damage).
    fn next(&mut self, game: &mut Game) -> anyhow::Result<bool>;
}

/// Something in the middle of a file that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Damage {
    /// The number of the game, or of the position where the file has no games, from 1.
    pub number: u64,
    /// The byte at which it starts, if the format allows to tell.
    pub offset: Option<u64>,
    /// The line of the mistake, in a file of text.
    pub line: Option<u64>,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "number {}", self.number)?;
        if let Some(offset) = self.offset {
            write!(f, " (from byte {offset})")?;
        }
        if let Some(line) = self.line {
            write!(f, " (line {line})")?;
        }
        write!(f, " is damaged: {}", self.problem)
    }
}

/// A file to read.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub format: Format,
    /// Bytes in it.
    pub size: u64,
}

impl Input {
    /// Looks at a file without reading it.
    ///
    /// # Errors
    /// If it is not there, or its name has a foreign ending.
    pub fn new(path: &Path) -> anyhow::Result<Input> {
        let format = Format::of(path)?;
        let data = path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Input { path: path.to_owned(), format, size: data.len() })
    }

    /// No fewer positions than are in the file.
    pub fn most_positions(&self) -> u64 {
        self.size / self.format.least_bytes()
    }

    /// Opens the file; the bar moves by the bytes that are read.
    ///
    /// # Errors
    /// If it cannot be read, or this program was built without its format.
    pub fn open(&self, bar: &ProgressBar) -> anyhow::Result<Box<dyn Source>> {
        let name = self.path.display().to_string();
        let file = File::open(&self.path).with_context(|| format!("cannot read {name}"))?;
        // What a run still adds meanwhile is left for another time: the size on record is what was read.
        let file = bar.wrap_read(file.take(self.size));
        Ok(match self.format {
            Format::Viri => Box::new(ViriReader::new(file, name)),
            Format::Pgn => Box::new(PgnReader::new(file, name)),
            Format::Bullet => Box::new(BulletReader::new(file, name)),
            #[cfg(feature = "binpack")]
            Format::Binpack => Box::new(super::binpack::BinpackReader::new(file)),
            #[cfg(not(feature = "binpack"))]
            Format::Binpack => {
                bail!("{name}: this trainer was built without binpacks; build it with `--features binpack`")
            }
        })
    }
}
