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

/// The whole rank, file or diagonal through two different squares; empty if they share none or are the same.
#[inline]
#[must_use]
pub fn line(a: Square, b: Square) -> Bitboard {
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
    let low = a.min(b).index();
    let high = a.max(b).index();
    // On a line the squares between two others are those whose index lies between theirs.
    let indices = ((1u64 << high) - 1) & !((2u64 << low).wrapping_sub(1));
    line(a, b) & Bitboard(indices)
}
