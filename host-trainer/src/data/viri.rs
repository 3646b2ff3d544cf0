//! Games in viriformat: a start position of 32 bytes, moves with scores of 4 bytes each, 4 zero bytes.
//!
//! The start position is marlinformat's packed board: occupied squares (8 bytes), a nibble for each piece in the order
//! of the squares (16 bytes: its role, or 6 for a rook that may castle; 8 added for Black), a byte for the side to move
//! (128 for Black) and the en passant square (64 for none), halfmove clock (1), fullmove number (2), score (2), White's
//! result (1), unused (1). Numbers are little-endian; scores are White's.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};

use anyhow::{Context, anyhow};
use engine_core::chess::{Board, Colour, Move, MoveKind, Piece, Role, Square};
use viriformat::{
    chess::{
        board::{Board as ViriBoard, DrawType, GameOutcome, WinType},
        chessmove::Move as ViriMove,
    },
    dataformat::Game as ViriGame,
};

use super::{
    format::{Damage, Source},
    game::{Game, Outcome, Sample, ply_of, score_seen_by},
    packed,
};

const START_BYTES: usize = 32;
const PLY_BYTES: usize = 4;
/// The nibble of a rook that may still castle.
const CASTLING_ROOK: u8 = 6;

/// Reads games one after another.
#[derive(Debug)]
pub struct ViriReader<R> {
    input: BufReader<R>,
    /// For warnings.
    name: String,
    /// Where the next game starts in the file.
    offset: u64,
    games: u64,
    bytes: Vec<u8>,
}

impl<R: Read> ViriReader<R> {
    /// A reader that calls its file `name`.
    pub fn new(input: R, name: String) -> ViriReader<R> {
        ViriReader { input: BufReader::with_capacity(1 << 18, input), name, offset: 0, games: 0, bytes: Vec::new() }
    }

    fn damage(&self, problem: String) -> Damage {
        Damage { number: self.games + 1, offset: Some(self.offset), line: None, problem }
    }
}

impl<R: Read> Source for ViriReader<R> {
    /// Reads a game. Half a game at the end of the file is that of a run that still goes on or was killed: it is left
    /// out with a warning. The crate's own reader trusts what it reads; this one plays every move by the rules.
    fn next(&mut self, game: &mut Game) -> anyhow::Result<bool> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(false);
        }
        self.bytes.clear();
        let whole = match ViriGame::deserialise_fast_into_buffer(&mut self.input, &mut self.bytes) {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => false,
            Err(error) => return Err(error.into()),
        };
        let plies_end = if whole { self.bytes.len() - PLY_BYTES } else { self.bytes.len() };
        if let Some((start, plies)) = self.bytes[..plies_end].split_first_chunk() {
            replay(start, plies, game).map_err(|problem| self.damage(problem))?;
        }
        if !whole {
            let (name, number, offset) = (&self.name, self.games + 1, self.offset);
            tracing::warn!("{name}: game {number} (byte {offset}) is not whole and is left out");
            game.samples.clear();
            return Ok(false);
        }
        self.offset += self.bytes.len() as u64;
        self.games += 1;
        Ok(true)
    }
}

/// Plays the moves of a game and takes down its positions.
fn replay(start: &[u8; START_BYTES], plies: &[u8], game: &mut Game) -> Result<(), String> {
    game.samples.clear();
    let (mut board, white_outcome) = unpack(start)?;
    for (ply, bytes) in (ply_of(&board)..).zip(plies.as_chunks::<PLY_BYTES>().0) {
        let mv = decode_move(u16::from_le_bytes([bytes[0], bytes[1]]));
        if !board.is_legal(mv) {
            return Err(format!("{mv:?} is not legal in {}", board.fen()));
        }
        let us = board.side_to_move();
        let score = score_seen_by(i16::from_le_bytes([bytes[2], bytes[3]]), us);
        game.samples.push(Sample {
            board,
            played: Some(mv),
            score: Some(score),
            outcome: white_outcome.seen_by(us),
            ply: Some(ply),
        });
        board.play(mv);
    }
    Ok(())
}

/// The start position and White's result. A board is made through FEN, which checks that it can be one.
fn unpack(bytes: &[u8; START_BYTES]) -> Result<(Board, Outcome), String> {
    let (packed, _) = bytes.split_first_chunk().expect("a placement is shorter than a start position");
    let mut squares = [None; 64];
    let mut castling = String::new();
    for (square, colour, code) in packed::pieces(packed)? {
        let role = if code == CASTLING_ROOK {
            let file = square.file().letter();
            castling.push(if colour == Colour::White { file.to_ascii_uppercase() } else { file });
            Role::Rook
        } else {
            *Role::ALL.get(usize::from(code)).ok_or_else(|| format!("an unknown piece on {square}"))?
        };
        squares[square.index()] = Some(Piece::new(colour, role));
    }
    let outcome = Outcome::from_number(bytes[30]).ok_or_else(|| format!("result {}, not 0, 1 or 2", bytes[30]))?;
    let en_passant = bytes[24] & 127;
    let fen = format!(
        "{} {} {} {} {} {}",
        packed::placement(&squares),
        if bytes[24] < 128 { 'w' } else { 'b' },
        if castling.is_empty() { "-" } else { &castling },
        if en_passant < 64 { Square::new(en_passant).to_string() } else { "-".to_owned() },
        bytes[25],
        u16::from_le_bytes([bytes[26], bytes[27]]),
    );
    let board = Board::from_fen(&fen).map_err(|error| format!("start position {fen}: {error}"))?;
    Ok((board, outcome))
}

