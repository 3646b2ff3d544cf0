//! The inputs of a policy net: a stack of planes, as AlphaZero's.
//!
//! The board is seen from the mover's side: for Black it is turned by 180 degrees. On each square stand [`PLANES`]
//! inputs of 0 or 1, and input `square * 14 + plane` is plane `plane` there, squares counted from a1:
//!
//! | plane | 1 on |
//! | --- | --- |
//! | 0 to 5 | the mover's pawns, knights, bishops, rooks, queens, king |
//! | 6 to 11 | the opponent's likewise |
//! | 12 | every square, if the position has stood before |
//! | 13 | every square, if it has stood twice before |
//!
//! Source: Silver et al., "Mastering Chess and Shogi by Self-Play with a General Reinforcement Learning Algorithm", 2017,
//! <https://arxiv.org/abs/1712.01815>, with the present position as the whole history and without the planes of the
//! counters. The order of the inputs is that of the package gym-chess.

use crate::chess::{Board, Colour, Piece, Square};

/// The inputs on a square.
pub const PLANES: usize = 14;

/// The inputs of a policy net.
pub const INPUTS: usize = 64 * PLANES;

/// No position has more active inputs: 32 pieces, and two planes that are 1 everywhere.
pub const MAX_ACTIVE: usize = 32 + 2 * 64;

/// The first of the opponent's planes.
const THEIRS: usize = 6;

/// The planes of repetition, from once before on.
const REPETITION: [usize; 2] = [12, 13];

/// A square as the mover sees it, and back.
pub(super) const fn seen(square: Square, mover: Colour) -> Square {
    match mover {
        Colour::White => square,
        Colour::Black => square.flip_rank().mirror_file(),
    }
}

/// The input that a piece on a square is, below [`INPUTS`].
#[must_use]
pub const fn input(piece: Piece, square: Square, mover: Colour) -> usize {
    let theirs = piece.colour.index() != mover.index();
    seen(square, mover).index() * PLANES + piece.role.index() + if theirs { THEIRS } else { 0 }
}

/// The active inputs of a position that has stood so many times before, at most [`MAX_ACTIVE`].
///
/// [`KeyHistory::repetitions`](crate::chess::KeyHistory::repetitions) counts how often it has.
pub fn active(board: &Board, repetitions: usize) -> impl Iterator<Item = usize> + '_ {
    let mover = board.side_to_move();
    let pieces = board
        .occupied()
        .into_iter()
        .filter_map(move |square| board.piece_on(square).map(|piece| input(piece, square, mover)));
    let planes = REPETITION.into_iter().take(repetitions);
    pieces.chain(planes.flat_map(|plane| (0..64).map(move |square| square * PLANES + plane)))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::collections::BTreeSet;

    use super::*;

    fn inputs(fen: &str, repetitions: usize) -> BTreeSet<usize> {
        active(&Board::from_fen(fen).expect("a position"), repetitions).collect()
    }

    #[test]
    fn the_mover_sees_its_own_pieces_first_and_below() {
        // King e1, own pawn e2; the opponent's king e8, queen d8.
        let white = inputs("3qk3/8/8/8/8/8/4P3/4K3 w - - 0 1", 0);
        assert_eq!(white, [4 * 14 + 5, 12 * 14, 60 * 14 + 11, 59 * 14 + 10].into());
        // The same game turned by 180 degrees, colours changed.
        let black = inputs("3k4/3p4/8/8/8/8/8/3KQ3 b - - 0 1", 0);
        assert_eq!(black, white);
    }

    #[test]
    fn repetitions_fill_planes() {
        let fen = crate::chess::START_FEN;
        let once: BTreeSet<usize> = (0..64).map(|square| square * 14 + 12).collect();
        let twice: BTreeSet<usize> = (0..64).map(|square| square * 14 + 13).collect();
        assert_eq!(&inputs(fen, 1) - &inputs(fen, 0), once);
        assert_eq!(&inputs(fen, 2) - &inputs(fen, 1), twice);
        assert_eq!(inputs(fen, 4), inputs(fen, 2));
        assert_eq!(inputs(fen, 2).len(), MAX_ACTIVE);
        assert!(inputs(fen, 2).iter().all(|&input| input < INPUTS));
    }
}
