//! What a move looks like before it is searched: 32 small numbers, for models that tell good moves from bad ones.
//!
//! All are seen by the side to move: ranks are counted from its own, so a move and its mirror image with the colours
//! changed have the same features. Pieces weigh what [`WEIGHTS`] says; "before" and "after" mean the move. In
//! castling it is the king that moves, to where it lands.

use crate::chess::{Bitboard, Board, Colour, Move, MoveKind, Role, Square, Wing, attacks};

/// How many numbers describe a move.
pub const FEATURES: usize = 32;

/// The features of a move, in the order of [`NAMES`].
pub type Features = [i8; FEATURES];

/// What a piece of each role weighs, in pawns; for the king what attacking it counts.
pub const WEIGHTS: [i8; 6] = [1, 3, 3, 5, 9, 10];

/// What each feature is.
pub const NAMES: [&str; FEATURES] = [
    "weight of the piece that moves",
    "weight of the piece that is taken",
    "weight that a promotion gains",
    "rank before",
    "file before",
    "rank after",
    "file after",
    "castling",
    "evades a check",
    "gives check",
    "stage: 24 with all pieces, 0 with pawns alone",
    "enemies that attack it, before",
    "enemies that attack it, after",
    "weight of the lightest of them, before",
    "weight of the lightest of them, after",
    "own pieces that defend it, before",
    "own pieces that defend it, after",
    "weight of the enemies that it attacks, before",
    "weight of the enemies that it attacks, after",
    "weight of the heaviest of them, before",
    "weight of the heaviest of them, after",
    "weight of the own pieces that it defends, before",
    "weight of the own pieces that it defends, after",
    "steps from the own king, before",
    "steps from the own king, after",
    "steps from the enemy king, before",
    "steps from the enemy king, after",
    "steps from the centre, before",
    "steps from the centre, after",
    "squares that it attacks more after than before",
    "squares next to the enemy king that it attacks, after",
    "weight that it may lose where it goes",
];

/// What a non-pawn adds to the stage of the game, by role.
const STAGE: [u32; 6] = [0, 1, 1, 2, 4, 0];

const fn weight(role: Role) -> i8 {
    WEIGHTS[role.index()]
}

/// The features of a legal move. One that is not legal has features without meaning, but no panic.
#[must_use]
pub fn of(board: &Board, mv: Move) -> Features {
    let us = board.side_to_move();
    let mover = board.role_on(mv.from()).unwrap_or(Role::Pawn);
    let after = board.after(mv);
    let to = lands_on(mv);
    let stands = mv.promotes_to().unwrap_or(mover);
    let captured = match mv.kind() {
        MoveKind::Castling => 0,
        MoveKind::EnPassant => weight(Role::Pawn),
        _ => board.role_on(mv.to()).map_or(0, weight),
    };
    let promotion = mv.promotes_to().map_or(0, |role| weight(role) - weight(Role::Pawn));
    let here = Standing::of(board, us, mover, mv.from());
    let there = Standing::of(&after, us, stands, to);
    let rank = |square: Square| square.relative_to(us).rank().index() as i8;
    let file = |square: Square| square.file().index() as i8;
    [
        weight(mover),
        captured,
        promotion,
        rank(mv.from()),
        file(mv.from()),
        rank(to),
        file(to),
        i8::from(mv.kind() == MoveKind::Castling),
        i8::from(board.in_check()),
        i8::from(after.in_check()),
        stage(board),
        here.attackers,
        there.attackers,
        here.lightest,
        there.lightest,
        here.defenders,
        there.defenders,
        here.attacked,
        there.attacked,
        here.heaviest,
        there.heaviest,
        here.defended,
        there.defended,
        steps(mv.from(), board.king(us)),
        steps(to, after.king(us)),
        steps(mv.from(), board.king(!us)),
        steps(to, board.king(!us)),
        steps_from_centre(mv.from()),
        steps_from_centre(to),
        there.reach.len() as i8 - here.reach.len() as i8,
        (there.reach & attacks::king(board.king(!us))).len() as i8,
        there.at_risk(stands),
    ]
}

/// Where the piece that moves lands: for castling, the king's square.
const fn lands_on(mv: Move) -> Square {
    match mv.kind() {
        MoveKind::Castling => {
            let wing = if mv.to().index() > mv.from().index() { Wing::King } else { Wing::Queen };
            Square::at(wing.king_file(), mv.from().rank())
        }
        _ => mv.to(),
    }
}

/// How a piece stands on a square.
#[derive(Clone, Copy, Debug)]
struct Standing {
    /// Enemies that attack it, and the weight of the lightest; 0 for none.
    attackers: i8,
    lightest: i8,
    /// Own pieces that defend it.
    defenders: i8,
    /// The weight of the enemies that it attacks, of the heaviest of them, and of the own pieces that it defends.
    attacked: i8,
    heaviest: i8,
    defended: i8,
    /// What it attacks.
    reach: Bitboard,
}

