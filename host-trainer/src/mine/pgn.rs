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
    assemble(&tags, &movetext(&game.line, 0, Some(&game.verdict), comment))
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{
        arena::game::{Ending, Verdict},
        engine::info::Score,
        epd,
        line::{Line, Ruling},
        mine::game::Note,
    };

    fn mate() -> Game {
        let start =
            epd::parse_position("rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2", CastlingMode::Standard);
        let mut line = Line::new(start.unwrap());
        for text in ["g4", "Qh4#"] {
            line.play(epd::parse_move(text, line.position()).unwrap());
        }
        let notes = vec![Note { score: Score::Centipawns(35), depth: 5 }, Note { score: Score::Mate(1), depth: 6 }];
        Game { line, notes, verdict: Verdict::of_ruling(Ruling::Checkmate, shakmaty::Color::White) }
    }

    #[test]
    fn a_game_with_its_scores() {
        let expected = "\
[Event \"Knightlight mine\"]
[Site \"?\"]
[Date \"????.??.??\"]
[Round \"8\"]
[White \"T\"]
[Black \"T\"]
[Result \"0-1\"]
[SetUp \"1\"]
[FEN \"rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2\"]
[Termination \"normal\"]

2. g4 {+0.35/5} 2... Qh4# {+M1/6} {Black mates} 0-1

";
        assert_eq!(format(7, "T", &mate()), expected);
        assert_eq!(mate().verdict.ending, Ending::Ruling(Ruling::Checkmate));
    }

    #[test]
    fn a_file_is_cut_to_its_first_games() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("worker-1.pgn");
        let mut file = PgnFile::open(&path, 0, "T").unwrap();
        for number in 0..3 {
            file.add(number, &mate()).unwrap();
        }
        let whole = std::fs::read_to_string(&path).unwrap();
        let one = whole.len() / 3;
        for (kept, torn) in [(2, whole.len()), (1, one + 10), (1, 2 * one), (0, 40)] {
            std::fs::write(&path, &whole[..torn]).unwrap();
            PgnFile::open(&path, kept, "T").unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole[..kept as usize * one]);
        }
    }
}
