//! A game as it is being played: where it started, its moves, and what the rules say of it now.

use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, Move, Position,
    fen::Fen,
    san::SanPlus,
    uci::UciMove,
    zobrist::{Zobrist64, ZobristValue},
};

/// Half-moves without capture or pawn move after which the game is drawn.
const FIFTY_MOVES: u32 = 100;

/// One move, in the notations that engines and people read.
#[derive(Clone, Debug)]
pub struct Ply {
    /// The move itself.
    pub mv: Move,
    /// As UCI writes it: `e2e4`, `e7e8q`; castling is `e1g1`, in Chess960 king takes rook.
    pub uci: String,
    /// As people write it, with check and mate marks.
    pub san: String,
}

/// How the rules of chess end a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side has the pieces to mate.
    InsufficientMaterial,
    /// The position has stood on the board three times.
    Threefold,
    /// Fifty moves by each side without capture or pawn move.
    FiftyMoves,
}

/// A start position and the moves played from it.
#[derive(Clone, Debug)]
pub struct Line {
    start: Chess,
    position: Chess,
    plies: Vec<Ply>,
    keys: Vec<Zobrist64>,
}

impl Default for Line {
    fn default() -> Line {
        Line::new(Chess::default())
    }
}

impl Line {
    /// A game that begins at `start`, whose castling mode it keeps.
    pub fn new(start: Chess) -> Line {
        let keys = vec![key(&start)];
        Line { position: start.clone(), start, plies: Vec::new(), keys }
    }

    /// Standard chess or Chess960.
    pub fn mode(&self) -> CastlingMode {
        self.start.castles().mode()
    }

    /// The position now.
    pub fn position(&self) -> &Chess {
        &self.position
    }

    /// The side to move now.
    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    /// Every move since the start.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The position that the game began at.
    pub fn start(&self) -> &Chess {
        &self.start
    }

    /// The start position as a FEN, or `None` for the usual one.
    pub fn start_fen(&self) -> Option<String> {
        let usual = self.start == Chess::default();
        (!usual).then(|| Fen::from_position(&self.start, EnPassantMode::Legal).to_string())
    }

    /// Plays a move, which must be legal.
    pub fn play(&mut self, mv: Move) {
        let uci = UciMove::from_move(mv, self.mode()).to_string();
        let san = SanPlus::from_move_and_play_unchecked(&mut self.position, mv).to_string();
        self.plies.push(Ply { mv, uci, san });
        self.keys.push(key(&self.position));
    }

    /// Takes the last move back; whether there was one.
    pub fn take_back(&mut self) -> bool {
        let Some(_) = self.plies.pop() else { return false };
        self.keys.pop();
        self.position = self.start.clone();
        for ply in &self.plies {
            self.position.play_unchecked(ply.mv);
        }
        true
    }

    /// What the rules say of the position now; `None` while the game goes on. Mate on the fiftieth move is mate.
    pub fn ruling(&self) -> Option<Ruling> {
        if self.position.legal_moves().is_empty() {
            return Some(if self.position.is_check() { Ruling::Checkmate } else { Ruling::Stalemate });
        }
        if self.position.is_insufficient_material() {
            return Some(Ruling::InsufficientMaterial);
        }
        if self.occurrences() >= 3 {
            return Some(Ruling::Threefold);
        }
        (self.position.halfmoves() >= FIFTY_MOVES).then_some(Ruling::FiftyMoves)
    }

    /// How often the position now has stood on the board, this time included.
    fn occurrences(&self) -> usize {
        let now = key(&self.position);
        self.keys.iter().filter(|&&k| k == now).count()
    }
}

/// The identity of a position for repetition: an en passant square counts only where a capture is legal.
fn key<K: ZobristValue>(position: &Chess) -> K {
    position.zobrist_hash(EnPassantMode::Legal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(fen: &str, moves: &str) -> Line {
        let fen: Fen = fen.parse().unwrap();
        let mut line = Line::new(fen.into_position(CastlingMode::Standard).unwrap());
        for text in moves.split_whitespace() {
            let mv = text.parse::<UciMove>().unwrap().to_move(line.position()).unwrap();
            line.play(mv);
        }
        line
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_start_position_counts_for_repetition() {
        let twice = line(START, "g1f3 g8f6 f3g1 f6g8");
        assert_eq!(twice.ruling(), None);
        let thrice = line(START, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
        assert_eq!(thrice.ruling(), Some(Ruling::Threefold));
    }

    #[test]
    fn what_is_taken_back_has_not_been() {
        let mut shuffled = line(START, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
        assert!(shuffled.take_back());
        assert_eq!(shuffled.ruling(), None);
        let same = line(START, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
        assert_eq!(shuffled.position(), same.position());
        shuffled.play(shuffled.position().legal_moves()[0]);
        while shuffled.take_back() {}
        assert_eq!(shuffled.position(), shuffled.start());
        assert!(!shuffled.take_back());
    }

    #[test]
    fn lost_castling_rights_are_another_position() {
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        let shuffled = line(fen, "h1h2 e8d8 h2h1 d8e8 h1h2 e8d8 h2h1 d8e8");
        assert_eq!(shuffled.ruling(), None);
    }

    #[test]
    fn mate_on_the_fiftieth_move_is_mate() {
        let mated = line("k7/8/1K6/8/8/8/8/7R w - - 99 80", "h1h8");
        assert_eq!(mated.ruling(), Some(Ruling::Checkmate));
        let drawn = line("k7/8/1K6/8/8/8/8/7R w - - 99 80", "h1h7");
        assert_eq!(drawn.ruling(), Some(Ruling::FiftyMoves));
    }

    #[test]
    fn stalemate_and_bare_kings() {
        assert_eq!(line("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "c1c7").ruling(), Some(Ruling::Stalemate));
        assert_eq!(line("k7/8/8/8/8/8/1p6/K7 w - - 0 1", "a1b2").ruling(), Some(Ruling::InsufficientMaterial));
    }

    #[test]
    fn only_an_unusual_start_needs_a_fen() {
        assert_eq!(line(START, "e2e4").start_fen(), None);
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        assert_eq!(line(fen, "").start_fen().as_deref(), Some(fen));
    }
}
