//! Squares, files and ranks.

use core::fmt;

use super::Colour;

/// A file, `0` for the a-file to `7` for the h-file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct File(u8);

impl File {
    /// The a-file.
    pub const A: Self = Self(0);
    /// The c-file, where the king lands after castling queen-side.
    pub const C: Self = Self(2);
    /// The d-file, where the rook lands after castling queen-side.
    pub const D: Self = Self(3);
    /// The e-file.
    pub const E: Self = Self(4);
    /// The f-file, where the rook lands after castling king-side.
    pub const F: Self = Self(5);
    /// The g-file, where the king lands after castling king-side.
    pub const G: Self = Self(6);
    /// The h-file.
    pub const H: Self = Self(7);

    /// The file of an index, modulo eight.
    #[must_use]
    pub const fn new(index: u8) -> Self {
        Self(index & 7)
    }

    /// `0` for the a-file to `7` for the h-file.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Reads a letter of either case, `a` to `h`.
    #[must_use]
    pub const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'a'..=b'h' => Some(Self(letter - b'a')),
            b'A'..=b'H' => Some(Self(letter - b'A')),
            _ => None,
        }
    }

    /// The lower-case letter of the file.
    #[must_use]
    pub const fn letter(self) -> char {
        (b'a' + self.0) as char
    }
}

/// A rank, `0` for the first rank to `7` for the eighth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

impl Rank {
    /// White's back rank.
    pub const FIRST: Self = Self(0);
    /// Black's back rank.
    pub const EIGHTH: Self = Self(7);

    /// The rank of an index, modulo eight.
    #[must_use]
    pub const fn new(index: u8) -> Self {
        Self(index & 7)
    }

    /// `0` for the first rank to `7` for the eighth.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The rank as `colour` counts it from its own side: its back rank is the first.
    #[must_use]
    pub const fn relative_to(self, colour: Colour) -> Self {
        match colour {
            Colour::White => self,
            Colour::Black => Self(7 - self.0),
        }
    }

    /// The digit of the rank.
    #[must_use]
    pub const fn digit(self) -> char {
        (b'1' + self.0) as char
    }
}

/// A square, `0` for a1, `1` for b1, to `63` for h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The corner a1, the square of index 0.
    pub const A1: Self = Self(0);

    /// The square of an index, modulo 64.
    #[must_use]
    pub const fn new(index: u8) -> Self {
        Self(index & 63)
    }

    /// The square where a file and a rank meet.
    #[must_use]
    pub const fn at(file: File, rank: Rank) -> Self {
        Self(rank.0 << 3 | file.0)
    }

    /// Reads two bytes such as `e4`, lower case as in every standard notation.
    #[must_use]
    pub const fn from_name(name: &[u8]) -> Option<Self> {
        match *name {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some(Self((rank - b'1') << 3 | (file - b'a'))),
            _ => None,
        }
    }

    /// `0` for a1 to `63` for h8.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        // The mask changes nothing, but tells the compiler that a table of 64 needs no bounds check.
        (self.0 & 63) as usize
    }

    /// The file the square stands on.
    #[must_use]
    pub const fn file(self) -> File {
        File(self.0 & 7)
    }

    /// The rank the square stands on.
    #[must_use]
    pub const fn rank(self) -> Rank {
        Rank(self.0 >> 3)
    }

    /// The same square seen from the other side of the board: e2 becomes e7.
    #[must_use]
    pub const fn flip_rank(self) -> Self {
        Self(self.0 ^ 56)
    }

    /// The same square in a mirror: e2 becomes d2.
    #[must_use]
    pub const fn mirror_file(self) -> Self {
        Self(self.0 ^ 7)
    }

    /// The square as `colour` sees it from its own side: unchanged for White, e2 becomes e7 for Black.
    #[must_use]
    pub const fn relative_to(self, colour: Colour) -> Self {
        Self(self.0 ^ (56 * colour as u8))
    }

    /// The square `step` indices further (a pawn of White steps by 8), wrapping round the board's end.
    #[must_use]
    pub const fn offset(self, step: i8) -> Self {
        Self(self.0.wrapping_add_signed(step) & 63)
    }

    /// How many moves a king takes from here to the other square.
    #[must_use]
    pub const fn distance(self, other: Self) -> u32 {
        let files = (self.0 & 7).abs_diff(other.0 & 7);
        let ranks = (self.0 >> 3).abs_diff(other.0 >> 3);
        (if files > ranks { files } else { ranks }) as u32
    }

    /// All squares, a1 first and h8 last.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().letter(), self.rank().digit())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
