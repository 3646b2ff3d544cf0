//! A king alone against pieces that can mate it: where to drive it, which no network of this size knows.
//!
//! Source: <https://www.chessprogramming.org/Mop-up_Evaluation>.

use crate::chess::{Bitboard, Board, Colour, Role, Square};

/// What such an ending is worth at least: more than any position that is not as good as won.
const WON: i32 = 1_000;
/// What a step of the lone king towards where it is mated is worth, and a step of the other king towards it.
const DRIVEN: i32 = 20;
const NEARER: i32 = 20;
/// The same where the lone king must go to a corner of one colour, which is further than a search sees.
const DRIVEN_TO_CORNER: i32 = 60;

/// Knights, bishops, rooks and queens in centipawns: here they only have to be worth keeping.
const PIECES: [(Role, i32); 4] = [(Role::Knight, 300), (Role::Bishop, 320), (Role::Rook, 500), (Role::Queen, 900)];

/// The side that has nothing but its king, if there is one.
pub(super) fn find(board: &Board) -> Option<Colour> {
    Colour::ALL.into_iter().find(|&colour| !board.colour(colour).many())
}

/// The score for the side to move, if the other side than `loser`, which has its king only, can force mate without pawns.
pub(super) fn judge(board: &Board, loser: Colour) -> Option<i32> {
    let us = board.side_to_move();
    let winner = !loser;
    let [knights, bishops] = [Role::Knight, Role::Bishop].map(|role| board.pieces(winner, role));
    let heavy = board.pieces(winner, Role::Rook) | board.pieces(winner, Role::Queen);
    let both_bishops = (bishops & Bitboard::LIGHT_SQUARES).any() && bishops.without(Bitboard::LIGHT_SQUARES).any();
    let by_corner = heavy.is_empty() && !both_bishops;
    if board.role(Role::Pawn).any() || by_corner && (knights.is_empty() || bishops.is_empty()) {
        return None;
    }
    let material: i32 = PIECES.iter().map(|&(role, worth)| board.pieces(winner, role).len() as i32 * worth).sum();
    let (driven, hunter) = (board.king(loser), board.king(winner));
    let towards_mate = if by_corner {
        DRIVEN_TO_CORNER * (7 - steps_to_corner(driven, bishops))
    } else {
        DRIVEN * steps_from_centre(driven)
    };
    let score = WON + material + towards_mate - NEARER * driven.distance(hunter) as i32;
    Some(if us == winner { score } else { -score })
}

/// Steps of a rook, one square each, from the four squares in the middle: 0 to 6.
fn steps_from_centre(square: Square) -> i32 {
    let off = |index: usize| (2 * index as i32 - 7).abs() / 2;
    off(square.file().index()) + off(square.rank().index())
}

/// Steps of a rook, one square each, to the nearer corner of a bishop's colour: 0 to 7. Only there can bishop and knight
/// mate.
fn steps_to_corner(square: Square, bishop: Bitboard) -> i32 {
    let (file, rank) = (square.file().index() as i32, square.rank().index() as i32);
    // a1 and h8 are dark.
    let file = if (bishop & Bitboard::LIGHT_SQUARES).any() { 7 - file } else { file };
    (file + rank).min(14 - file - rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(fen: &str) -> Option<i32> {
        let board = Board::from_fen(fen).expect("a position");
        judge(&board, find(&board)?)
    }

    #[test]
    fn it_speaks_of_won_endings_without_pawns_alone() {
        for fen in [
            "8/8/8/4k3/8/8/8/KN6 w - - 0 1",
            "8/8/8/4k3/8/8/8/KNN5 w - - 0 1",
            "8/8/8/4k3/8/8/8/KB1B4 w - - 0 1",
            "8/8/8/4k3/8/8/P7/KR6 w - - 0 1",
            "8/8/8/4k1r1/8/8/8/KR6 w - - 0 1",
            "8/8/8/4k3/8/8/8/K7 w - - 0 1",
        ] {
            assert_eq!(score(fen), None, "{fen}");
        }
        let won = score("8/8/8/4k3/8/8/8/KR6 w - - 0 1").expect("a won ending");
        assert_eq!(score("8/8/8/4k3/8/8/8/KR6 b - - 0 1"), Some(-won));
        assert!(won > WON);
    }

    #[test]
    fn the_edge_is_nearer_to_mate_and_of_the_corners_the_bishops() {
        assert!(score("7k/8/8/8/8/8/8/KR6 w - - 0 1") > score("4k3/8/8/8/8/8/8/KR6 w - - 0 1"));
        // A bishop on c1 goes on dark squares, as h8 is; on b1 on light ones, as a8 is.
        assert!(score("7k/8/8/8/8/8/8/KNB5 w - - 0 1") > score("k7/8/8/8/8/8/8/KNB5 w - - 0 1"));
        assert!(score("k7/8/8/8/8/8/8/KBN5 w - - 0 1") > score("7k/8/8/8/8/8/8/KBN5 w - - 0 1"));
    }
}
