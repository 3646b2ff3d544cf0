//! Mined games for people: PGN text with each position's score and depth in a comment.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Seek, SeekFrom, Write},
    path::Path,
};

use super::game::Game;
use crate::arena::pgn::{assemble, movetext, termination};

/// How every game begins.
const GAME_START: &[u8] = b"[Event ";

/// A file that games are added to, each in one write.
#[derive(Debug)]
pub struct PgnFile {
    file: File,
    teacher: String,
}

impl PgnFile {
    /// Opens a file, or makes it, and keeps the first `games` of its games.
    pub fn open(path: &Path, games: u64, teacher: &str) -> io::Result<PgnFile> {
        let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
        let length = length_of(&mut BufReader::new(&file), games)?;
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(PgnFile { file, teacher: teacher.to_owned() })
    }

    /// Adds a game of this number, from 0.
    pub fn add(&mut self, number: u64, game: &Game) -> io::Result<()> {
        self.file.write_all(format(number, &self.teacher, game).as_bytes())
    }
}

/// The bytes of the first games.
fn length_of(reader: &mut impl BufRead, games: u64) -> io::Result<u64> {
    let (mut length, mut seen) = (0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if line.starts_with(GAME_START) {
            seen += 1;
        }
        if read == 0 || seen > games {
            return Ok(length);
        }
        length += read as u64;
    }
}

fn format(number: u64, teacher: &str, game: &Game) -> String {
    let mut tags = vec![
        ("Event", "Knightlight mine".to_owned()),
        ("Site", "?".to_owned()),
        ("Date", "????.??.??".to_owned()),
        ("Round", (number + 1).to_string()),
        ("White", teacher.to_owned()),
        ("Black", teacher.to_owned()),
        ("Result", game.verdict.result().to_owned()),
    ];
    if let Some(fen) = game.line.start_fen() {
        tags.push(("SetUp", "1".to_owned()));
        tags.push(("FEN", fen));
    }
    tags.push(("Termination", termination(&game.verdict).to_owned()));
    let comment = |ply: usize| game.notes.get(ply).map(|note| format!("{{{}/{}}}", note.score, note.depth));
    assemble(&tags, &movetext(&game.line, 0, &game.verdict, comment))
}
