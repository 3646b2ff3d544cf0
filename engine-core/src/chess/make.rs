//! Making a move: a new board from an old one.

use super::{Board, Colour, Move, MoveKind, Role, Square, Wing, attacks, zobrist};

impl Board {
    /// The board after a legal move. A move that is not legal here gives a board without meaning, but no panic.
    #[must_use]
    pub fn after(&self, mv: Move) -> Self {
        let mut board = *self;
        board.play(mv);
        board
    }

    /// The board after passing the turn. Not to be used in check.
    #[must_use]
    pub fn after_null(&self) -> Self {
        let mut board = *self;
        board.clear_en_passant();
        board.halfmove_clock = board.halfmove_clock.saturating_add(1);
        board.pass_turn();
        board
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        let us = self.side_to_move;
        let (from, to) = (mv.from(), mv.to());
        let Some(role) = self.role_on(from) else { return };
        self.clear_en_passant();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);

        let kind = mv.kind();
        if kind == MoveKind::Castling {
            self.castle(us, from, to);
        } else {
            if let Some(captured) = self.role_on(to) {
                self.capture(!us, captured, to);
            }
            self.take(us, role, from);
            self.put(us, mv.promotes_to().unwrap_or(role), to);
            match role {
                Role::Pawn => {
                    self.halfmove_clock = 0;
                    if kind == MoveKind::EnPassant {
                        self.take(!us, Role::Pawn, to.offset(-us.forward()));
                    } else if from.index().abs_diff(to.index()) == 16 {
                        self.set_en_passant(us, from.offset(us.forward()));
                    }
                }
                Role::King => self.change_castling(|rights| rights.revoke_all(us)),
                Role::Rook => self.change_castling(|rights| rights.revoke_rook(us, from)),
                _ => {}
            }
        }
        self.fullmove_number = self.fullmove_number.saturating_add(us as u16);
        self.pass_turn();
    }

    fn capture(&mut self, owner: Colour, role: Role, square: Square) {
        self.take(owner, role, square);
        self.halfmove_clock = 0;
        if role == Role::Rook {
            self.change_castling(|rights| rights.revoke_rook(owner, square));
        }
    }

    fn castle(&mut self, us: Colour, king: Square, rook: Square) {
        let wing = if rook > king { Wing::King } else { Wing::Queen };
        // Both leave before either lands: in Chess960 they may swap squares.
        self.take(us, Role::King, king);
        self.take(us, Role::Rook, rook);
        self.put(us, Role::King, Square::at(wing.king_file(), king.rank()));
        self.put(us, Role::Rook, Square::at(wing.rook_file(), king.rank()));
        self.change_castling(|rights| rights.revoke_all(us));
    }

    fn change_castling(&mut self, change: impl FnOnce(&mut super::CastlingRights)) {
        if !self.castling.is_none() {
            let before = self.castling;
            change(&mut self.castling);
            if self.castling != before {
                self.key ^= zobrist::castling(before) ^ zobrist::castling(self.castling);
            }
        }
    }

    fn clear_en_passant(&mut self) {
        if let Some(square) = self.en_passant.take() {
            self.key ^= zobrist::en_passant(square.file());
        }
    }

    /// Notes that a pawn of `mover` has passed over `square`, if a pawn of the enemy could take it there.
    pub(super) fn set_en_passant(&mut self, mover: Colour, square: Square) {
        if (attacks::pawn(mover, square) & self.pieces(!mover, Role::Pawn)).any() {
            self.en_passant = Some(square);
            self.key ^= zobrist::en_passant(square.file());
        }
    }

    fn pass_turn(&mut self) {
        self.side_to_move = !self.side_to_move;
        self.key ^= zobrist::white_to_move();
        self.find_checks_and_pins();
    }
}
