//! Positions in bulletformat: 32 bytes each, seen from the side to move, which plays up the board as White.

use std::io::{BufReader, ErrorKind, Read, Write};

use bulletformat::{BulletFormat, ChessBoard};
use engine_core::chess::{Board, Colour, Piece, Role, Square};

use super::{
    format::{Damage, Source},
    game::{Game, Outcome, Sample, mix, score_seen_by},
    packed,
};

/// Bytes of a position.
pub const RECORD_BYTES: usize = size_of::<ChessBoard>();

/// A position as the file has it.
pub type Record = [u8; RECORD_BYTES];

/// A position with its labels, both for the side to move, as a record.
pub fn encode(board: &Board, score: i16, outcome: Outcome) -> Record {
    let us = board.side_to_move();
    let roles = Role::ALL.map(|role| board.role(role).0);
    let white = board.colour(Colour::White).0;
    let black = board.colour(Colour::Black).0;
    let boards = [white, black, roles[0], roles[1], roles[2], roles[3], roles[4], roles[5]];
    let white_result = f32::from(outcome.seen_by(us) as u8) / 2.0;
    let record = ChessBoard::from_raw(boards, us.index(), score_seen_by(score, us), white_result)
        .expect("a board has a role for every piece");
    let mut bytes = [0; RECORD_BYTES];
    bytes.copy_from_slice(ChessBoard::as_bytes_slice(&[record]));
    bytes
}

/// A number for what a net sees of a record: the placement as the side to move sees it. Castling rights, en passant and
/// counters are no part of it, and a position with colours swapped is the same position.
pub fn key(record: &Record) -> u64 {
    let (words, _) = record.as_chunks::<8>();
    words[..3].iter().fold(0, |key, word| mix(key ^ u64::from_le_bytes(*word)))
}

/// The score of a record, for the side to move.
pub fn score(record: &Record) -> i16 {
    i16::from_le_bytes([record[24], record[25]])
}

/// Reads a record: the board has the side to move as White.
///
/// # Errors
/// If it cannot be a position of chess, or its result is none.
pub fn decode(record: &Record) -> Result<Sample, String> {
    let (placement, _) = record.split_first_chunk().expect("a placement is shorter than a record");
    let mut squares = [None; 64];
    for (square, colour, code) in packed::pieces(placement)? {
        let role = *Role::ALL.get(usize::from(code)).ok_or_else(|| format!("an unknown piece on {square}"))?;
        squares[square.index()] = Some(Piece::new(colour, role));
    }
    let fen = format!("{} w - - 0 1", packed::placement(&squares));
    let board = Board::from_fen(&fen).map_err(|error| format!("{fen}: {error}"))?;
    let kings = [board.king(Colour::White), board.king(Colour::Black)].map(Square::index);
    if [usize::from(record[27]), usize::from(record[28]) ^ 56] != kings {
        return Err(format!("{fen}: a king is not where the record says"));
    }
    let outcome = Outcome::from_number(record[26]).ok_or_else(|| format!("result {}, not 0, 1 or 2", record[26]))?;
    Ok(Sample { board, played: None, score: Some(score(record)), outcome, ply: None })
}

/// Writes the positions of a game. Says how many have no score and are left out.
///
/// # Errors
/// On failing to write.
pub fn write(out: &mut dyn Write, game: &Game) -> anyhow::Result<usize> {
    let mut unscored = 0;
    for sample in &game.samples {
        match sample.score {
            Some(score) => out.write_all(&encode(&sample.board, score, sample.outcome))?,
            None => unscored += 1,
        }
    }
    Ok(unscored)
}

/// Reads positions one after another.
#[derive(Debug)]
pub struct BulletReader<R> {
    input: BufReader<R>,
    /// For warnings.
    name: String,
    records: u64,
}

impl<R: Read> BulletReader<R> {
    /// A reader that calls its file `name`.
    pub fn new(input: R, name: String) -> BulletReader<R> {
        BulletReader { input: BufReader::with_capacity(1 << 18, input), name, records: 0 }
    }

    /// The next record, unless only a part of one is left.
    fn record(&mut self) -> anyhow::Result<Option<Record>> {
        let mut record = [0; RECORD_BYTES];
        let mut filled = 0;
        while filled < RECORD_BYTES {
            match self.input.read(&mut record[filled..]) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if filled != 0 && filled != RECORD_BYTES {
            tracing::warn!("{}: the last {filled} bytes are no whole position and are left out", self.name);
        }
        Ok((filled == RECORD_BYTES).then_some(record))
    }
}

impl<R: Read> Source for BulletReader<R> {
    fn next(&mut self, game: &mut Game) -> anyhow::Result<bool> {
        game.samples.clear();
        let Some(record) = self.record()? else { return Ok(false) };
        let offset = Some(self.records * RECORD_BYTES as u64);
        self.records += 1;
        let sample = decode(&record).map_err(|problem| Damage { number: self.records, offset, line: None, problem })?;
        game.samples.push(sample);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_record_is_the_position_as_the_side_to_move_sees_it() {
        let black = Board::from_fen("4k3/p7/8/8/8/8/6PP/4K2R b K - 0 9").unwrap();
        let white = Board::from_fen("4k2r/6pp/8/8/8/8/P7/4K3 w - - 0 1").unwrap();
        let record = encode(&black, -40, Outcome::Loss);
        assert_eq!(record, encode(&white, -40, Outcome::Loss));
        let expected = Sample { board: white, played: None, score: Some(-40), outcome: Outcome::Loss, ply: None };
        assert_eq!(decode(&record), Ok(expected));
    }

    #[test]
    fn the_key_is_of_the_placement_alone() {
        let key = |fen, score, outcome| key(&encode(&Board::from_fen(fen).unwrap(), score, outcome));
        let one = key("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 10, Outcome::Win);
        assert_eq!(key("r3k2r/8/8/8/8/8/8/R3K2R b - - 30 40", 20, Outcome::Draw), one, "symmetric");
        assert_ne!(key("r3k2r/8/8/8/8/8/8/R3K1R1 w Qkq - 0 1", 10, Outcome::Win), one);
        assert_ne!(key("r3k2r/8/8/8/8/8/8/R3K2Q w Qkq - 0 1", 10, Outcome::Win), one);
    }

    #[test]
    fn what_is_no_position_is_named() {
        let record = encode(&Board::start(), 0, Outcome::Draw);
        let changed = |at: usize, value: u8| {
            let mut record = record;
            record[at] = value;
            decode(&record).unwrap_err()
        };
        assert_eq!(changed(2, 1), "33 pieces");
        assert_eq!(changed(8, 0x16), "an unknown piece on a1");
        assert_eq!(changed(26, 3), "result 3, not 0, 1 or 2");
        assert!(changed(27, 5).ends_with("a king is not where the record says"));
        assert!(changed(10, 0x24).contains("must have one king"), "a queen in the king's place");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(record in any::<Record>()) {
            // Bytes at random are never a position: that would take two kings where they are said to be, and more.
            prop_assert!(decode(&record).is_err());
        }
    }
}
