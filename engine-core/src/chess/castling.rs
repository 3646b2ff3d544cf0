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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CastlingRights {
    /// The rooks' files in the order of the Polyglot book format: White's king's wing and queen's wing, then Black's.
    rooks: [u8; 4],
}

/// The file of a rook that may not castle.
const NEVER: u8 = 0xff;

impl CastlingRights {
    /// No rights at all.
    pub const NONE: Self = Self { rooks: [NEVER; 4] };

    /// Whether neither side may castle.
    #[inline]
    #[must_use]
    pub const fn is_none(self) -> bool {
        u32::from_ne_bytes(self.rooks) == u32::MAX
    }

    /// The file of the rook that `colour` may castle with on a wing.
    #[inline]
    #[must_use]
    pub const fn rook_file(self, colour: Colour, wing: Wing) -> Option<File> {
        match self.rooks[2 * colour.index() + wing as usize] {
            NEVER => None,
            file => Some(File::new(file)),
        }
    }

    /// The square of the rook that `colour` may castle with on a wing.
    #[inline]
    #[must_use]
    pub fn rook(self, colour: Colour, wing: Wing) -> Option<Square> {
        let file = self.rook_file(colour, wing)?;
        Some(Square::at(file, Rank::FIRST.relative_to(colour)))
    }

    /// The numbers of the rights that are held, in the order of the Polyglot book format.
    pub(super) fn held(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&right| self.rooks[right] != NEVER)
    }

    /// Grants the right to castle with the rook on a file.
    pub(super) const fn grant(&mut self, colour: Colour, wing: Wing, rook: File) {
        self.rooks[2 * colour.index() + wing as usize] = rook.index() as u8;
    }

    /// Takes both rights of a colour: its king has moved.
    pub(super) const fn revoke_all(&mut self, colour: Colour) {
        self.rooks[2 * colour.index()] = NEVER;
        self.rooks[2 * colour.index() + 1] = NEVER;
    }

    /// Takes the right that depends on the rook of `colour` on `square`, if there is one.
    pub(super) fn revoke_rook(&mut self, colour: Colour, square: Square) {
        if square.rank() == Rank::FIRST.relative_to(colour) {
            for right in &mut self.rooks[2 * colour.index()..][..2] {
                if *right == square.file().index() as u8 {
                    *right = NEVER;
                }
            }
        }
    }
}
