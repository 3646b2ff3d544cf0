//! Static exchange evaluation: what a series of captures on one square is worth.
//!
//! Source: <https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm>.

use crate::chess::{Bitboard, Board, Move, MoveKind, Role, attacks};

/// What a piece of each role counts in an exchange, in centipawns. The king's makes taking it out of the question.
const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 20_000];

/// The exchange value of a role, in centipawns.
#[must_use]
pub const fn value(role: Role) -> i32 {
    VALUES[role.index()]
}

/// Whether a legal move, with best play in the exchange that follows on its target square, wins at least `threshold`
/// centipawns. Castling and moves without an exchange win nothing. Pins are not looked at.
#[must_use]
pub fn wins_at_least(board: &Board, mv: Move, threshold: i32) -> bool {
    if mv.kind() == MoveKind::Castling {
        return threshold <= 0;
    }
    let Some(mover) = board.role_on(mv.from()) else { return false };
    let (captured, standing) = match mv.kind() {
        MoveKind::EnPassant => (value(Role::Pawn), mover),
        MoveKind::Promotion(role) => {
            let taken = board.role_on(mv.to()).map_or(0, value);
            (taken + value(role) - value(Role::Pawn), role)
        }
        _ => (board.role_on(mv.to()).map_or(0, value), mover),
    };

    // What the side that has just captured is ahead of what it needs, if the exchange stops here.
    let mut balance = captured - threshold;
    if balance < 0 {
        return false;
    }
    // And if its piece is lost for nothing.
    balance -= value(standing);
    if balance >= 0 {
        return true;
    }

    let to = mv.to();
    let mut occupied = board.occupied() ^ mv.from().into() | to.into();
    if mv.kind() == MoveKind::EnPassant {
        occupied ^= to.offset(-board.side_to_move().forward()).into();
    }
    let diagonal = board.role(Role::Bishop) | board.role(Role::Queen);
    let straight = board.role(Role::Rook) | board.role(Role::Queen);
    let mut attackers = board.attackers(to, occupied);
    let mut side = !board.side_to_move();
    loop {
        attackers &= occupied;
        let ours = attackers & board.colour(side);
        if ours.is_empty() {
            break;
        }
        let Some((role, from)) = least(board, ours) else { break };
        side = !side;
        // The king may take last only if nothing is left to take it.
        if role == Role::King && (attackers & board.colour(side)).any() {
            side = !side;
            break;
        }
        occupied ^= from;
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook(to, occupied) & straight;
        }
        balance = -balance - 1 - value(role);
        if balance >= 0 {
            break;
        }
    }
    // The side to move has no capture left that helps it: the exchange went to the other one.
    side != board.side_to_move()
}

/// The least valuable role of a set, and one of its pieces.
fn least(board: &Board, set: Bitboard) -> Option<(Role, Bitboard)> {
    Role::ALL.into_iter().find_map(|role| {
        let square = (set & board.role(role)).first()?;
        Some((role, Bitboard::square(square)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_are_worth_what_they_win() {
        for (fen, mv, worth) in [
            ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100),
            ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100 - 500),
            ("4k3/8/4p3/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100 - 500 + 100),
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", 100 - 320),
            ("4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1", "c4d3", 100),
            ("4k3/8/8/8/2pP4/8/4P3/4K3 b - d3 0 1", "c4d3", 0),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 850),
            ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -100),
            ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", 850 + 500),
            ("4k3/8/8/8/8/8/4q3/4K2R w K - 0 1", "e1e2", 950),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_move(mv.as_bytes()).unwrap();
            assert!(wins_at_least(&board, mv, worth), "{fen} {mv:?} wins {worth}");
            assert!(!wins_at_least(&board, mv, worth + 1), "{fen} {mv:?} wins no more than {worth}");
        }
    }
}
