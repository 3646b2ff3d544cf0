//! A position: where the pieces stand, who moves, and the rights that outlive a move.

use super::{Bitboard, CastlingRights, Colour, Piece, Role, Square, attacks, zobrist};

/// A legal chess position, standard or Chess960, in under 200 bytes: copied rather than unmade.
///
/// A board comes from [`Board::start`], from a FEN, or from a legal move on another board, and so always
/// satisfies what [`Board::from_fen`] checks: one king a side, the side that has moved not in check, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    pub(super) roles: [Bitboard; 6],
    pub(super) colours: [Bitboard; 2],
    pub(super) mailbox: [Option<Role>; 64],
    pub(super) key: u64,
    pub(super) checkers: Bitboard,
    pub(super) pinned: Bitboard,
    pub(super) castling: CastlingRights,
    pub(super) en_passant: Option<Square>,
    pub(super) side_to_move: Colour,
    pub(super) halfmove_clock: u16,
    pub(super) fullmove_number: u16,
}

impl Board {
    /// The board without a piece; only a builder may hold it.
    pub(super) const EMPTY: Self = Self {
        roles: [Bitboard::EMPTY; 6],
        colours: [Bitboard::EMPTY; 2],
        mailbox: [None; 64],
        key: 0,
        checkers: Bitboard::EMPTY,
        pinned: Bitboard::EMPTY,
        castling: CastlingRights::NONE,
        en_passant: None,
        side_to_move: Colour::White,
        halfmove_clock: 0,
        fullmove_number: 1,
    };

    /// Every occupied square.
    #[inline]
    #[must_use]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.colours[0].0 | self.colours[1].0)
    }

    /// The pieces of a colour.
    #[inline]
    #[must_use]
    pub const fn colour(&self, colour: Colour) -> Bitboard {
        self.colours[colour.index()]
    }

    /// The pieces of a role, of both colours.
    #[inline]
    #[must_use]
    pub const fn role(&self, role: Role) -> Bitboard {
        self.roles[role.index()]
    }

    /// The pieces of a colour and role.
    #[inline]
    #[must_use]
    pub const fn pieces(&self, colour: Colour, role: Role) -> Bitboard {
        Bitboard(self.roles[role.index()].0 & self.colours[colour.index()].0)
    }

    /// The square of a king. A board always has one of each colour.
    #[inline]
    #[must_use]
    pub const fn king(&self, colour: Colour) -> Square {
        Square::new(self.pieces(colour, Role::King).0.trailing_zeros() as u8)
    }

    /// What stands on a square, whoever owns it.
    #[inline]
    #[must_use]
    pub const fn role_on(&self, square: Square) -> Option<Role> {
        self.mailbox[square.index()]
    }

    /// The piece on a square.
    #[must_use]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        let role = self.role_on(square)?;
        let colour = if self.colours[0].has(square) { Colour::White } else { Colour::Black };
        Some(Piece::new(colour, role))
    }

    /// The side whose turn it is.
    #[inline]
    #[must_use]
    pub const fn side_to_move(&self) -> Colour {
        self.side_to_move
    }

    /// The pieces that give check to the side to move.
    #[inline]
    #[must_use]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    #[must_use]
    pub const fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of the side to move that may not leave the line to their king.
    #[inline]
    #[must_use]
    pub const fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// With which rooks each side may still castle.
    #[must_use]
    pub const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// The square a pawn has just passed over, if an enemy pawn stands where it could take it there (whether or not
    /// a pin forbids it: the rule of the Polyglot key).
    #[must_use]
    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    #[must_use]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The number of the move, one more after each move of Black.
    #[must_use]
    pub const fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The Polyglot Zobrist key: placement, castling rights, en passant and side to move.
    #[inline]
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The key computed anew from the position; equal to [`key`](Self::key), which is kept move by move.
    #[must_use]
    pub fn key_from_scratch(&self) -> u64 {
        let mut key = zobrist::castling(self.castling);
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                key ^= zobrist::piece(piece.colour, piece.role, square);
            }
        }
        if let Some(square) = self.en_passant {
            key ^= zobrist::en_passant(square.file());
        }
        if self.side_to_move == Colour::White {
            key ^= zobrist::white_to_move();
        }
        key
    }

    /// Whether `colour` has a piece that is neither a pawn nor its king.
    #[must_use]
    pub const fn has_pieces(&self, colour: Colour) -> bool {
        self.colour(colour).0 & !(self.role(Role::Pawn).0 | self.role(Role::King).0) != 0
    }

    /// The pieces of both colours that attack `square` when the squares of `occupied` are taken.
    #[must_use]
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let queens = self.role(Role::Queen);
        attacks::pawn(Colour::Black, square) & self.pieces(Colour::White, Role::Pawn)
            | attacks::pawn(Colour::White, square) & self.pieces(Colour::Black, Role::Pawn)
            | attacks::knight(square) & self.role(Role::Knight)
            | attacks::king(square) & self.role(Role::King)
            | attacks::bishop(square, occupied) & (self.role(Role::Bishop) | queens)
            | attacks::rook(square, occupied) & (self.role(Role::Rook) | queens)
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(super) fn put(&mut self, colour: Colour, role: Role, square: Square) {
        self.toggle(colour, role, square);
        self.mailbox[square.index()] = Some(role);
    }

    /// Takes a piece from the square it stands on.
    #[inline]
    pub(super) fn take(&mut self, colour: Colour, role: Role, square: Square) {
        self.toggle(colour, role, square);
        self.mailbox[square.index()] = None;
    }

    #[inline]
    fn toggle(&mut self, colour: Colour, role: Role, square: Square) {
        let bit = Bitboard::square(square);
        self.roles[role.index()] ^= bit;
        self.colours[colour.index()] ^= bit;
        self.key ^= zobrist::piece(colour, role, square);
    }

    /// Finds what gives check to the side to move and what is pinned, from the placement.
    #[inline]
    pub(super) fn find_checks_and_pins(&mut self) {
        let us = self.side_to_move;
        let king = self.king(us);
        let them = self.colour(!us);
        self.checkers =
            them & (attacks::pawn(us, king) & self.role(Role::Pawn) | attacks::knight(king) & self.role(Role::Knight));
        self.pinned = Bitboard::EMPTY;

        let queens = self.role(Role::Queen);
        let snipers = them
            & (attacks::diagonals(king) & (self.role(Role::Bishop) | queens)
                | attacks::straights(king) & (self.role(Role::Rook) | queens));
        let occupied = self.occupied();
        for sniper in snipers {
            let shield = attacks::between(king, sniper) & occupied;
            if shield.is_empty() {
                self.checkers |= sniper.into();
            } else if !shield.many() {
                self.pinned |= shield & self.colour(us);
            }
        }
    }
}
