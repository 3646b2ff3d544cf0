//! Moves, and lists of them.

use core::fmt;
use core::num::NonZeroU16;

use super::{Role, Square};

/// What kind of move it is beyond its two squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// A piece goes to an empty square or takes what stands there.
    Normal,
    /// The king castles with the rook that stands on the target square.
    Castling,
    /// A pawn takes the pawn that has just passed it.
    EnPassant,
    /// A pawn reaches the last rank and becomes this.
    Promotion(Role),
}

/// A move in 16 bits: from (6), to (6), kind (4). Castling is written as the king taking its own rook.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

const CASTLING: u16 = 1 << 12;
const EN_PASSANT: u16 = 2 << 12;
/// Promotions are 4 to 7: knight, bishop, rook, queen.
const PROMOTION: u16 = 4 << 12;

impl Move {
    const fn pack(from: Square, to: Square, kind: u16) -> Self {
        let bits = from.index() as u16 | (to.index() as u16) << 6 | kind;
        match NonZeroU16::new(bits) {
            Some(bits) => Self(bits),
            // Only a1-a1 packs to zero, and no piece moves to where it stands. Any other such move will do.
            None => Self(NonZeroU16::MAX),
        }
    }

    /// A move that is neither castling, nor en passant, nor a promotion.
    #[must_use]
    pub const fn normal(from: Square, to: Square) -> Self {
        Self::pack(from, to, 0)
    }

    /// Castling: the king's square and the rook's.
    #[must_use]
    pub const fn castling(king: Square, rook: Square) -> Self {
        Self::pack(king, rook, CASTLING)
    }

    /// A pawn takes in passing; `to` is the square it lands on.
    #[must_use]
    pub const fn en_passant(from: Square, to: Square) -> Self {
        Self::pack(from, to, EN_PASSANT)
    }

    /// A pawn becomes a knight, bishop, rook or queen (which stands in for the other roles).
    #[must_use]
    pub const fn promotion(from: Square, to: Square, role: Role) -> Self {
        let code = match role {
            Role::Knight => 0,
            Role::Bishop => 1,
            Role::Rook => 2,
            _ => 3,
        };
        Self::pack(from, to, PROMOTION | code << 12)
    }

    /// The 16 bits, never zero.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// The move of 16 bits from [`bits`](Self::bits); zero is none. Nothing says that it is legal anywhere.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// Where the piece comes from.
    #[must_use]
    pub const fn from(self) -> Square {
        Square::new((self.0.get() & 63) as u8)
    }

    /// Where the piece goes; for castling, where the rook stands.
    #[must_use]
    pub const fn to(self) -> Square {
        Square::new((self.0.get() >> 6 & 63) as u8)
    }

    /// What kind of move it is.
    #[must_use]
    pub const fn kind(self) -> MoveKind {
        match self.0.get() >> 12 {
            4.. => MoveKind::Promotion(match self.0.get() >> 12 & 3 {
                0 => Role::Knight,
                1 => Role::Bishop,
                2 => Role::Rook,
                _ => Role::Queen,
            }),
            1 => MoveKind::Castling,
            2 => MoveKind::EnPassant,
            _ => MoveKind::Normal,
        }
    }

    /// What the pawn becomes, if it does.
    #[must_use]
    pub const fn promotes_to(self) -> Option<Role> {
        match self.kind() {
            MoveKind::Promotion(role) => Some(role),
            _ => None,
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} {:?}", self.from(), self.to(), self.kind())
    }
}

/// No position that [`Board`](super::Board) accepts has more legal moves (the most known is 218).
pub const MAX_MOVES: usize = 256;

/// The legal moves of a position.
pub type MoveList = heapless::Vec<Move, MAX_MOVES>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_keeps_its_parts() {
        for from in Square::all() {
            for to in Square::all().filter(|&to| to != from) {
                for (mv, kind) in [
                    (Move::normal(from, to), MoveKind::Normal),
                    (Move::castling(from, to), MoveKind::Castling),
                    (Move::en_passant(from, to), MoveKind::EnPassant),
                    (Move::promotion(from, to, Role::Knight), MoveKind::Promotion(Role::Knight)),
                    (Move::promotion(from, to, Role::Queen), MoveKind::Promotion(Role::Queen)),
                ] {
                    assert_eq!((mv.from(), mv.to(), mv.kind()), (from, to, kind));
                    assert_eq!(Move::from_bits(mv.bits()), Some(mv));
                }
            }
        }
    }
}
