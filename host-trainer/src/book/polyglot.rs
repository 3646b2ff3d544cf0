//! The entries of a book.

use shakmaty::{Chess, EnPassantMode, Move, Position, Role, zobrist::Zobrist64};

/// The bytes of an entry.
pub const ENTRY: usize = 16;

/// A move that a book knows in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The position's [key].
    pub key: u64,
    /// The move, as [`encode`] writes it.
    pub mv: u16,
    /// How good or how usual it is, compared with the position's other moves.
    pub weight: u16,
}

impl Entry {
    /// The entry as a book has it: all numbers with their high bytes first, and at the end four bytes for a program
    /// that learns, which are 0.
    pub fn bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..8].copy_from_slice(&self.key.to_be_bytes());
        bytes[8..10].copy_from_slice(&self.mv.to_be_bytes());
        bytes[10..12].copy_from_slice(&self.weight.to_be_bytes());
        bytes
    }
}

/// A position's key. An en passant square counts wherever an enemy pawn stands beside the one that has moved, pinned or
/// not.
pub fn key(position: &Chess) -> u64 {
    let Zobrist64(key) = position.zobrist_hash(EnPassantMode::PseudoLegal);
    key
}

/// A move as a book writes it: to (6 bits), from (6), what it promotes to (3). Castling is the king taking its rook.
/// `None` for a piece that is put on the board, which chess does not know.
pub fn encode(mv: Move) -> Option<u16> {
    let (from, to) = match mv {
        Move::Normal { from, to, .. } | Move::EnPassant { from, to } => (from, to),
        Move::Castle { king, rook } => (king, rook),
        Move::Put { .. } => return None,
    };
    let promotion = match mv.promotion() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        _ => 0,
    };
    Some(u16::from(u8::from(to)) | u16::from(u8::from(from)) << 6 | promotion << 12)
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::epd;

    fn encoded(fen: &str, text: &str) -> u16 {
        let position = epd::parse_position(fen, CastlingMode::Chess960).unwrap();
        encode(epd::parse_move(text, &position).unwrap()).unwrap()
    }

    #[test]
    fn moves_are_written_as_the_format_says() {
        const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
        let promotion = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
        for (fen, text, from, to, piece) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e4", 0o14, 0o34, 0),
            (CASTLING, "O-O", 0o74, 0o77, 0),
            (CASTLING, "O-O-O", 0o74, 0o70, 0),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 0o44, 0o53, 0),
            (promotion, "a8=N", 0o60, 0o70, 1),
            (promotion, "a8=B", 0o60, 0o70, 2),
            (promotion, "a8=R", 0o60, 0o70, 3),
            (promotion, "a8=Q", 0o60, 0o70, 4),
        ] {
            assert_eq!(encoded(fen, text), to + (from << 6) + (piece << 12), "{fen} {text}");
        }
    }

    #[test]
    fn numbers_begin_with_their_high_bytes() {
        let entry = Entry { key: 0x463b_9618_1691_fc9c, mv: 0x031c, weight: 0x0102 };
        assert_eq!(entry.bytes(), [0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 3, 0x1c, 1, 2, 0, 0, 0, 0]);
        assert_eq!(key(&Chess::default()), entry.key, "the published key of the start");
    }
}
