//! Weights of what a move does, learnt so that the sum tells how likely a strong player is to choose the move: the
//! chance of each of a position's moves is proportional to the exponential of its sum (a conditional logit).
//!
//! What a move does are its *terms*, at most [`MAX_TERMS`] of [`weights`] numbers. For each stage of the game, and for
//! kings on the same wing or on opposite ones: the piece leaves a square, and goes to one (six roles of 64 squares
//! each). And by role alone: it leaves a square, or goes to one, where something lighter attacks it; it gives check; it
//! takes such a piece; it becomes one. Squares are seen from the mover's side, mirrored so that its king stands on
//! files a to d.

use super::MAX_SCORE;
use crate::chess::{Bitboard, Board, Colour, Move, MoveKind, Role, Square, Wing, attacks};
use crate::net::features::bucket;
use crate::net::header::PriorShape;

/// The most terms of a move.
pub const MAX_TERMS: usize = 7;

/// The terms of a move: each below [`weights`].
pub type Terms = heapless::Vec<u16, MAX_TERMS>;

/// Weights of a stage with the kings on one wing, or on two: leaving, then going to, by role and square.
const SQUARES: usize = 2 * 6 * 64;

/// Weights by role alone.
const ROLES: usize = 5 * 6;

/// How many weights a prior of so many stages has.
#[must_use]
pub const fn weights(stages: usize) -> usize {
    2 * stages * SQUARES + ROLES
}

/// What is the same for all moves of a position.
#[derive(Debug)]
pub struct Look<'a> {
    board: &'a Board,
    /// What turns a square's index, as the mover sees it.
    turn: usize,
    /// Where the weights of this stage and these wings begin.
    squares: usize,
    /// Where the weights by role begin.
    roles: usize,
    /// By role, the squares where something lighter would attack it.
    threatened: [Bitboard; 6],
    /// By role, the squares from which it would give check.
    checking: [Bitboard; 6],
}

impl<'a> Look<'a> {
    /// Looks at a position, telling so many stages apart.
    #[must_use]
    pub fn at(board: &'a Board, stages: usize) -> Self {
        let us = board.side_to_move();
        let (own, other) = (board.king(us), board.king(!us));
        let mirrored = own.file().index() >= 4;
        let opposite = mirrored != (other.file().index() >= 4);
        let ranks = if us == Colour::White { 0 } else { 0b111_000 };
        let stage = bucket(board.occupied().len(), stages);
        Self {
            board,
            turn: ranks | if mirrored { 0b000_111 } else { 0 },
            squares: (2 * stage + usize::from(opposite)) * SQUARES,
            roles: 2 * stages * SQUARES,
            threatened: threatened(board, !us),
            checking: checking(board, us, other),
        }
    }

    /// The terms of a legal move.
    #[must_use]
    pub fn terms(&self, mv: Move) -> Terms {
        let mut terms = Terms::new();
        let Some(role) = self.board.role_on(mv.from()) else { return terms };
        let to = if mv.kind() == MoveKind::Castling { castles_to(mv) } else { mv.to() };
        let square =
            |half: usize, square: Square| self.squares + (half * 6 + role.index()) * 64 + (square.index() ^ self.turn);
        let by_role = |group: usize, role: Role| self.roles + group * 6 + role.index();
        let stands = mv.promotes_to().unwrap_or(role);
        let taken = match mv.kind() {
            MoveKind::Castling => None,
            MoveKind::EnPassant => Some(Role::Pawn),
            _ => self.board.role_on(mv.to()),
        };
        let if_on = |set: Bitboard, square: Square, term: usize| set.has(square).then_some(term);
        let found = [
            Some(square(0, mv.from())),
            Some(square(1, to)),
            if_on(self.threatened[role.index()], mv.from(), by_role(0, role)),
            if_on(self.threatened[stands.index()], to, by_role(1, role)),
            if_on(self.checking[stands.index()], to, by_role(2, role)),
            taken.map(|role| by_role(3, role)),
            mv.promotes_to().map(|role| by_role(4, role)),
        ];
        terms.extend(found.into_iter().flatten().map(|term| term as u16));
        terms
    }
}

/// Where a king lands that castles.
const fn castles_to(mv: Move) -> Square {
    let wing = if mv.to().index() > mv.from().index() { Wing::King } else { Wing::Queen };
    Square::at(wing.king_file(), mv.from().rank())
}

/// By role, the squares where a piece of the other side would be attacked by something of `them` that is lighter; for
/// pawns, by a pawn.
fn threatened(board: &Board, them: Colour) -> [Bitboard; 6] {
    let occupied = board.occupied();
    let reach = |role: Role| {
        let pieces = board.pieces(them, role).into_iter();
        pieces.fold(Bitboard::EMPTY, |reach, square| reach | attacks::piece(role, square, occupied))
    };
    let pawns = attacks::pawns(them, board.pieces(them, Role::Pawn));
    let minors = pawns | reach(Role::Knight) | reach(Role::Bishop);
    let rooks = minors | reach(Role::Rook);
    [pawns, pawns, pawns, minors, rooks, Bitboard::EMPTY]
}

/// By role, the squares from which a piece of `us` would attack the king.
fn checking(board: &Board, us: Colour, king: Square) -> [Bitboard; 6] {
    let occupied = board.occupied();
    let (diagonal, straight) = (attacks::bishop(king, occupied), attacks::rook(king, occupied));
    let pawn = attacks::pawn(!us, king);
    [pawn, attacks::knight(king), diagonal, straight, diagonal | straight, Bitboard::EMPTY]
}

/// A prior whose weights lie in a blob.
#[derive(Clone, Copy, Debug)]
pub struct Prior<'a> {
    weights: &'a [i8],
    stages: usize,
    scale: i32,
}

impl<'a> Prior<'a> {
    /// The prior of these weights, as many as the shape has.
    pub(super) fn new(shape: &PriorShape, weights: &'a [i8]) -> Self {
        Self { weights, stages: usize::from(shape.stages), scale: i32::from(shape.scale) }
    }

    /// The stages of the game that it tells apart.
    pub(super) const fn stages(&self) -> usize {
        self.stages
    }

    /// The score of a move.
    pub(super) fn score(&self, look: &Look<'_>, mv: Move) -> i32 {
        let weight = |term: &u16| self.weights.get(usize::from(*term)).map_or(0, |&weight| i32::from(weight));
        let sum: i32 = look.terms(mv).iter().map(weight).sum();
        ((sum * self.scale) >> 4).clamp(-MAX_SCORE, MAX_SCORE)
    }
}
