//! Quiescence: captures and promotions until nothing hangs, so that the evaluation sees a quiet position.
//!
//! Source: <https://www.chessprogramming.org/Quiescence_Search>.

use crate::chess::Board;

use super::observer::Observer;
use super::picker::{Picker, Wanted};
use super::score::{DRAW, INFINITE, MATE_BOUND, mated_in};
use super::searcher::{Search, faded};
use super::see;
use super::table::{Bound, Known};
use super::window::{Raise, Window};
use crate::MAX_PLY;

/// What a capture may bring on top of the piece it takes, in centipawns, when judged before it is searched.
const DELTA_MARGIN: i32 = 180;

impl<O: Observer> Search<'_, O> {
    /// The score of a position after its captures are played out. In check all evasions are searched.
    pub(super) fn quiesce(&mut self, board: &Board, alpha: i32, beta: i32, ply: usize) -> i32 {
        self.enter(ply);
        self.searcher.pv.clear(ply);
        if self.stopped {
            return DRAW;
        }
        if self.is_draw(board, ply) {
            return DRAW;
        }
        let known = self.table.probe(board.key(), ply);
        let eval = self.static_eval(board, known);
        let stand = faded(eval, board);
        if ply >= MAX_PLY || !self.searcher.moves.has_room() {
            return stand;
        }
        let mut window = Window::new(alpha, beta);
        let is_pv = window.is_open();
        if let Some(known) = known
            && !is_pv
            && known.decides(board, alpha, beta)
        {
            return known.score;
        }

        let in_check = board.in_check();
        if !in_check {
            // Nobody has to capture.
            window.best = stand;
            window.alpha = alpha.max(stand);
            if stand >= beta {
                if known.is_none() {
                    let found = Known { mv: None, score: stand, eval, depth: 0, bound: Bound::Lower };
                    self.table.store(board.key(), ply, found);
                }
                return stand;
            }
        }

        let wanted = if in_check { Wanted::All } else { Wanted::Winning };
        let hash_move = known.and_then(|known| known.mv);
        let mut picker =
            Picker::new(&self.searcher.moves, wanted, hash_move, [None; 2], self.ordering.at(0, self.nodes));
        while let Some(mv) = picker.next(&mut self.searcher.moves, board, &self.searcher.history) {
            if !in_check && mv.promotes_to().is_none() && window.alpha > -MATE_BOUND {
                let victim = board.role_on(mv.to()).map_or(see::value(crate::chess::Role::Pawn), see::value);
                let hope = stand + victim + DELTA_MARGIN;
                if hope <= window.alpha {
                    window.best = window.best.max(hope);
                    continue;
                }
            }
            let mut child = *board;
            self.make(&mut child, mv);
            let score = -self.quiesce(&child, -window.beta, -window.alpha, ply + 1);
            self.unmake();
            if self.stopped {
                break;
            }
            let raise = window.take(mv, score);
            if is_pv && raise != Raise::Nothing {
                self.searcher.pv.update(ply, mv);
            }
            if raise == Raise::Beta {
                break;
            }
        }
        picker.finish(&mut self.searcher.moves);
        if self.stopped {
            return DRAW;
        }
        if window.best == -INFINITE {
            return mated_in(ply);
        }
        let found = Known { mv: window.best_move, score: window.best, eval, depth: 0, bound: window.bound() };
        self.table.store(board.key(), ply, found);
        window.best
    }
}
