//! Pieces that step: pawns, knights and kings.

use crate::chess::{Bitboard, Colour, Square};

const fn king_steps(from: Bitboard) -> Bitboard {
    let row = Bitboard(from.east().0 | from.west().0);
    let three = row.0 | from.0;
    Bitboard(row.0 | three << 8 | three >> 8)
}

const fn knight_steps(from: Bitboard) -> Bitboard {
    let one = from.east().0 | from.west().0;
    let two = from.east().east().0 | from.west().west().0;
    Bitboard(one << 16 | one >> 16 | two << 8 | two >> 8)
}

const fn pawn_steps(from: Bitboard, colour: Colour) -> Bitboard {
    let row = from.forward(colour);
    Bitboard(row.east().0 | row.west().0)
}

struct Steps {
    king: [Bitboard; 64],
    knight: [Bitboard; 64],
    pawn: [[Bitboard; 64]; 2],
}

static STEPS: Steps = {
    let empty = [Bitboard::EMPTY; 64];
    let mut steps = Steps { king: empty, knight: empty, pawn: [empty; 2] };
    let mut index = 0;
    while index < 64 {
        let from = Bitboard(1 << index);
        steps.king[index] = king_steps(from);
        steps.knight[index] = knight_steps(from);
        steps.pawn[0][index] = pawn_steps(from, Colour::White);
        steps.pawn[1][index] = pawn_steps(from, Colour::Black);
        index += 1;
    }
    steps
};

/// The squares a king on `square` attacks.
#[inline]
#[must_use]
pub fn king(square: Square) -> Bitboard {
    STEPS.king[square.index()]
}

/// The squares a knight on `square` attacks.
#[inline]
#[must_use]
pub fn knight(square: Square) -> Bitboard {
    STEPS.knight[square.index()]
}

/// The squares a pawn of `colour` on `square` attacks.
#[inline]
#[must_use]
pub fn pawn(colour: Colour, square: Square) -> Bitboard {
    STEPS.pawn[colour.index()][square.index()]
}

/// The squares that the pawns of `colour` on `from` attack together.
#[inline]
#[must_use]
pub fn pawns(colour: Colour, from: Bitboard) -> Bitboard {
    pawn_steps(from, colour)
}
