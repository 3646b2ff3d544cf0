//! Where games begin: the built-in lines, a file, or the 960 arrays of Chess960.

use std::{
    fs::{self, File},
    ops::ControlFlow,
    path::Path,
};

use anyhow::{Context, bail};
use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use shakmaty::{CastlingMode, Chess, Role};

use super::random::SplitMix64;
use crate::{
    epd::{Epd, parse_position},
    line::Line,
};

/// The lines that the program brings along.
const BUILT_IN: &str = include_str!("../../data/openings.txt");

/// A start position and moves that are played before the engines think.
#[derive(Clone, Debug)]
pub struct Opening {
    /// What people call it, where it has a name.
    pub name: Option<String>,
    /// The start and the moves.
    pub line: Line,
}

/// The order in which openings are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Order {
    /// Shuffled by the seed, and shuffled anew when all have been played.
    #[default]
    Random,
    /// As they stand in the file, over and over.
    Sequential,
}

/// The openings of a match.
#[derive(Clone, Debug)]
pub struct Openings {
    all: Vec<Opening>,
}

impl Openings {
    /// The openings that come with the program: named lines, or all arrays of Chess960.
    pub fn built_in(mode: CastlingMode) -> anyhow::Result<Openings> {
        let all = match mode {
            CastlingMode::Standard => named_lines(BUILT_IN)?,
            CastlingMode::Chess960 => (0..960).map(chess960_opening).collect::<anyhow::Result<_>>()?,
        };
        Ok(Openings { all })
    }

    /// Reads a file of EPD or FEN lines, or of PGN games if its name ends in `.pgn`. Lines of PGN are cut after
    /// `plies` half-moves, where given.
    pub fn read(path: &Path, mode: CastlingMode, plies: Option<usize>) -> anyhow::Result<Openings> {
        let is_pgn = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
        let all = if is_pgn { read_pgn(path, mode, plies)? } else { read_epd(path, mode)? };
        if all.is_empty() {
            bail!("{}: no openings in it", path.display());
        }
        Ok(Openings { all })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All of them, as they stand in the file.
    pub fn iter(&self) -> std::slice::Iter<'_, Opening> {
        self.all.iter()
    }

    /// The first `count` openings of a match. The same seed gives the same sequence.
    pub fn sequence(&self, order: Order, seed: u64, count: usize) -> Vec<Opening> {
        let mut random = SplitMix64::new(seed);
        let mut indices: Vec<usize> = (0..self.all.len()).collect();
        let mut sequence = Vec::with_capacity(count);
        while sequence.len() < count && !indices.is_empty() {
            if order == Order::Random {
                random.shuffle(&mut indices);
            }
            let wanted = count - sequence.len();
            sequence.extend(indices.iter().take(wanted).map(|&index| self.all[index].clone()));
        }
        sequence
    }
}

/// Reads `name: moves` lines.
fn named_lines(text: &str) -> anyhow::Result<Vec<Opening>> {
    text.lines()
        .map(|row| {
            let (name, moves) = row.split_once(": ").with_context(|| format!("`{row}` has no name"))?;
            let mut line = Line::default();
            for word in moves.split_whitespace() {
                let san: SanPlus = word.parse().with_context(|| format!("{name}: `{word}`"))?;
                line.play(san.san.to_move(line.position()).with_context(|| format!("{name}: `{word}`"))?);
            }
            Ok(Opening { name: Some(name.to_owned()), line })
        })
        .collect()
}

fn read_epd(path: &Path, mode: CastlingMode) -> anyhow::Result<Vec<Opening>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut openings = Vec::new();
    for (index, row) in text.lines().enumerate() {
        let row = row.trim();
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        let place = || format!("{}, line {}", path.display(), index + 1);
        let epd = Epd::parse(row, mode).with_context(place)?;
        let name = epd.operand("id").map(str::to_owned);
        openings.push(unfinished(name, Line::new(epd.position)).with_context(place)?);
    }
    Ok(openings)
}

