//! Standard Algebraic Notation, out.
//!
//! Source: the PGN standard, section 8.2.3.

use core::fmt;

use super::{Bitboard, Board, Move, MoveKind, Role, Square, attacks};

/// Writes a legal move of a board in SAN.
#[derive(Clone, Copy, Debug)]
pub struct San<'a> {
    board: &'a Board,
    mv: Move,
}

impl Board {
    /// A legal move of this board in SAN, with `+` or `#`.
    #[must_use]
    pub const fn san(&self, mv: Move) -> San<'_> {
        San { board: self, mv }
    }

    /// Whether a legal move takes something.
    #[must_use]
    pub fn is_capture(&self, mv: Move) -> bool {
        match mv.kind() {
            MoveKind::EnPassant => true,
            MoveKind::Castling => false,
            _ => self.role_on(mv.to()).is_some(),
        }
    }
}

impl San<'_> {
    fn write_pawn(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.board.is_capture(self.mv) {
            write!(f, "{}x", self.mv.from().file().letter())?;
        }
        write!(f, "{}", self.mv.to())?;
        match self.mv.promotes_to() {
            Some(role) => write!(f, "={}", role.letter().to_ascii_uppercase()),
            None => Ok(()),
        }
    }

    fn write_piece(&self, f: &mut fmt::Formatter<'_>, role: Role) -> fmt::Result {
        write!(f, "{}", role.letter().to_ascii_uppercase())?;
        self.write_origin(f, self.rivals(role))?;
        if self.board.is_capture(self.mv) {
            f.write_str("x")?;
        }
        write!(f, "{}", self.mv.to())
    }

    /// The other pieces of the role that may legally go to the same square.
    fn rivals(&self, role: Role) -> Bitboard {
        let (from, to) = (self.mv.from(), self.mv.to());
        let same = self.board.pieces(self.board.side_to_move(), role).without(from.into());
        let near = same & attacks::piece(role, to, self.board.occupied());
        let legal = |&rival: &Square| self.board.is_legal(Move::normal(rival, to));
        near.into_iter().filter(legal).fold(Bitboard::EMPTY, |rivals, rival| rivals | rival.into())
    }

    /// As much of the origin as tells the piece from its rivals: nothing, its file, its rank, or both.
    fn write_origin(&self, f: &mut fmt::Formatter<'_>, rivals: Bitboard) -> fmt::Result {
        let from = self.mv.from();
        if rivals.is_empty() {
            Ok(())
        } else if (rivals & Bitboard::file(from.file())).is_empty() {
            write!(f, "{}", from.file().letter())
        } else if (rivals & Bitboard::rank(from.rank())).is_empty() {
            write!(f, "{}", from.rank().digit())
        } else {
            write!(f, "{from}")
        }
    }
}

impl fmt::Display for San<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.mv.kind(), self.board.role_on(self.mv.from())) {
            (MoveKind::Castling, _) => f.write_str(if self.mv.to() > self.mv.from() { "O-O" } else { "O-O-O" })?,
            (_, Some(Role::Pawn)) => self.write_pawn(f)?,
            (_, Some(role)) => self.write_piece(f, role)?,
            (_, None) => return f.write_str("--"),
        }
        let after = self.board.after(self.mv);
        match (after.in_check(), after.has_legal_moves()) {
            (true, true) => f.write_str("+"),
            (true, false) => f.write_str("#"),
            _ => Ok(()),
        }
    }
}
