//! What the search remembers of quiet moves: which ones refuted their rivals.
//!
//! Sources: <https://www.chessprogramming.org/Killer_Heuristic>, <https://www.chessprogramming.org/History_Heuristic>.

use crate::chess::{Board, Move, Piece};

use crate::MAX_PLY;

/// The magnitude that a history score never passes.
pub(super) const HISTORY_MAX: i32 = 8_192;

/// Killers by ply, and scores by piece and target square: 1.5 KB and a little.
#[derive(Clone, Debug)]
pub(super) struct History {
    killers: [[Option<Move>; 2]; MAX_PLY],
    scores: [[i16; 64]; Piece::COUNT],
}

impl History {
    pub(super) const EMPTY: Self = Self { killers: [[None; 2]; MAX_PLY], scores: [[0; 64]; Piece::COUNT] };

    /// The two quiet moves that last refuted a position at this ply.
    pub(super) fn killers(&self, ply: usize) -> [Option<Move>; 2] {
        self.killers.get(ply).copied().unwrap_or_default()
    }

    /// How well a quiet move has done elsewhere, within ±[`HISTORY_MAX`].
    pub(super) fn score(&self, board: &Board, mv: Move) -> i32 {
        board.piece_on(mv.from()).map_or(0, |piece| i32::from(self.scores[piece.index()][mv.to().index()]))
    }

    /// Notes that `best` refuted the position after `tried` (quiet moves all) had failed.
    pub(super) fn reward(&mut self, board: &Board, ply: usize, depth: i32, best: Move, tried: &[Move]) {
        if let Some(killers) = self.killers.get_mut(ply)
            && killers[0] != Some(best)
        {
            *killers = [Some(best), killers[0]];
        }
        let bonus = (16 * depth * depth).min(1_200);
        self.change(board, best, bonus);
        for &mv in tried {
            self.change(board, mv, -bonus);
        }
    }

    /// Moves a score towards the limit that the bonus points to; the nearer it is, the less.
    fn change(&mut self, board: &Board, mv: Move, bonus: i32) {
        if let Some(piece) = board.piece_on(mv.from()) {
            let score = &mut self.scores[piece.index()][mv.to().index()];
            *score += (bonus - i32::from(*score) * bonus.abs() / HISTORY_MAX) as i16;
        }
    }

    /// Forgets the killers and half of every score: a new search begins.
    pub(super) fn age(&mut self) {
        self.killers = [[None; 2]; MAX_PLY];
        for score in self.scores.iter_mut().flatten() {
            *score /= 2;
        }
    }
}