fn read_pgn(path: &Path, mode: CastlingMode, plies: Option<usize>) -> anyhow::Result<Vec<Opening>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut reader = Reader::new(file);
    let mut visitor = OpeningReader { mode, plies: plies.unwrap_or(usize::MAX) };
    let mut openings = Vec::new();
    while let Some(opening) = reader.read_game(&mut visitor)? {
        let place = || format!("{}, game {}", path.display(), openings.len() + 1);
        let opening = opening.and_then(|opening| unfinished(opening.name, opening.line)).with_context(place)?;
        openings.push(opening);
    }
    Ok(openings)
}

/// Refuses an opening after which there is nothing to play.
fn unfinished(name: Option<String>, line: Line) -> anyhow::Result<Opening> {
    match line.ruling() {
        Some(ruling) => bail!("the game is over before the engines begin ({ruling:?}); --plies cuts longer lines"),
        None => Ok(Opening { name, line }),
    }
}

/// Collects the main line of each game of a PGN file.
struct OpeningReader {
    mode: CastlingMode,
    plies: usize,
}

#[derive(Default)]
struct OpeningTags {
    start: Option<Chess>,
    name: Option<String>,
}

impl Visitor for OpeningReader {
    type Tags = OpeningTags;
    type Movetext = Opening;
    type Output = anyhow::Result<Opening>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, OpeningTags> {
        ControlFlow::Continue(OpeningTags::default())
    }

