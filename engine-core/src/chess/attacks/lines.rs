//! The squares in line with, and between, two squares.

use crate::chess::{Bitboard, Square};

/// The diagonal from a1 to h8.
const DIAGONAL: u64 = 0x8040_2010_0804_0201;
/// The diagonal from h1 to a8.
const ANTI_DIAGONAL: u64 = 0x0102_0408_1020_4080;

/// A diagonal of the board moved up by `ranks` (down where negative).
const fn shifted(diagonal: u64, ranks: i8) -> Bitboard {
    Bitboard(if ranks >= 0 { diagonal << (8 * ranks) } else { diagonal >> (-8 * ranks) })
}

/// The squares of the diagonal through `square` that runs the way of a1-h8.
pub(super) const fn diagonal(square: Square) -> Bitboard {
    shifted(DIAGONAL, square.rank().index() as i8 - square.file().index() as i8)
}

/// The squares of the diagonal through `square` that runs the way of h1-a8.
pub(super) const fn anti_diagonal(square: Square) -> Bitboard {
    shifted(ANTI_DIAGONAL, square.rank().index() as i8 + square.file().index() as i8 - 7)
}

/// The two diagonals through each square.
pub(super) static DIAGONALS: [[Bitboard; 2]; 64] = {
    let mut table = [[Bitboard::EMPTY; 2]; 64];
    let mut index = 0;
    while index < 64 {
        let square = Square::new(index as u8);
        table[index] = [diagonal(square), anti_diagonal(square)];
        index += 1;
    }
    table
};

/// The squares that a bishop on `square` would attack on an empty board.
#[inline]
#[must_use]
pub fn diagonals(square: Square) -> Bitboard {
    let [diagonal, anti_diagonal] = DIAGONALS[square.index()];
    diagonal ^ anti_diagonal
}

/// The squares that a rook on `square` would attack on an empty board.
#[inline]
#[must_use]
pub fn straights(square: Square) -> Bitboard {
    Bitboard::rank(square.rank()) ^ Bitboard::file(square.file())
}

/// The whole rank, file or diagonal through two different squares; empty if they share none or are the same.
#[inline]
#[must_use]
pub const fn line(a: Square, b: Square) -> Bitboard {
    let files = b.file().index() as i8 - a.file().index() as i8;
    let ranks = b.rank().index() as i8 - a.rank().index() as i8;
    if files == 0 && ranks == 0 {
        Bitboard::EMPTY
    } else if files == 0 {
        Bitboard::file(a.file())
    } else if ranks == 0 {
        Bitboard::rank(a.rank())
    } else if files == ranks {
        diagonal(a)
    } else if files == -ranks {
        anti_diagonal(a)
    } else {
        Bitboard::EMPTY
    }
}

/// The squares strictly between two squares in line; empty if they are not in line.
#[inline]
#[must_use]
pub fn between(a: Square, b: Square) -> Bitboard {
    #[cfg(feature = "large-tables")]
    return BETWEEN[a.index()][b.index()];
    #[cfg(not(feature = "large-tables"))]
    inner_line(a, b)
}

#[cfg(feature = "large-tables")]
static BETWEEN: [[Bitboard; 64]; 64] = {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut pair = 0;
    while pair < 64 * 64 {
        let (a, b) = (pair / 64, pair % 64);
        table[a][b] = inner_line(Square::new(a as u8), Square::new(b as u8));
        pair += 1;
    }
    table
};

const fn inner_line(a: Square, b: Square) -> Bitboard {
    let (low, high) = if a.index() < b.index() { (a.index(), b.index()) } else { (b.index(), a.index()) };
    // On a line the squares between two others are those whose index lies between theirs.
    let indices = ((1u64 << high) - 1) & !((2u64 << low).wrapping_sub(1));
    Bitboard(line(a, b).0 & indices)
}
