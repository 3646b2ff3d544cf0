//! The outputs of a policy net: every move has a number, as AlphaZero's have.
//!
//! The board is seen from the mover's side: for Black it is turned by 180 degrees. From each square there are [`PLANES`]
//! ways to go, and move `square * 73 + plane` leaves `square`, counted from a1, by way `plane`:
//!
//! | plane | way |
//! | --- | --- |
//! | 0 to 55 | as a queen: direction (N, NE, E, SE, S, SW, W, NW) * 7 + distance - 1 |
//! | 56 to 63 | as a knight, clockwise: NNE, ENE, ESE, SSE, SSW, WSW, WNW, NNW |
//! | 64 to 72 | a pawn becomes less than a queen: (W, straight, E) * 3 + (knight, bishop, rook) |
//!
//! So e2e4 is 12 * 73 + 1 = 877. A promotion to a queen is a queen's way.
//!
//! A king on the e-file castles by its own two squares, as everybody writes it in standard chess. From another file that
//! could be any of its steps, or none, so there castling goes to the rook's square, as UCI writes it in Chess960. No two
//! legal moves of a position have the same number: nothing else takes a king two squares away, or to a rook of its own,
//! and of two ways to castle one goes west and one east.
//!
//! Source: Silver et al., "Mastering Chess and Shogi by Self-Play with a General Reinforcement Learning Algorithm", 2017,
//! <https://arxiv.org/abs/1712.01815>. The paper leaves the order open; it is that of the package gym-chess.

use super::planes::seen;
use crate::chess::{Board, File, Move, MoveKind, Role, Square};

/// The ways to leave a square.
pub const PLANES: usize = 73;

/// The outputs of a policy net.
pub const OUTPUTS: usize = 64 * PLANES;

/// The queen's directions, as steps of rank and file.
const DIRECTIONS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// The squares that a queen can go at most.
const DISTANCES: usize = 7;

/// The knight's ways, as steps of rank and file.
const KNIGHT: [(i8, i8); 8] = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)];

const FIRST_KNIGHT: usize = DIRECTIONS.len() * DISTANCES;
const FIRST_UNDERPROMOTION: usize = FIRST_KNIGHT + KNIGHT.len();

/// The number of a legal move of a position, below [`OUTPUTS`].
#[must_use]
pub fn index(board: &Board, mv: Move) -> u16 {
    let mover = board.side_to_move();
    let (from, to) = (seen(mv.from(), mover), seen(target(mv), mover));
    let ranks = to.rank().index() as i8 - from.rank().index() as i8;
    let files = to.file().index() as i8 - from.file().index() as i8;
    let plane = match mv.promotes_to() {
        None | Some(Role::Queen) => plane(ranks, files),
        Some(role) => FIRST_UNDERPROMOTION + 3 * (files.clamp(-1, 1) + 1) as usize + (role.index() - 1).min(2),
    };
    (from.index() * PLANES + plane) as u16
}

/// The legal move of a position that has this number.
#[must_use]
pub fn legal_move(board: &Board, number: u16) -> Option<Move> {
    board.legal_moves().into_iter().find(|&mv| index(board, mv) == number)
}

/// Where a move is said to go.
fn target(mv: Move) -> Square {
    let by_king = mv.kind() == MoveKind::Castling && mv.from().file() == File::E;
    if by_king { mv.castling_king_to() } else { mv.to() }
}

/// The way of a queen or a knight that goes so many ranks up and files to the east.
fn plane(ranks: i8, files: i8) -> usize {
    if let Some(way) = KNIGHT.iter().position(|&step| step == (ranks, files)) {
        return FIRST_KNIGHT + way;
    }
    // What goes nowhere has no direction, but is no legal move either.
    let direction = DIRECTIONS.iter().position(|&step| step == (ranks.signum(), files.signum())).unwrap_or(0);
    let distance = usize::from(ranks.unsigned_abs().max(files.unsigned_abs()));
    direction * DISTANCES + distance.saturating_sub(1)
}
