//! A position and the game that led to it: repetition, the move counters, how it ended.

use super::{Bitboard, Board, Colour, Move, Role};
use crate::MAX_PLY;

/// How many keys are kept: the hundred plies in which a repetition can matter, and the depth of a search on top.
const KEPT: usize = (100 + MAX_PLY).next_power_of_two();

/// The keys of the positions passed on the way to the present one: the game's, then the search's.
#[derive(Clone, Debug)]
pub struct KeyHistory {
    keys: [u64; KEPT],
    /// How many keys were pushed and not popped; older ones than the last [`KEPT`] are overwritten.
    len: usize,
    /// How many there were when the turn was last passed: nothing before it was reached by moves alone.
    floor: usize,
}

impl KeyHistory {
    const fn new() -> Self {
        Self { keys: [0; KEPT], len: 0, floor: 0 }
    }

    /// Notes the key of a position that is being left by a move.
    pub fn push(&mut self, key: u64) {
        self.keys[self.len % KEPT] = key;
        self.len += 1;
    }

    /// Takes back the last push.
    pub fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    /// Notes that the turn is being passed: positions from before it are no repetitions. Gives what
    /// [`end_pass`](Self::end_pass) needs.
    pub fn begin_pass(&mut self) -> usize {
        core::mem::replace(&mut self.floor, self.len)
    }

    /// Takes back a pass.
    pub fn end_pass(&mut self, begun: usize) {
        self.floor = begun;
    }

    /// How far back (in plies) the same position stood, nearest first, looking only past reversible moves.
    pub fn repetitions(&self, board: &Board) -> impl Iterator<Item = usize> {
        let key = board.key();
        let reach = usize::from(board.halfmove_clock()).min(self.len.saturating_sub(self.floor)).min(KEPT);
        let back = (4..=reach).step_by(2);
        back.filter(move |back| self.keys[(self.len - back) % KEPT] == key)
    }
}

/// Why a game is over, or may be claimed to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side can ever mate.
    InsufficientMaterial,
    /// The position stands for the fifth time.
    FivefoldRepetition,
    /// Seventy-five moves a side without a capture or pawn move.
    SeventyFiveMoves,
    /// The position stands for the third time: a draw if a player claims it.
    ThreefoldRepetition,
    /// Fifty moves a side without a capture or pawn move: a draw if a player claims it.
    FiftyMoves,
}

/// A board with the history that repetition needs.
#[derive(Clone, Debug)]
pub struct Game {
    board: Board,
    history: KeyHistory,
}

impl Game {
    /// A game that starts from a position.
    #[must_use]
    pub const fn new(board: Board) -> Self {
        Self { board, history: KeyHistory::new() }
    }

    /// The present position.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The keys of the positions before it.
    #[must_use]
    pub const fn history(&self) -> &KeyHistory {
        &self.history
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.history.push(self.board.key());
        self.board.play(mv);
    }

    /// Why the game is over, if it is: what ends it by itself first, then what a player may claim.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        let board = &self.board;
        let earlier = self.history.repetitions(board).count();
        if !board.has_legal_moves() {
            return Some(if board.in_check() { Ending::Checkmate } else { Ending::Stalemate });
        }
        if board.is_insufficient_material() {
            return Some(Ending::InsufficientMaterial);
        }
        match (earlier, board.halfmove_clock()) {
            (4.., _) => Some(Ending::FivefoldRepetition),
            (_, 150..) => Some(Ending::SeventyFiveMoves),
            (2.., _) => Some(Ending::ThreefoldRepetition),
            (_, 100..) => Some(Ending::FiftyMoves),
            _ => None,
        }
    }
}

impl Board {
    /// Whether neither side can mate by any play: bare kings, one minor piece, or bishops that all stand on squares
    /// of one colour.
    #[must_use]
    pub fn is_insufficient_material(&self) -> bool {
        let heavy = self.role(Role::Pawn) | self.role(Role::Rook) | self.role(Role::Queen);
        if heavy.any() {
            return false;
        }
        let knights = self.role(Role::Knight);
        let bishops = self.role(Role::Bishop);
        let on_light = bishops & Bitboard::LIGHT_SQUARES;
        if knights.is_empty() { on_light.is_empty() || on_light == bishops } else { !(knights | bishops).many() }
    }

    /// Whether `colour` alone can never mate: it has nothing but its king and at most one minor piece.
    #[must_use]
    pub fn lacks_mating_material(&self, colour: Colour) -> bool {
        let ours = self.colour(colour);
        let minors = (self.role(Role::Knight) | self.role(Role::Bishop)) & ours;
        ours.without(minors).len() == 1 && !minors.many()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(fen: &str, moves: &str) -> Game {
        let mut game = Game::new(Board::from_fen(fen).unwrap());
        for text in moves.split_ascii_whitespace() {
            let mv = game.board().parse_move(text.as_bytes()).unwrap();
            game.play(mv);
        }
        game
    }

    #[test]
    fn endings_are_seen() {
        let start = super::super::START_FEN;
        let shuffle = "g1f3 g8f6 f3g1 f6g8 ";
        for (fen, moves, ending) in [
            (start, "f2f3 e7e5 g2g4 d8h4", Some(Ending::Checkmate)),
            (start, shuffle, None),
            (start, &shuffle.repeat(2), Some(Ending::ThreefoldRepetition)),
            (start, &shuffle.repeat(4), Some(Ending::FivefoldRepetition)),
            (start, &shuffle.repeat(250), Some(Ending::FivefoldRepetition)),
            ("7k/8/5KQ1/8/8/8/8/8 b - - 3 1", "", Some(Ending::Stalemate)),
            ("6k1/8/8/8/8/8/8/K6R w - - 99 80", "a1a2", Some(Ending::FiftyMoves)),
            ("6k1/8/8/8/8/8/8/K6R w - - 149 99", "a1a2", Some(Ending::SeventyFiveMoves)),
            ("k7/8/1K6/8/8/8/8/7R w - - 99 80", "h1h8", Some(Ending::Checkmate)),
            ("7k/8/8/8/8/8/8/KB1N4 w - - 0 1", "", None),
            ("7k/8/8/8/8/8/8/KN6 w - - 0 1", "", Some(Ending::InsufficientMaterial)),
            ("5b1k/8/8/8/8/8/8/KB6 w - - 0 1", "", None),
            ("5b1k/8/8/8/8/8/8/K1B5 w - - 0 1", "", Some(Ending::InsufficientMaterial)),
        ] {
            assert_eq!(played(fen, moves).ending(), ending, "{fen} {moves}");
        }
    }
}
