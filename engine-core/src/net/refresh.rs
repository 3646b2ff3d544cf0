//! The first layer's sums of boards seen before: one for each side and each wing that its king can stand on.
//!
//! Where a king has crossed to the other wing every input is another, and the sums would have to be made from nothing. But
//! that side has most likely been seen with its king on that wing, not long ago, and few pieces have moved since.
//!
//! Source: <https://www.chessprogramming.org/NNUE>, "finny tables".

use super::features::Perspective;
use super::value::ValueNet;
use crate::chess::{Bitboard, Board, Colour, Piece, Role};

/// Which pieces stand where; none if no board was seen.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    colours: [Bitboard; 2],
    roles: [Bitboard; 6],
}

impl Pieces {
    const NONE: Self = Self { colours: [Bitboard::EMPTY; 2], roles: [Bitboard::EMPTY; 6] };

    fn of(board: &Board) -> Self {
        Self { colours: Colour::ALL.map(|colour| board.colour(colour)), roles: Role::ALL.map(|role| board.role(role)) }
    }
}

/// The last board that each side was seen on, by the wing of its king. The sums lie elsewhere, at
/// [`place`](Self::place).
#[derive(Clone, Debug)]
pub(super) struct RefreshTable([Pieces; Self::PLACES]);

impl RefreshTable {
    /// How many boards there are, and sums.
    pub(super) const PLACES: usize = 4;

    pub(super) const fn new() -> Self {
        Self([Pieces::NONE; Self::PLACES])
    }

    /// Forgets all boards: another network may come.
    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    /// Which of the sums are of this view.
    pub(super) const fn place(view: Perspective) -> usize {
        2 * view.colour().index() + view.is_mirrored() as usize
    }

    /// Makes the sums of a view of a board, from those of the last board that was seen so.
    pub(super) fn bring(&mut self, view: Perspective, board: &Board, net: &ValueNet<'_>, sums: &mut [i16]) {
        let pieces = &mut self.0[Self::place(view)];
        let now = Pieces::of(board);
        if pieces.colours[0].is_empty() {
            net.start(sums);
        }
        for colour in Colour::ALL {
            for role in Role::ALL {
                let of = |pieces: &Pieces| pieces.colours[colour.index()] & pieces.roles[role.index()];
                let (before, after) = (of(pieces), of(&now));
                for square in before.without(after) {
                    net.remove(view, (Piece::new(colour, role), square), sums);
                }
                for square in after.without(before) {
                    net.add(view, (Piece::new(colour, role), square), sums);
                }
            }
        }
        *pieces = now;
    }
}