/// From (6 bits), to (6 bits), the role of a promotion (2 bits, the knight first), kind (2 bits).
fn decode_move(bits: u16) -> Move {
    const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    let square = |shift: u16| Square::new((bits >> shift & 63) as u8);
    let (from, to) = (square(0), square(6));
    match bits >> 14 {
        0 => Move::normal(from, to),
        1 => Move::en_passant(from, to),
        2 => Move::castling(from, to),
        _ => Move::promotion(from, to, PROMOTIONS[usize::from(bits >> 12 & 3)]),
    }
}

fn encode_move(mv: Move) -> u16 {
    let kind = match mv.kind() {
        MoveKind::Normal => 0,
        MoveKind::EnPassant => 1 << 14,
        MoveKind::Castling => 2 << 14,
        // The knight is 1 among all roles and 0 here.
        MoveKind::Promotion(role) => 3 << 14 | (role.index() as u16 - 1) << 12,
    };
    mv.from().index() as u16 | (mv.to().index() as u16) << 6 | kind
}

/// Writes a game. Moves at its start that have no score (those of an opening book) are left out: it then starts behind
/// them. Says how many were.
///
/// # Errors
/// If a later move has no score or a position no move, or on failing to write.
pub fn write(mut out: &mut dyn Write, game: &Game) -> anyhow::Result<usize> {
    let scored = game.samples.iter().position(|sample| sample.score.is_some()).unwrap_or(game.samples.len());
    let samples = &game.samples[scored..];
    let (Some(first), Some(outcome)) = (samples.first(), game.white_outcome()) else { return Ok(scored) };
    let start = first.board.shredder_fen().to_string();
    let mut board = ViriBoard::new();
    board.set_from_fen(&start, true).with_context(|| start.clone())?;
    let mut packed = ViriGame::new(&board);
    packed.set_outcome(match outcome {
        Outcome::Win => GameOutcome::WhiteWin(WinType::Adjudication),
        Outcome::Draw => GameOutcome::Draw(DrawType::Adjudication),
        Outcome::Loss => GameOutcome::BlackWin(WinType::Adjudication),
    });
    for sample in samples {
        let missing =
            |what| anyhow!("viriformat wants a {what} for every position, and {} has none", sample.board.fen());
        let mv = sample.played.ok_or_else(|| missing("move"))?;
        let score = sample.score.ok_or_else(|| missing("score"))?;
        let mv = ViriMove::from_raw(encode_move(mv)).ok_or_else(|| missing("move"))?;
        packed.add_move(mv, score_seen_by(score, sample.board.side_to_move()));
    }
    packed.serialise_into(&mut out)?;
    Ok(scored)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> anyhow::Result<Vec<Game>> {
        let mut reader = ViriReader::new(bytes, "test.viri".to_owned());
        let mut games = Vec::new();
        let mut game = Game::default();
        while reader.next(&mut game)? {
            games.push(game.clone());
        }
        Ok(games)
    }

    /// A game with castling on both wings, en passant and an under-promotion, its scores the numbers of its plies.
    fn game() -> Game {
        let mut board = Board::from_fen("r3k2r/1P2p3/8/3P4/8/8/8/R3K2R b KQkq - 3 20").unwrap();
        let mut samples = Vec::new();
        for (index, text) in ["e7e5", "d5e6", "e8g8", "e1c1", "f8f7", "b7a8n"].iter().enumerate() {
            let mv = board.parse_move(text.as_bytes()).unwrap();
            let outcome = Outcome::Win.seen_by(board.side_to_move());
            let ply = Some(ply_of(&board));
            samples.push(Sample { board, played: Some(mv), score: Some(index as i16 - 3), outcome, ply });
            board.play(mv);
        }
        Game { samples }
    }

    fn bytes(game: &Game) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, game).unwrap();
        bytes
    }

    #[test]
    fn a_written_game_reads_as_it_was() {
        let game = game();
        assert_eq!(read(&bytes(&game)).unwrap(), [game]);
    }

    #[test]
    fn moves_of_a_book_are_left_out_and_gaps_are_refused() {
        let mut game = game();
        for sample in &mut game.samples[..2] {
            sample.score = None;
        }
        let mut out = Vec::new();
        assert_eq!(write(&mut out, &game).unwrap(), 2);
        assert_eq!(read(&out).unwrap()[0].samples, game.samples[2..]);
        game.samples[4].score = None;
        assert!(write(&mut out, &game).unwrap_err().to_string().starts_with("viriformat wants a score"));
    }

    #[test]
    fn a_tail_that_is_no_game_is_damage_and_not_a_torn_game() {
        let mut torn = bytes(&game());
        let whole = torn.len();
        torn.extend(&bytes(&game())[..40]);
        assert_eq!(read(&torn).unwrap(), [game()]);
        torn[whole + 32] ^= 1;
        let error = read(&torn).unwrap_err().to_string();
        assert!(error.starts_with(&format!("number 2 (from byte {whole}) is damaged: ")), "{error}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(flips in prop::collection::vec((0usize..200, any::<u8>()), 0..8)) {
            let mut bytes = [bytes(&game()), bytes(&game())].concat();
            let length = bytes.len();
            for (at, value) in flips {
                bytes[at % length] = value;
            }
            // Whatever it reads is chess.
            for game in read(&bytes).unwrap_or_default() {
                for sample in game.samples {
                    prop_assert!(sample.played.is_some_and(|mv| sample.board.is_legal(mv)));
                }
            }
        }
    }
}
