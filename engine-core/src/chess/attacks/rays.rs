//! Slides by walking square by square: slow, plainly right, and the oracle of the fast ones.

use crate::chess::{Bitboard, Square};

/// A direction as steps of file and rank.
type Direction = (i8, i8);

/// The four ways of a rook.
pub(super) const STRAIGHT: [Direction; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
/// The four ways of a bishop.
pub(super) const DIAGONAL: [Direction; 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// The squares reached from `square`, up to and including the first blocker each way.
pub(super) fn walk(square: Square, occupied: Bitboard, directions: [Direction; 4]) -> Bitboard {
    let mut reached = 0;
    let mut way = 0;
    while way < 4 {
        let (file_step, rank_step) = directions[way];
        let mut file = (square.index() & 7) as i8 + file_step;
        let mut rank = (square.index() >> 3) as i8 + rank_step;
        while (0..8).contains(&file) && (0..8).contains(&rank) {
            let bit = 1 << (rank * 8 + file);
            reached |= bit;
            if occupied.0 & bit != 0 {
                break;
            }
            file += file_step;
            rank += rank_step;
        }
        way += 1;
    }
    Bitboard(reached)
}
