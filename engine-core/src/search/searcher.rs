//! The state of a search, and what all nodes do alike.

use crate::chess::{Board, KeyHistory, Move};
use crate::eval::{Evaluator, Tables};
use crate::net::ValueNet;

use super::Known;
use super::clock::Clock;
use super::history::History;
use super::limits::Limits;
use super::observer::{Observer, Order};
use super::ordering::Ordering;
use super::picker::MoveStack;
use super::pv::PvTable;
use super::table::Table;
use crate::MAX_PLY;

/// Nodes between two looks at the clock and the line.
pub(super) const POLL_INTERVAL: u64 = 128;

/// What a search works with besides the hash table, 16.5 KB and the accumulators of a network: keep one and use it again and again.
#[derive(Clone, Debug)]
pub struct Searcher {
    pub(super) history: History,
    pub(super) moves: MoveStack,
    pub(super) pv: PvTable,
    pub(super) evaluator: Evaluator,
    /// The static evaluations along the line, where they were made.
    pub(super) evals: [Option<i16>; MAX_PLY + 1],
}

impl Searcher {
    /// A searcher that remembers nothing.
    #[must_use]
    pub fn new() -> Self {
        Self {
            history: History::EMPTY,
            moves: MoveStack::new(),
            pv: PvTable::new(),
            evaluator: Evaluator::new(&Board::start()),
            evals: [None; MAX_PLY + 1],
        }
    }

    /// Changes what judges positions where there is no network: the tables fitted to games, unless set otherwise.
    pub const fn set_tables(&mut self, tables: &'static Tables) {
        self.evaluator.set_tables(tables);
    }

    /// Forgets what it has learnt: another game begins.
    pub fn forget(&mut self) {
        self.history = History::EMPTY;
    }
}

impl Default for Searcher {
    fn default() -> Self {
        Self::new()
    }
}

/// A search that is going on.
pub(super) struct Search<'a, O> {
    pub(super) searcher: &'a mut Searcher,
    pub(super) table: Table<'a>,
    pub(super) observer: &'a mut O,
    pub(super) limits: &'a Limits,
    pub(super) network: Option<&'a ValueNet<'a>>,
    pub(super) ordering: Ordering<'a>,
    pub(super) clock: Clock,
    /// The moment the search began.
    pub(super) start: u64,
    /// The keys of the game and of the line being searched.
    pub(super) keys: KeyHistory,
    pub(super) nodes: u64,
    pub(super) selective_depth: usize,
    /// Whether a null-move cutoff is being verified, and passing is not allowed.
    pub(super) verifying: bool,
    /// Whether the search must end. Scores are meaningless from then on.
    pub(super) stopped: bool,
}

impl<O: Observer> Search<'_, O> {
    /// Counts a node, and looks at the limits, the clock and the line when it is time.
    pub(super) fn enter(&mut self, ply: usize) {
        if self.stopped {
            return;
        }
        self.nodes += 1;
        self.selective_depth = self.selective_depth.max(ply);
        self.stopped = self.limits.nodes.is_some_and(|limit| self.nodes >= limit);
        if self.nodes.is_multiple_of(POLL_INTERVAL) {
            self.poll();
        }
    }

    pub(super) fn poll(&mut self) {
        match self.observer.order() {
            Order::Continue => {}
            Order::PonderHit => {
                let now = self.observer.micros();
                self.clock.ponder_hit(now);
            }
            Order::Stop => self.stopped = true,
        }
        let all = self.nodes_of_all();
        if self.clock.is_over(self.observer.micros()) || self.limits.nodes.is_some_and(|limit| all >= limit) {
            self.stopped = true;
        }
    }

    /// The nodes searched, those of helpers among them.
    pub(super) fn nodes_of_all(&mut self) -> u64 {
        self.nodes + self.observer.nodes_elsewhere()
    }

    /// Plays a move on the caller's copy of a board: the evaluator and the keys follow. (A board that is returned is
    /// copied twice, which costs a Cortex-M4 a twentieth of a node.)
    pub(super) fn make(&mut self, board: &mut Board, mv: Move) {
        self.searcher.evaluator.push(board, mv, self.network);
        self.keys.push(board.key());
        board.play(mv);
    }

    /// Takes the last move back.
    pub(super) fn unmake(&mut self) {
        self.keys.pop();
        self.searcher.evaluator.pop(self.network);
    }

    /// Passes the turn. Gives the board, and what [`unmake_null`](Self::unmake_null) needs.
    pub(super) fn make_null(&mut self, board: &Board) -> (Board, usize) {
        self.searcher.evaluator.push_null(self.network);
        self.keys.push(board.key());
        (board.after_null(), self.keys.begin_pass())
    }

    /// Takes a pass back.
    pub(super) fn unmake_null(&mut self, begun: usize) {
        self.keys.end_pass(begun);
        self.unmake();
    }

    /// Whether the position is drawn by rule: repetition (once within the search, or twice in all), fifty moves
    /// without mate on the last, or no material to mate with.
    pub(super) fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= 100 && (!board.in_check() || board.has_legal_moves()) {
            return true;
        }
        if board.is_insufficient_material() {
            return true;
        }
        let mut earlier = self.keys.repetitions(board);
        match earlier.next() {
            None => false,
            Some(back) => back <= ply || earlier.next().is_some(),
        }
    }

    /// The static evaluation, from the table where it knows it, and what the table should remember of it. In check
    /// nobody asks for it, and it is 0.
    pub(super) fn static_eval(&mut self, board: &Board, known: Option<Known>) -> i32 {
        match known {
            Some(known) => known.eval,
            None if board.in_check() => 0,
            None => self.searcher.evaluator.evaluate(board, self.network),
        }
    }
}

/// An evaluation that fades towards a draw as the fifty-move rule comes nearer.
pub(super) fn faded(eval: i32, board: &Board) -> i32 {
    eval * (200 - i32::from(board.halfmove_clock()).min(100)) / 200
}
