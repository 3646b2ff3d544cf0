//! The hand-written evaluation: material and piece-square tables, tapered from the middlegame to the endgame.
//!
//! Source of tapering: <https://www.chessprogramming.org/Tapered_Eval>.

use super::tables::Tables;
use crate::chess::{Board, Changes, Colour, Piece, Placed, Role, Square};

/// What a piece of each role adds to the phase: the start position has [`PHASE_OF_START`], bare kings have none.
pub const PHASE: [i16; 6] = [0, 1, 1, 2, 4, 0];

/// The phase of the start position, and the most that counts.
pub const PHASE_OF_START: i16 = 24;

/// Where a piece's value is in the table of its role.
#[must_use]
pub const fn table_index(colour: Colour, square: Square) -> usize {
    // The tables are written as White sees the board, with the eighth rank on top.
    square.relative_to(colour).flip_rank().index()
}

/// Sums over all pieces, from White's view: all that the evaluation needs, and cheap to carry along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Classical {
    middlegame: i16,
    endgame: i16,
    phase: i16,
}

impl Classical {
    /// The sums of a position, from scratch.
    pub(super) fn of(board: &Board, tables: &Tables) -> Self {
        let mut sums = Self::default();
        for square in board.occupied() {
            if let Some(piece) = board.piece_on(square) {
                sums.add(tables, (piece, square), 1);
            }
        }
        sums
    }

    /// The sums after a move.
    pub(super) fn apply(&mut self, tables: &Tables, changes: &Changes) {
        let (mover, second) = changes.removed;
        self.add(tables, mover, -1);
        if let Some(second) = second {
            self.add(tables, second, -1);
        }
        let (mover, second) = changes.added;
        self.add(tables, mover, 1);
        if let Some(second) = second {
            self.add(tables, second, 1);
        }
    }

    fn add(&mut self, tables: &Tables, (piece, square): Placed, times: i16) {
        let (middlegame, endgame) = worth(tables, piece, square);
        self.middlegame += times * middlegame;
        self.endgame += times * endgame;
        self.phase += times * PHASE[piece.role.index()];
    }

    /// The evaluation for the side to move, in centipawns.
    pub(super) fn evaluate(self, board: &Board, tables: &Tables) -> i32 {
        let phase = i32::from(self.phase.min(PHASE_OF_START));
        let full = i32::from(PHASE_OF_START);
        let tapered = (i32::from(self.middlegame) * phase + i32::from(self.endgame) * (full - phase)) / full;
        let ours = if board.side_to_move() == Colour::White { tapered } else { -tapered };
        super::with_teeth(ours, board) + i32::from(tables.tempo)
    }
}

/// The worth of a piece on a square, in the middlegame and the endgame, from White's view.
fn worth(tables: &Tables, piece: Piece, square: Square) -> (i16, i16) {
    let role: Role = piece.role;
    let index = table_index(piece.colour, square);
    let (middlegame, endgame) = (tables.middlegame[role.index()][index], tables.endgame[role.index()][index]);
    match piece.colour {
        Colour::White => (middlegame, endgame),
        Colour::Black => (-middlegame, -endgame),
    }
}
