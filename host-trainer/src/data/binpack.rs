//! Games in Stockfish's binpacks, read by the crate `sfbinpack`, which panics at damage inside a chunk.

use std::io::{Read, Seek};

use anyhow::Context;
use engine_core::chess::Board;
use sfbinpack::{ChunkReader, TrainingDataEntry, read_chunk_into};

use super::{
    format::{Damage, Source},
    game::{Game, Outcome, Sample},
};

/// The score that stands for none (Stockfish's `VALUE_NONE`).
const NO_SCORE: i16 = 32_002;

/// Reads games one after another. A game is a row of entries that follow from each other.
#[derive(Debug)]
pub struct BinpackReader<R> {
    file: R,
    chunk: Vec<u8>,
    reader: ChunkReader,
    chunks: u64,
    games: u64,
    /// The first entry of the next game.
    ahead: Option<TrainingDataEntry>,
}

impl<R: Read + Seek> BinpackReader<R> {
    /// A reader of a file.
    pub fn new(file: R) -> BinpackReader<R> {
        BinpackReader { file, chunk: Vec::new(), reader: ChunkReader::default(), chunks: 0, games: 0, ahead: None }
    }

    fn entry(&mut self) -> anyhow::Result<Option<TrainingDataEntry>> {
        while !self.reader.has_next(&self.chunk) {
            self.chunks += 1;
            let more = read_chunk_into(&mut self.file, &mut self.chunk);
            if !more.with_context(|| format!("chunk {}", self.chunks))? {
                return Ok(None);
            }
            self.reader = ChunkReader::default();
        }
        Ok(Some(self.reader.next(&self.chunk)))
    }
}

impl<R: Read + Seek> Source for BinpackReader<R> {
    fn next(&mut self, game: &mut Game) -> anyhow::Result<bool> {
        game.samples.clear();
        let first = match self.ahead.take() {
            Some(entry) => Some(entry),
            None => self.entry()?,
        };
        let Some(mut entry) = first else { return Ok(false) };
        self.games += 1;
        loop {
            let sample =
                sample(&entry).map_err(|problem| Damage { number: self.games, offset: None, line: None, problem })?;
            game.samples.push(sample);
            match self.entry()? {
                Some(next) if entry.is_continuation(&next) => entry = next,
                next => {
                    self.ahead = next;
                    return Ok(true);
                }
            }
        }
    }
}

fn sample(entry: &TrainingDataEntry) -> Result<Sample, String> {
    let fen = entry.pos.fen().map_err(|error| format!("{error:?}"))?;
    let board = Board::from_fen(&fen).map_err(|error| format!("{fen}: {error}"))?;
    let text = entry.mv.as_uci();
    let played = board.parse_move(text.as_bytes()).map_err(|_| format!("{text} is not legal in {fen}"))?;
    let outcome = match entry.result {
        -1 => Outcome::Loss,
        0 => Outcome::Draw,
        1 => Outcome::Win,
        other => return Err(format!("result {other}, not -1, 0 or 1")),
    };
    let score = (entry.score != NO_SCORE).then_some(entry.score);
    Ok(Sample { board, played: Some(played), score, outcome, ply: Some(entry.ply.into()) })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use sfbinpack::{
        CompressedTrainingDataEntryWriter,
        chess::{coords::Square, r#move::Move, position::Position},
    };

    use super::*;

    /// A game's entries; castling is written as the king taking its rook.
    fn entries(moves: &[(Move, i16)], result: i16) -> Vec<TrainingDataEntry> {
        let mut pos = Position::from_fen("r3k2r/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/R3K2R w KQkq - 0 9").unwrap();
        let mut entries = Vec::new();
        for (index, &(mv, score)) in moves.iter().enumerate() {
            let result = if index % 2 == 0 { result } else { -result };
            pos.set_ply(16 + index as u16);
            entries.push(TrainingDataEntry { pos, mv, score, ply: 16 + index as u16, result });
            pos.do_move(mv);
        }
        entries
    }

    #[test]
    fn games_come_out_as_they_went_in() {
        let mv = |from: u32, to: u32| Move::normal(Square::new(from), Square::new(to));
        let first = entries(&[(Move::castle(Square::new(4), Square::new(7)), 20), (mv(51, 43), -15)], 1);
        let second = entries(&[(mv(11, 19), NO_SCORE), (mv(51, 43), 31_999)], 0);
        let mut writer = CompressedTrainingDataEntryWriter::new_in_memory().unwrap();
        for entry in first.iter().chain(&second) {
            writer.write_entry(entry).unwrap();
        }
        let mut reader = BinpackReader::new(Cursor::new(writer.into_bytes().unwrap()));
        let mut game = Game::default();
        let mut read = Vec::new();
        while reader.next(&mut game).unwrap() {
            let row = |sample: &Sample| {
                let san = sample.played.map(|mv| sample.board.san(mv).to_string()).unwrap();
                (san, sample.score, sample.outcome, sample.ply)
            };
            read.push(game.samples.iter().map(row).collect::<Vec<_>>());
        }
        let row = |san: &str, score, outcome, ply| (san.to_owned(), score, outcome, Some(ply));
        let expected = [
            vec![row("O-O", Some(20), Outcome::Win, 16), row("d6", Some(-15), Outcome::Loss, 17)],
            vec![row("d3", None, Outcome::Draw, 16), row("d6", Some(31_999), Outcome::Draw, 17)],
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn what_is_no_binpack_is_refused() {
        let mut reader = BinpackReader::new(Cursor::new(b"BANPxxxxxxxx".to_vec()));
        let error = reader.next(&mut Game::default()).unwrap_err();
        assert!(format!("{error:#}").starts_with("chunk 1: "), "{error:#}");
    }
}
