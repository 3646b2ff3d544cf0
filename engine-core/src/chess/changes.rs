//! What a move changes in the placement of the pieces: what an incremental evaluation needs to know.

use super::{Board, Move, MoveKind, Piece, Role, Square, Wing};

/// A piece that comes to, or leaves, a square.
pub type Placed = (Piece, Square);

/// The pieces that leave and come by a move: one or two of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changes {
    /// What leaves: the mover, then what it captures or the castling rook.
    pub removed: (Placed, Option<Placed>),
    /// What comes: the mover or what it became, then the castling rook.
    pub added: (Placed, Option<Placed>),
}

impl Board {
    /// What a legal move of this board changes; `None` if no piece stands where it starts.
    #[must_use]
    pub fn changes(&self, mv: Move) -> Option<Changes> {
        let us = self.side_to_move();
        let (from, to) = (mv.from(), mv.to());
        let role = self.role_on(from)?;
        let mover = (Piece::new(us, role), from);
        let changes = match mv.kind() {
            MoveKind::Castling => {
                let wing = if to > from { Wing::King } else { Wing::Queen };
                let rook = Piece::new(us, Role::Rook);
                let landing = |file| Square::at(file, from.rank());
                Changes {
                    removed: (mover, Some((rook, to))),
                    added: ((mover.0, landing(wing.king_file())), Some((rook, landing(wing.rook_file())))),
                }
            }
            MoveKind::EnPassant => Changes {
                removed: (mover, Some((Piece::new(!us, Role::Pawn), to.offset(-us.forward())))),
                added: ((mover.0, to), None),
            },
            _ => Changes {
                removed: (mover, self.role_on(to).map(|captured| (Piece::new(!us, captured), to))),
                added: ((Piece::new(us, mv.promotes_to().unwrap_or(role)), to), None),
            },
        };
        Some(changes)
    }
}
