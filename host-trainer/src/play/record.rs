//! A person's game as PGN text, and the files it goes to.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::Path,
};

use shakmaty::{CastlingMode, Color};
use time::OffsetDateTime;

use crate::{
    arena::{
        game::{MoveNote, Verdict},
        pgn::{assemble, comment, movetext, termination},
    },
    engine::limits::Limits,
    line::Line,
};

/// Everything that a game's text says.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The person's name.
    pub person: &'a str,
    /// The person's colour.
    pub side: Color,
    /// The opponent's name.
    pub opponent: &'a str,
    /// What bounds the opponent's thinking.
    pub limits: &'a Limits,
    /// Start and moves.
    pub line: &'a Line,
    /// A note for each move.
    pub notes: &'a [MoveNote],
    /// `None`: the game is not over.
    pub verdict: Option<&'a Verdict>,
    /// When it was played.
    pub date: OffsetDateTime,
}

impl Record<'_> {
    /// The game as text, with the blank line behind it.
    #[must_use]
    pub fn pgn(&self) -> String {
        let (white, black) = self.side.fold_wb((self.person, self.opponent), (self.opponent, self.person));
        let date = self.date;
        let mut tags = vec![
            ("Event", "Knightlight play".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", format!("{:04}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day())),
            ("Round", "-".to_owned()),
            ("White", white.to_owned()),
            ("Black", black.to_owned()),
            ("Result", self.verdict.map_or("*", Verdict::result).to_owned()),
        ];
        if self.line.mode() == CastlingMode::Chess960 {
            tags.push(("Variant", "Chess960".to_owned()));
        }
        if let Some(fen) = self.line.start_fen() {
            tags.push(("SetUp", "1".to_owned()));
            tags.push(("FEN", fen));
        }
        tags.push(("PlyCount", self.line.plies().len().to_string()));
        tags.push(("Termination", self.verdict.map_or("unterminated", termination).to_owned()));
        tags.push((self.side.fold_wb("BlackTimeControl", "WhiteTimeControl"), self.limits.to_string()));
        let comments = |ply: usize| self.notes.get(ply).map(comment);
        assemble(&tags, &movetext(self.line, 0, self.verdict, comments))
    }
}

/// Adds a game to a file in one write, so that the file is whole whenever we are stopped.
///
/// # Errors
/// If the file cannot be written.
pub fn append(path: &Path, pgn: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(pgn.as_bytes())?;
    file.flush()
}
