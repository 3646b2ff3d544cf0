//! Positions as the network sees them, read from the 32-byte records of `bulletformat`.
//!
//! A record shows the board from the side to move: its pieces are White's, and it moves up the board. So the side to
//! move has White's perspective here, and the other side Black's.

use bulletformat::ChessBoard;
use engine_core::{
    chess::{Colour, Piece, Role, Square},
    net::features::{INPUTS, MAX_ACTIVE, Perspective},
};

use crate::train::sparse::{Activation, Counted, Seen};

/// Bytes of a record.
pub const RECORD: usize = size_of::<ChessBoard>();

/// One position to learn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// The active inputs of the side to move, then those of the other side; the first [`pieces`](Self::pieces) count.
    inputs: [[u16; MAX_ACTIVE]; 2],
    /// Pieces on the board, both kings counted.
    pieces: u8,
    /// What a search found, in centipawns for the side to move.
    pub score: i16,
    /// How the game ended for the side to move: 0 lost, 1 drawn, 2 won.
    pub result: u8,
}

/// What no record can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// A nibble that names no piece.
    #[error("piece {0} does not exist (0 to 5 of the side to move, 8 to 13 of the other side)")]
    Piece(u8),
    /// More pieces than a game begins with.
    #[error("{0} pieces stand on the board; a game has 32 at most")]
    Pieces(u32),
    /// Kings too many or too few.
    #[error("each side must have one king, and here the side to move has {0} and the other side {1}")]
    Kings(u32, u32),
    /// A pawn where none can be.
    #[error("a pawn stands on {0}")]
    Pawn(Square),
    /// A result beyond a win.
    #[error("the result is {0} (0 lost, 1 drawn, 2 won)")]
    Result(u8),
}

/// Divides a record into its fields.
#[must_use]
pub fn parse(record: &[u8; RECORD]) -> ChessBoard {
    ChessBoard {
        occ: u64::from_le_bytes(field(record, 0)),
        pcs: field(record, 8),
        score: i16::from_le_bytes(field(record, 24)),
        result: record[26],
        ksq: record[27],
        opp_ksq: record[28],
        extra: field(record, 29),
    }
}

/// The bytes of a record from one on.
fn field<const N: usize>(record: &[u8; RECORD], from: usize) -> [u8; N] {
    std::array::from_fn(|byte| record[from + byte])
}

impl Example {
    /// What the network sees of a record.
    pub fn new(board: &ChessBoard) -> Result<Example, Impossible> {
        let pieces = board.occ.count_ones();
        if pieces > MAX_ACTIVE as u32 {
            return Err(Impossible::Pieces(pieces));
        }
        if board.result > 2 {
            return Err(Impossible::Result(board.result));
        }
        let mut men = [(Piece::new(Colour::White, Role::Pawn), Square::A1); MAX_ACTIVE];
        let mut kings = [(0, Square::A1); 2];
        for (man, (code, square)) in men.iter_mut().zip(*board) {
            let piece = piece(code).ok_or(Impossible::Piece(code))?;
            let square = Square::new(square);
            if piece.role == Role::King {
                let (count, stands) = &mut kings[piece.colour.index()];
                (*count, *stands) = (*count + 1, square);
            }
            if piece.role == Role::Pawn && matches!(square.rank().index(), 0 | 7) {
                return Err(Impossible::Pawn(square));
            }
            *man = (piece, square);
        }
        let [(1, us), (1, them)] = kings else { return Err(Impossible::Kings(kings[0].0, kings[1].0)) };

        let views = [Perspective::new(Colour::White, us), Perspective::new(Colour::Black, them)];
        let mut inputs = [[0; MAX_ACTIVE]; 2];
        for (inputs, view) in inputs.iter_mut().zip(views) {
            for (input, &(piece, square)) in inputs.iter_mut().zip(&men[..pieces as usize]) {
                *input = view.input(piece, square) as u16;
            }
        }
        Ok(Example { inputs, pieces: pieces as u8, score: board.score, result: board.result })
    }

    /// The active inputs of the side to move (`0`) or of the other side (`1`), each below [`INPUTS`].
    #[inline]
    #[must_use]
    pub fn inputs(&self, side: usize) -> &[u16] {
        &self.inputs[side][..usize::from(self.pieces)]
    }