    fn tag(&mut self, tags: &mut OpeningTags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        let text = value.decode_utf8_lossy();
        match name {
            b"FEN" => match parse_position(&text, self.mode) {
                Ok(start) => tags.start = Some(start),
                Err(error) => return ControlFlow::Break(Err(error.into())),
            },
            b"Opening" => tags.name = Some(text.into_owned()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: OpeningTags) -> ControlFlow<Self::Output, Opening> {
        ControlFlow::Continue(Opening { name: tags.name, line: tags.start.map_or_else(Line::default, Line::new) })
    }

    fn san(&mut self, opening: &mut Opening, san: SanPlus) -> ControlFlow<Self::Output> {
        if opening.line.plies().len() >= self.plies {
            return ControlFlow::Continue(());
        }
        match san.san.to_move(opening.line.position()) {
            Ok(mv) => {
                opening.line.play(mv);
                ControlFlow::Continue(())
            }
            Err(error) => {
                let number = opening.line.plies().len() + 1;
                ControlFlow::Break(Err(anyhow::anyhow!("half-move {number}, `{san}`: {error}")))
            }
        }
    }

    fn end_game(&mut self, opening: Opening) -> Self::Output {
        Ok(opening)
    }
}

/// The opening of a number, 0 to 959; 518 is the usual array.
fn chess960_opening(number: u16) -> anyhow::Result<Opening> {
    let white: String = chess960_rank(number).iter().map(|role| role.upper_char()).collect();
    let black = white.to_ascii_lowercase();
    let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1");
    Ok(Opening {
        name: Some(format!("Chess960 #{number}")),
        line: Line::new(parse_position(&fen, CastlingMode::Chess960)?),
    })
}

/// The first rank by Reinhard Scharnagl's numbering: light bishop, dark bishop, queen, and one of ten ways to place
/// the knights; the rest is rook, king, rook.
fn chess960_rank(number: u16) -> [Role; 8] {
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let mut rank: [Option<Role>; 8] = [None; 8];
    let place = |rank: &mut [Option<Role>; 8], nth: usize, role: Role| {
        let free = rank.iter_mut().filter(|square| square.is_none()).nth(nth);
        if let Some(square) = free {
            *square = Some(role);
        }
    };
    let number = usize::from(number % 960);
    rank[2 * (number % 4) + 1] = Some(Role::Bishop);
    rank[2 * (number / 4 % 4)] = Some(Role::Bishop);
    place(&mut rank, number / 16 % 6, Role::Queen);
    let (first, second) = KNIGHTS[number / 96];
    place(&mut rank, first, Role::Knight);
    // The first knight has taken a place.
    place(&mut rank, second - 1, Role::Knight);
    for role in [Role::Rook, Role::King, Role::Rook] {
        place(&mut rank, 0, role);
    }
    rank.map(|role| role.unwrap_or(Role::Pawn))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shakmaty::Position;

    use super::*;

    fn write(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        (dir, path)
    }

    #[test]
    fn built_in_lines_are_legal_short_quiet_and_different() {
        let openings = Openings::built_in(CastlingMode::Standard).unwrap();
        assert!(openings.len() >= 60);
        let mut seen = HashSet::new();
        for opening in openings.iter() {
            let name = opening.name.as_deref().unwrap();
            let plies = opening.line.plies();
            assert!((4..=8).contains(&plies.len()) && plies.len() % 2 == 0, "{name}");
            assert!(opening.line.ruling().is_none(), "{name}");
            assert!(opening.line.start_fen().is_none(), "{name}");
            assert!(seen.insert(opening.line.position().board().to_string()), "{name} comes twice");
            assert!(seen.insert(name.to_owned()), "{name} comes twice");
        }
    }

    #[test]
    fn scharnagl_s_numbers() {
        let rank = |number| chess960_rank(number).iter().map(|role| role.upper_char()).collect::<String>();
        assert_eq!(rank(518), "RNBQKBNR");
        assert_eq!(rank(0), "BBQNNRKR");
        assert_eq!(rank(959), "RKRNNQBB");
        let all: HashSet<String> = (0..960).map(rank).collect();
        assert_eq!(all.len(), 960);
        assert!(Openings::built_in(CastlingMode::Chess960).unwrap().iter().all(|o| o.line.position().castles().any()));
    }

    #[test]
    fn the_seed_alone_decides_the_sequence() {
        let openings = Openings::built_in(CastlingMode::Standard).unwrap();
        let names = |seed, count| -> Vec<_> {
            openings.sequence(Order::Random, seed, count).into_iter().map(|opening| opening.name).collect()
        };
        let laps = openings.len() * 2;
        assert_eq!(names(1, laps), names(1, laps));
        assert_eq!(names(1, laps)[..10], names(1, 10));
        assert_ne!(names(1, laps), names(2, laps));
        let first_lap: HashSet<_> = names(1, openings.len()).into_iter().collect();
        assert_eq!(first_lap.len(), openings.len());
        let sequential = openings.sequence(Order::Sequential, 1, openings.len() + 1);
        assert_eq!(sequential[0].name, sequential[openings.len()].name);
    }

    #[test]
    fn pgn_lines_are_cut_and_may_start_anywhere() {
        let pgn = "[Event \"x\"]\n[Opening \"Ruy Lopez\"]\n\n1. e4 e5 (1... c5) 2. Nf3 {good} Nc6 3. Bb5 *\n\n\
                   [FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. e4 Kd7 *\n";
        let (_dir, path) = write("book.pgn", pgn);
        let openings = Openings::read(&path, CastlingMode::Standard, Some(4)).unwrap();
        assert_eq!(openings.len(), 2);
        assert_eq!(openings.all[0].line.plies().len(), 4);
        assert_eq!(openings.all[0].name.as_deref(), Some("Ruy Lopez"));
        assert_eq!(openings.all[1].line.start_fen().as_deref(), Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
        let whole = Openings::read(&path, CastlingMode::Standard, None).unwrap();
        assert_eq!(whole.all[0].line.plies().len(), 5);
    }

    #[test]
    fn faults_in_files_are_placed() {
        for (name, text, expected) in [
            ("a.pgn", "1. e4 e5 2. Ke3 *\n", "game 1: half-move 3, `Ke3`"),
            ("a.pgn", "1. f3 e5 2. g4 Qh4# 0-1\n", "game 1: the game is over"),
            ("a.epd", "# comment\n\n8/8/8/8 w - -\n", "line 3: "),
            ("a.epd", "7k/5Q2/6K1/8/8/8/8/8 b - - id \"x\";\n", "line 1: the game is over"),
            ("a.epd", "", "no openings"),
        ] {
            let (_dir, path) = write(name, text);
            let error = format!("{:#}", Openings::read(&path, CastlingMode::Standard, None).unwrap_err());
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