impl Standing {
    fn of(board: &Board, us: Colour, role: Role, square: Square) -> Self {
        let occupied = board.occupied();
        let around = board.attackers(square, occupied);
        let enemies = around & board.colour(!us);
        let reach = match role {
            Role::Pawn => attacks::pawn(us, square),
            _ => attacks::piece(role, square, occupied),
        };
        let attacked = reach & board.colour(!us);
        // The own king needs no defence.
        let defended = reach & board.colour(us).without(board.role(Role::King));
        let among = |set: Bitboard| move |role: &Role| (set & board.role(*role)).any();
        Self {
            attackers: enemies.len() as i8,
            lightest: Role::ALL.into_iter().find(among(enemies)).map_or(0, weight),
            defenders: (around & board.colour(us)).len() as i8,
            attacked: weight_of(board, attacked),
            heaviest: Role::ALL.into_iter().rev().find(among(attacked)).map_or(0, weight),
            defended: weight_of(board, defended),
            reach,
        }
    }

    /// What may be lost of a piece that stands so: its weight if nothing defends it, what it weighs more than the
    /// lightest attacker if something does.
    const fn at_risk(&self, role: Role) -> i8 {
        match (self.attackers, self.defenders) {
            (0, _) => 0,
            (_, 0) => weight(role),
            _ if weight(role) > self.lightest => weight(role) - self.lightest,
            _ => 0,
        }
    }
}

/// The weight of a set of pieces: at most eight, as a queen attacks no more, and so at most 73.
fn weight_of(board: &Board, set: Bitboard) -> i8 {
    Role::ALL.into_iter().map(|role| (set & board.role(role)).len() as i8 * weight(role)).sum()
}

/// How many pieces there still are, from 24 to 0.
fn stage(board: &Board) -> i8 {
    Role::ALL.into_iter().map(|role| board.role(role).len() * STAGE[role.index()]).sum::<u32>().min(24) as i8
}

/// A king's steps from one square to another.
const fn steps(a: Square, b: Square) -> i8 {
    let files = a.file().index().abs_diff(b.file().index());
    let ranks = a.rank().index().abs_diff(b.rank().index());
    if files > ranks { files as i8 } else { ranks as i8 }
}

/// A king's steps to the nearest of the four central squares.
const fn steps_from_centre(square: Square) -> i8 {
    const OUT: [i8; 8] = [3, 2, 1, 0, 0, 1, 2, 3];
    let (file, rank) = (OUT[square.file().index()], OUT[square.rank().index()]);
    if file > rank { file } else { rank }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(fen: &str, mv: &str) -> Features {
        let board = Board::from_fen(fen).unwrap();
        of(&board, board.parse_move(mv.as_bytes()).unwrap())
    }

    /// Looks a feature up by its name.
    fn named(features: &Features, name: &str) -> i8 {
        features[NAMES.iter().position(|known| *known == name).unwrap()]
    }

    #[test]
    fn a_capture_tells_what_it_takes_and_what_it_risks() {
        // The rook takes a pawn that a pawn defends.
        let seen = features("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5");
        for (name, expected) in [
            ("weight of the piece that moves", 5),
            ("weight of the piece that is taken", 1),
            ("rank before", 0),
            ("rank after", 4),
            ("enemies that attack it, before", 0),
            ("enemies that attack it, after", 1),
            ("weight of the lightest of them, after", 1),
            ("own pieces that defend it, before", 1),
            ("own pieces that defend it, after", 0),
            ("weight of the enemies that it attacks, before", 1),
            ("steps from the own king, before", 1),
            ("steps from the own king, after", 4),
            ("steps from the enemy king, after", 3),
            ("weight that it may lose where it goes", 5),
            ("stage: 24 with all pieces, 0 with pawns alone", 2),
            ("gives check", 0),
        ] {
            assert_eq!(named(&seen, name), expected, "{name}");
        }
    }

    #[test]
    fn castling_moves_the_king_and_a_promotion_gains() {
        let castled = features("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1");
        assert_eq!((named(&castled, "castling"), named(&castled, "file after")), (1, 6));
        assert_eq!(named(&castled, "weight of the piece that is taken"), 0);
        let promoted = features("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q");
        assert_eq!(named(&promoted, "weight that a promotion gains"), 8);
        assert_eq!(named(&promoted, "gives check"), 1);
        // Seven squares of the file, seven of the diagonal, four of the rank as far as the king; the pawn attacked one.
        assert_eq!(named(&promoted, "squares that it attacks more after than before"), 17);
    }

    #[test]
    fn what_a_queen_attacks_fits() {
        // Eight queens round a queen: no more can be attacked.
        let surrounded = features("7K/k7/8/1q1q1q2/8/1q1Q1q2/8/1q1q1q2 w - - 0 1", "d3e3");
        assert_eq!(named(&surrounded, "weight of the enemies that it attacks, before"), 72);
    }
}
