//! Colours, roles and pieces.

use core::ops::Not;

/// The side a piece belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Colour {
    /// The side that moves first.
    White = 0,
    /// The side that moves second.
    Black = 1,
}

impl Colour {
    /// Both colours, White first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// `0` for White, `1` for Black.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// How far a pawn of this colour steps, in square indices.
    #[must_use]
    pub const fn forward(self) -> i8 {
        match self {
            Self::White => 8,
            Self::Black => -8,
        }
    }
}

impl Not for Colour {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

/// What a piece is, whoever owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    /// A pawn.
    Pawn = 0,
    /// A knight.
    Knight = 1,
    /// A bishop.
    Bishop = 2,
    /// A rook.
    Rook = 3,
    /// A queen.
    Queen = 4,
    /// A king.
    King = 5,
}

impl Role {
    /// All roles, the pawn first and the king last.
    pub const ALL: [Self; 6] = [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];

    /// What a pawn may become, best first.
    pub const PROMOTIONS: [Self; 4] = [Self::Queen, Self::Rook, Self::Bishop, Self::Knight];

    /// `0` for a pawn to `5` for a king.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Reads a letter of either case: `p n b r q k`.
    #[must_use]
    pub const fn from_letter(letter: u8) -> Option<Self> {
        Some(match letter.to_ascii_lowercase() {
            b'p' => Self::Pawn,
            b'n' => Self::Knight,
            b'b' => Self::Bishop,
            b'r' => Self::Rook,
            b'q' => Self::Queen,
            b'k' => Self::King,
            _ => return None,
        })
    }

    /// The lower-case letter of the role.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'p',
            Self::Knight => 'n',
            Self::Bishop => 'b',
            Self::Rook => 'r',
            Self::Queen => 'q',
            Self::King => 'k',
        }
    }
}

/// A role and a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// What it is.
    pub role: Role,
    /// Whose it is.
    pub colour: Colour,
}

impl Piece {
    /// How many different pieces there are; [`index`](Self::index) is below it.
    pub const COUNT: usize = 12;

    /// A piece of a colour and role.
    #[must_use]
    pub const fn new(colour: Colour, role: Role) -> Self {
        Self { role, colour }
    }

    /// `0` for a white pawn to `5` for a white king, `6` for a black pawn to `11` for a black king.
    #[must_use]
    pub const fn index(self) -> usize {
        self.colour as usize * 6 + self.role as usize
    }

    /// Reads a FEN letter: upper case for White.
    #[must_use]
    pub const fn from_letter(letter: u8) -> Option<Self> {
        let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        match Role::from_letter(letter) {
            Some(role) => Some(Self { role, colour }),
            None => None,
        }
    }

    /// The FEN letter: upper case for White.
    #[must_use]
    pub const fn letter(self) -> char {
        match self.colour {
            Colour::White => self.role.letter().to_ascii_uppercase(),
            Colour::Black => self.role.letter(),
        }
    }
}
