//! A king alone that holds: it stops the last pawn, or stands in the corner of a rook pawn.
//!
//! Sources: <https://www.chessprogramming.org/King_and_Pawn_versus_King> (key squares),
//! <https://www.chessprogramming.org/Rule_of_the_Square>, <https://www.chessprogramming.org/Wrong_Color_Bishop>.

use crate::chess::{Bitboard, Board, Colour, File, Rank, Role, Square};

/// Whether the defender, who has nothing but a king, is sure of a draw. Draws that it takes more to see are not told.
pub(super) fn holds(board: &Board, defender: Colour) -> bool {
    let attacker = !defender;
    let pawns = board.pieces(attacker, Role::Pawn);
    let Some(pawn) = pawns.first() else { return false };
    let pieces = board.colour(attacker).without(pawns | board.king(attacker).into());
    let king = board.king(defender);
    if pieces.any() || pawns.many() {
        let only_bishops = pieces.without(board.role(Role::Bishop)).is_empty();
        return only_bishops && holds_corner(king, attacker, pawns, pieces);
    }
    // The pawn comes from below, on one of the files a to d.
    let seen = |square: Square| {
        let turned = square.relative_to(attacker);
        if pawn.file() > File::D { turned.mirror_file() } else { turned }
    };
    stops(seen(pawn), seen(board.king(attacker)), seen(king), board.side_to_move() == defender)
}

/// Whether all pawns are on one rook's file, and the king holds the corner that they go to, where none of the bishops
/// ever comes.
fn holds_corner(king: Square, attacker: Colour, pawns: Bitboard, bishops: Bitboard) -> bool {
    let Some(file) = [File::A, File::H].into_iter().find(|&file| pawns.without(Bitboard::file(file)).is_empty()) else {
        return false;
    };
    let corner = Square::at(file, Rank::EIGHTH).relative_to(attacker);
    let light = Bitboard::LIGHT_SQUARES;
    let of_its_colour = if light.has(corner) { light } else { Bitboard::ALL.without(light) };
    (bishops & of_its_colour).is_empty() && king.distance(corner) <= 1
}

/// Whether a king stops a pawn of White's that its own king may help.
fn stops(pawn: Square, own: Square, king: Square, king_moves: bool) -> bool {
    let up = |ranks: u8| Square::new(pawn.index() as u8 + 8 * ranks);
    let rank = pawn.rank().index() as u8;
    // A king that is not to move comes a move later.
    let late = u32::from(!king_moves);
    let sooner = |square: Square| king.distance(square) + late < own.distance(square);

    if king_moves && king.distance(pawn) == 1 && own.distance(pawn) > 1 {
        return true;
    }
    let steps = if rank == 1 { 5 } else { 7 - rank };
    if king.distance(up(7 - rank)) > u32::from(steps) + 1 - late {
        return false;
    }
    if sooner(pawn) && sooner(up(1)) {
        return true;
    }
    if pawn.file() == File::A {
        let (b7, b8) = (Square::new(49), Square::new(57));
        return king.distance(b8) + late <= own.distance(b7);
    }
    // From its key squares the pawn's own king would force it through.
    rank <= 4 && [-1, 0, 1].into_iter().all(|file| sooner(up(2).offset(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn white_is_held(fen: &str) -> bool {
        holds(&Board::from_fen(fen).expect("a position"), Colour::Black)
    }

    #[test]
    fn the_corner_of_a_rook_pawn_is_held_but_against_its_own_bishop() {
        assert!(white_is_held("k7/8/8/P7/P7/8/8/K7 w - - 0 1"));
        assert!(white_is_held("1k6/8/8/P2K4/8/8/4B3/8 b - - 0 1") != white_is_held("1k6/8/8/P2K4/8/8/3B4/8 b - - 0 1"));
        assert!(white_is_held("6k1/8/8/7P/3K4/8/4B3/8 b - - 0 1"));
        for fen in [
            "k7/8/8/P7/1P6/8/8/K7 w - - 0 1",
            "k7/8/8/P7/8/8/8/K1N5 w - - 0 1",
            "8/8/3k4/P7/P7/8/8/K7 w - - 0 1",
            "k7/8/8/8/8/8/8/K1B5 w - - 0 1",
        ] {
            assert!(!white_is_held(fen), "{fen}");
        }
    }

    #[test]
    fn both_colours_and_wings_hold_alike() {
        for (fen, held) in [("8/8/8/4k3/4p3/8/4K3/8 w - - 0 1", true), ("8/8/8/8/3kp3/8/8/7K w - - 0 1", false)] {
            let board = Board::from_fen(fen).expect("a position");
            assert_eq!(holds(&board, Colour::White), held, "{fen}");
        }
    }
}
