//! Castling rights, for standard chess and Chess960 alike.

use super::{Colour, File, Rank, Square};

/// The wing a king castles to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Wing {
    /// Towards the h-file: the king lands on the g-file.
    King = 0,
    /// Towards the a-file: the king lands on the c-file.
    Queen = 1,
}

impl Wing {
    /// Both wings, the king's first.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// The file the king lands on.
    #[must_use]
    pub const fn king_file(self) -> File {
        match self {
            Self::King => File::G,
            Self::Queen => File::C,
        }
    }

    /// The file the rook lands on.
    #[must_use]
    pub const fn rook_file(self) -> File {
        match self {
            Self::King => File::F,
            Self::Queen => File::D,
        }
    }
}

/// With which rooks each side may still castle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights {
    /// The rooks' files, by colour and wing.
    rooks: [[Option<File>; 2]; 2],
}

impl CastlingRights {
    /// No rights at all.
    pub const NONE: Self = Self { rooks: [[None; 2]; 2] };

    /// Whether neither side may castle.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// The file of the rook that `colour` may castle with on a wing.
    #[must_use]
    pub const fn rook_file(self, colour: Colour, wing: Wing) -> Option<File> {
        self.rooks[colour.index()][wing as usize]
    }

    /// The square of the rook that `colour` may castle with on a wing.
    #[must_use]
    pub fn rook(self, colour: Colour, wing: Wing) -> Option<Square> {
        let file = self.rook_file(colour, wing)?;
        Some(Square::at(file, Rank::FIRST.relative_to(colour)))
    }

    /// The rights in the order of the Polyglot book format: White's king's wing, queen's wing, then Black's.
    pub(super) fn in_order(self) -> impl Iterator<Item = (usize, Option<File>)> {
        self.rooks.into_iter().flatten().enumerate()
    }

    /// Grants the right to castle with the rook on a file.
    pub(super) const fn grant(&mut self, colour: Colour, wing: Wing, rook: File) {
        self.rooks[colour.index()][wing as usize] = Some(rook);
    }

    /// Takes both rights of a colour: its king has moved.
    pub(super) const fn revoke_all(&mut self, colour: Colour) {
        self.rooks[colour.index()] = [None; 2];
    }

    /// Takes the right that depends on the rook of `colour` on `square`, if there is one.
    pub(super) fn revoke_rook(&mut self, colour: Colour, square: Square) {
        if square.rank() == Rank::FIRST.relative_to(colour) {
            for right in &mut self.rooks[colour.index()] {
                if *right == Some(square.file()) {
                    *right = None;
                }
            }
        }
    }
}
