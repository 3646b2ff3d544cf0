//! The inputs of a value net: which piece stands where, as each side sees the board.
//!
//! Each colour has a perspective of its own: ranks are turned so that its pieces come from below, and files are
//! mirrored so that its king stands on files a to d. What can never be is no input: pawns on the end ranks, and the
//! king on the other half. That leaves 704 of 768 piece-square pairs, laid out as [`Perspective::input`] says.
//!
//! Mirroring and its worth: <https://www.chessprogramming.org/NNUE>.

use crate::chess::{Board, Colour, File, Piece, Role, Square};

/// The inputs of one perspective.
pub const INPUTS: usize = 704;

/// No position has more pieces, and each is one active input.
pub const MAX_ACTIVE: usize = 32;

/// Where the inputs of each role begin, among those of its side.
const FIRST: [usize; 6] = [0, 48, 112, 176, 240, 304];

/// The inputs of the own pieces; those of the opponent's come after them.
const OWN: usize = 336;

/// How one side sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perspective {
    colour: Colour,
    /// What turns a square's index: bits of the file to mirror, bits of the rank to turn over.
    turn: u8,
}

impl Perspective {
    /// The view of a colour whose king stands on a square.
    #[must_use]
    pub const fn new(colour: Colour, own_king: Square) -> Self {
        let mirrored = own_king.file().index() >= File::E.index();
        let ranks = match colour {
            Colour::White => 0,
            Colour::Black => 0b111_000,
        };
        Self { colour, turn: ranks | if mirrored { 0b000_111 } else { 0 } }
    }

    /// Whose view it is.
    #[must_use]
    pub const fn colour(self) -> Colour {
        self.colour
    }

    /// Whether files are mirrored: the king stands on files e to h.
    #[must_use]
    pub const fn is_mirrored(self) -> bool {
        self.turn & 0b000_111 != 0
    }

    /// The view of a colour in a position.
    #[must_use]
    pub const fn of(board: &Board, colour: Colour) -> Self {
        Self::new(colour, board.king(colour))
    }

    /// The input that a piece on a square is, below [`INPUTS`]: own pawns (48, from the second rank on), knights,
    /// bishops, rooks and queens (64 each) and king (32: four files of eight ranks), then the opponent's likewise, his
    /// king having all 64.
    #[must_use]
    pub const fn input(self, piece: Piece, square: Square) -> usize {
        let seen = square.index() ^ self.turn as usize;
        let first = FIRST[piece.role.index()];
        let own = piece.colour.index() == self.colour.index();
        let within = match piece.role {
            Role::Pawn => seen - 8,
            Role::King if own => (seen >> 3) * 4 + (seen & 3),
            _ => seen,
        };
        if own { first + within } else { OWN + first + within }
    }

    /// The active inputs of a position, at most [`MAX_ACTIVE`].
    pub fn active(self, board: &Board) -> impl Iterator<Item = usize> + '_ {
        board
            .occupied()
            .into_iter()
            .filter_map(move |square| board.piece_on(square).map(|piece| self.input(piece, square)))
    }
}

/// Which of a net's outputs judges a position, by its number of pieces, both kings counted: two pieces are in the first
/// bucket, 32 in the last.
#[must_use]
pub const fn bucket(pieces: u32, buckets: usize) -> usize {
    pieces.saturating_sub(2) as usize * buckets / MAX_ACTIVE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str) -> Square {
        Square::from_name(name.as_bytes()).expect("a square")
    }

    #[test]
    fn every_possible_input_has_a_number_of_its_own() {
        let perspective = Perspective::new(Colour::White, square("b1"));
        let mut seen = [false; INPUTS];
        for colour in Colour::ALL {
            for role in Role::ALL {
                for square in Square::all() {
                    let end_rank = matches!(square.rank().index(), 0 | 7);
                    let own_king = role == Role::King && colour == Colour::White;
                    if (role == Role::Pawn && end_rank) || (own_king && square.file().index() >= 4) {
                        continue;
                    }
                    let input = perspective.input(Piece::new(colour, role), square);
                    assert!(!seen[input], "{colour:?} {role:?} {square}");
                    seen[input] = true;
                }
            }
        }
        assert!(seen.iter().all(|&seen| seen));
    }

    #[test]
    fn both_sides_and_both_wings_look_alike() {
        let knight = |colour| Piece::new(colour, Role::Knight);
        let here = Perspective::new(Colour::White, square("c1")).input(knight(Colour::White), square("b3"));
        let mirrored = Perspective::new(Colour::White, square("f1")).input(knight(Colour::White), square("g3"));
        let turned = Perspective::new(Colour::Black, square("c8")).input(knight(Colour::Black), square("b6"));
        assert_eq!((here, here), (mirrored, turned));
    }

    #[test]
    fn buckets_cover_two_to_thirty_two_pieces() {
        assert_eq!((bucket(2, 8), bucket(5, 8), bucket(6, 8), bucket(31, 8), bucket(32, 8)), (0, 0, 1, 7, 7));
        assert!((2..=32).all(|pieces| bucket(pieces, 1) == 0 && bucket(pieces, 4) < 4));
    }
}
