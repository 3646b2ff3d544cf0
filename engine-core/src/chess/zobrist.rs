//! Zobrist keys: the published Polyglot ones, so that the hash key of a position is its key in an opening book.

use super::polyglot_random::RANDOM;
use super::{CastlingRights, Colour, File, Role, Square};

/// The key of a piece on a square.
pub(super) fn piece(colour: Colour, role: Role, square: Square) -> u64 {
    // The format counts black pawn 0, white pawn 1, black knight 2, ...
    let kind = 2 * role.index() + 1 - colour.index();
    RANDOM[64 * kind + square.index()]
}

/// The key of a set of castling rights.
pub(super) fn castling(rights: CastlingRights) -> u64 {
    rights.held().fold(0, |key, right| key ^ RANDOM[768 + right])
}

/// The key of an en-passant file.
pub(super) fn en_passant(file: File) -> u64 {
    RANDOM[772 + file.index()]
}

/// The key that is in when White is to move.
pub(super) fn white_to_move() -> u64 {
    RANDOM[780]
}
