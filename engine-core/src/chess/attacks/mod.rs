//! What a piece attacks from a square.
//!
//! Steps (pawn, knight, king) come from small tables. Slides (bishop, rook, queen) have two implementations
//! behind one function, chosen by the cargo feature `large-tables`; a property test holds them equal.

mod kindergarten;
mod lines;
#[cfg(feature = "large-tables")]
mod magic;
#[cfg(feature = "large-tables")]
mod multipliers;
#[cfg(test)]
mod rays;
mod steps;

pub use lines::{between, diagonals, line, straights};
pub use steps::{king, knight, pawn, pawns};

#[cfg(not(feature = "large-tables"))]
use kindergarten as sliding;
#[cfg(feature = "large-tables")]
use magic as sliding;

use super::{Bitboard, Role, Square};

/// The squares a bishop on `square` attacks, up to and including the first blocker each way.
#[inline]
#[must_use]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    sliding::bishop(square, occupied)
}

/// The squares a rook on `square` attacks, up to and including the first blocker each way.
#[inline]
#[must_use]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    sliding::rook(square, occupied)
}

/// The squares a queen on `square` attacks, up to and including the first blocker each way.
#[inline]
#[must_use]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// The squares a piece other than a pawn attacks; for a pawn, none.
#[inline]
#[must_use]
pub fn piece(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => Bitboard::EMPTY,
        Role::Knight => knight(square),
        Role::Bishop => bishop(square, occupied),
        Role::Rook => rook(square, occupied),
        Role::Queen => queen(square, occupied),
        Role::King => king(square),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_small_and_the_large_slides_are_the_ray_walk(index in 0u8..64, dense: u64, mask: u64) {
            let square = Square::new(index);
            for occupied in [Bitboard(dense), Bitboard(dense & mask)] {
                let bishop = rays::walk(square, occupied, rays::DIAGONAL);
                let rook = rays::walk(square, occupied, rays::STRAIGHT);
                prop_assert_eq!(kindergarten::bishop(square, occupied), bishop);
                prop_assert_eq!(kindergarten::rook(square, occupied), rook);
                prop_assert_eq!(super::bishop(square, occupied), bishop);
                prop_assert_eq!(super::rook(square, occupied), rook);
            }
        }

        #[test]
        fn between_and_line_agree_with_the_slides(a in 0u8..64, b in 0u8..64) {
            let (a, b) = (Square::new(a), Square::new(b));
            let mut inner = Bitboard::EMPTY;
            let mut whole = Bitboard::EMPTY;
            for slide in [bishop, rook] {
                if slide(a, Bitboard::EMPTY).has(b) {
                    inner |= slide(a, b.into()) & slide(b, a.into());
                    whole |= slide(a, Bitboard::EMPTY) & slide(b, Bitboard::EMPTY) | a.into() | b.into();
                }
            }
            prop_assert_eq!(diagonals(a), bishop(a, Bitboard::EMPTY));
            prop_assert_eq!(straights(a), rook(a, Bitboard::EMPTY));
            prop_assert_eq!(between(a, b), inner);
            prop_assert_eq!(line(a, b), whole);
        }
    }
}