    /// Pieces on the board, both kings counted.
    #[inline]
    #[must_use]
    pub fn pieces(&self) -> u32 {
        self.pieces.into()
    }

    /// What a net should expect of the game, between 0 and 1: the score as a logistic function has it, and `wdl` of the
    /// result in it. `scale` is how many centipawns one unit of log odds is.
    #[must_use]
    pub fn target(&self, wdl: f32, scale: f32) -> f32 {
        let expected = 1.0 / (1.0 + (-f32::from(self.score) / scale).exp());
        let happened = f32::from(self.result) / 2.0;
        (1.0 - wdl) * expected + wdl * happened
    }
}

impl Seen for Vec<Example> {
    const INPUTS: usize = INPUTS;
    const SIDES: usize = 2;
    const ACTIVATION: Activation = Activation::Screlu;

    fn positions(&self) -> usize {
        self.len()
    }

    #[inline]
    fn inputs(&self, position: usize, side: usize) -> &[u16] {
        self[position].inputs(side)
    }
}

impl Counted for Vec<Example> {
    fn pieces(&self, position: usize) -> u32 {
        self[position].pieces()
    }
}

/// The piece of a record's nibble.
fn piece(code: u8) -> Option<Piece> {
    let colour = if code & 8 == 0 { Colour::White } else { Colour::Black };
    Role::ALL.get(usize::from(code & 7)).map(|&role| Piece::new(colour, role))
}

// Inputs are kept in 16 bits.
const _: () = assert!(INPUTS <= u16::MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;
    use engine_core::chess::Board;

    fn record(text: &str) -> ChessBoard {
        text.parse().expect("a position, a score, a result")
    }

    #[test]
    fn inputs_are_those_of_the_engine() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        ] {
            let board = Board::from_fen(fen).expect("a position");
            let example = Example::new(&record(&format!("{fen} | 35 | 1.0"))).expect("possible");
            for (side, colour) in [board.side_to_move(), !board.side_to_move()].into_iter().enumerate() {
                let mut seen: Vec<usize> = example.inputs(side).iter().map(|&input| input.into()).collect();
                let mut expected: Vec<usize> = Perspective::of(&board, colour).active(&board).collect();
                seen.sort_unstable();
                expected.sort_unstable();
                assert_eq!(seen, expected, "{fen}, {colour:?}");
            }
        }
    }

    #[test]
    fn a_target_blends_score_and_result() {
        let lost_for_black = Example::new(&record("4k3/8/8/8/8/8/8/4K2R b - - 0 1 | 500 | 1.0")).expect("possible");
        assert_eq!((lost_for_black.score, lost_for_black.result), (-500, 0));
        let expected = 1.0 / (1.0 + 1.25f32.exp());
        assert!((lost_for_black.target(0.0, 400.0) - expected).abs() < 1e-6);
        assert!((lost_for_black.target(0.25, 400.0) - 0.75 * expected).abs() < 1e-6);
    }

    #[test]
    fn a_record_survives_its_bytes() {
        let board = record("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3 | -17 | 0.5");
        let mut bytes = [0; RECORD];
        bytes[..8].copy_from_slice(&board.occ.to_le_bytes());
        bytes[8..24].copy_from_slice(&board.pcs);
        bytes[24..26].copy_from_slice(&board.score.to_le_bytes());
        bytes[26..29].copy_from_slice(&[board.result, board.ksq, board.opp_ksq]);
        assert_eq!(parse(&bytes), board);
    }

    #[test]
    fn impossible_boards_are_named() {
        let good = record("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 100 | 1.0");
        let nameless = ChessBoard { pcs: [0x65; 16], ..good };
        assert_eq!(Example::new(&nameless), Err(Impossible::Piece(6)));
        let crowded = ChessBoard { occ: u64::MAX, ..good };
        assert_eq!(Example::new(&crowded), Err(Impossible::Pieces(64)));
        let kings = ChessBoard { pcs: [0x55; 16], ..good };
        assert_eq!(Example::new(&kings), Err(Impossible::Kings(3, 0)));
        let pawn = ChessBoard { pcs: [0; 16], ..good };
        assert_eq!(Example::new(&pawn), Err(Impossible::Pawn(Square::from_name(b"e1").expect("a square"))));
        let result = ChessBoard { result: 3, ..good };
        assert_eq!(Example::new(&result), Err(Impossible::Result(3)));
    }
}
