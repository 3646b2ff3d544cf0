//! Scores: centipawns, and mates counted from the root.

use crate::MAX_PLY;

/// Above every score.
pub const INFINITE: i32 = 32_000;
/// The score of having mated now; a mate in `n` plies is `MATE - n`.
pub const MATE: i32 = 31_000;
/// Every score from here up is a forced mate.
pub const MATE_BOUND: i32 = MATE - 2 * MAX_PLY as i32;
/// The score of a draw.
pub const DRAW: i32 = 0;

/// The score of being mated after `ply` plies from the root.
pub(super) const fn mated_in(ply: usize) -> i32 {
    -MATE + ply as i32
}

/// Whether a score is a forced mate for either side.
#[must_use]
pub const fn is_mate(score: i32) -> bool {
    score.abs() >= MATE_BOUND
}

/// The moves to mate of a mate score, negative if the side to move is mated; `None` for other scores.
#[must_use]
pub const fn mate_in_moves(score: i32) -> Option<i32> {
    if score >= MATE_BOUND {
        Some((MATE - score + 1) / 2)
    } else if score <= -MATE_BOUND {
        Some(-(MATE + score) / 2)
    } else {
        None
    }
}
