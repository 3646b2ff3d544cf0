//! The main search: alpha-beta with a zero window for all but the first move (principal-variation search).
//!
//! Sources, one a technique, below <https://www.chessprogramming.org/>: Principal_Variation_Search,
//! Mate_Distance_Pruning, Reverse_Futility_Pruning, Null_Move_Pruning, Internal_Iterative_Reductions,
//! Futility_Pruning, Late_Move_Reductions.

use crate::chess::{Board, Move};

use super::history::HISTORY_MAX;
use super::observer::Observer;
use super::picker::{Picker, Wanted, is_noisy};
use super::score::{DRAW, MATE, MATE_BOUND, is_mate, mated_in};
use super::searcher::{Search, faded};
use super::see;
use super::table::{Bound, Known};
use super::window::{Raise, Window};
use crate::MAX_PLY;

/// The deepest node whose evaluation alone may exceed beta.
const REVERSE_FUTILITY_DEPTH: i32 = 7;
/// By how much a ply, in centipawns.
const REVERSE_FUTILITY_MARGIN: i32 = 75;

/// The shallowest node where passing the turn is tried.
const NULL_MOVE_DEPTH: i32 = 3;
/// From this depth on a null-move cutoff is verified without passing: the defence against zugzwang.
const NULL_MOVE_VERIFY_DEPTH: i32 = 10;

/// The shallowest node that is searched less deep when the table suggests no move.
const INTERNAL_REDUCTION_DEPTH: i32 = 4;

/// The deepest node where late quiet moves are left out.
const LATE_MOVE_PRUNING_DEPTH: i32 = 6;

/// The deepest node where quiet moves are left out because the evaluation is far below alpha.
const FUTILITY_DEPTH: i32 = 7;
/// How far: a base, and more a ply, in centipawns.
const FUTILITY_BASE: i32 = 90;
const FUTILITY_MARGIN: i32 = 90;

/// The deepest node where moves that lose material are left out.
const EXCHANGE_PRUNING_DEPTH: i32 = 7;
/// How much they may lose a ply, in centipawns.
const EXCHANGE_MARGIN_QUIET: i32 = 55;
const EXCHANGE_MARGIN_NOISY: i32 = 95;

/// The shallowest node where late moves are searched less deep.
const LATE_MOVE_REDUCTION_DEPTH: i32 = 3;

/// 16 ln(n): for reductions that grow with the depth's and the move number's logarithm.
const LOGARITHM: [i32; 64] = [
    0, 0, 11, 18, 22, 26, 29, 31, 33, 35, 37, 38, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 49, 50, 51, 52, 52, 53, 53,
    54, 54, 55, 55, 56, 56, 57, 57, 58, 58, 59, 59, 59, 60, 60, 61, 61, 61, 62, 62, 62, 63, 63, 63, 64, 64, 64, 64, 65,
    65, 65, 66, 66, 66, 66,
];

/// How many plies less a quiet move is searched, by depth and by its number among the node's moves.
fn late_move_reduction(depth: i32, number: usize) -> i32 {
    let depth = LOGARITHM[(depth as usize).min(63)];
    let number = LOGARITHM[number.min(63)];
    (200 + depth * number * 10 / 24) / 256
}

/// The number of the last quiet move that a shallow node still tries: more the deeper it is, and half as many more if
/// the side to move does not stand better than before.
fn late_move_number(depth: i32, improving: bool) -> usize {
    let more = (depth * depth) as usize;
    3 + if improving { more } else { more / 2 }
}

/// The quiet moves of a node that were tried, for the history.
type Tried = heapless::Vec<Move, 48>;

/// What is the same for all moves of a node.
#[derive(Clone, Copy)]
struct Node {
    depth: i32,
    ply: usize,
    is_pv: bool,
    in_check: bool,
    /// Whether the side to move stands better than before.
    improving: bool,
    /// The evaluation, or what the table knows better.
    eval: i32,
    killers: [Option<Move>; 2],
}

/// A move of a node, as the order of the node's moves has brought it.
#[derive(Clone, Copy)]
struct Tryout {
    mv: Move,
    /// The number of the move, the first being 1.
    number: usize,
    /// Whether it neither captures nor promotes.
    quiet: bool,
}

/// What is left out without being searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pruned {
    Nothing,
    Move,
    /// The move and all quiet moves after it.
    Quiet,
}

impl<O: Observer> Search<'_, O> {
    /// The score of a position below the root, searched to `depth` plies within the window. `may_pass` says
    /// that the turn may be passed here.
    pub(super) fn search(
        &mut self,
        board: &Board,
        (alpha, beta): (i32, i32),
        mut depth: i32,
        ply: usize,
        may_pass: bool,
    ) -> i32 {
        if depth <= 0 {
            return self.quiesce(board, alpha, beta, ply);
        }
        self.enter(ply);
        self.searcher.pv.clear(ply);
        if self.stopped || self.is_draw(board, ply) {
            return DRAW;
        }
        // No line from here is worse than being mated now, or better than mating with the next move.
        let mut window = Window::new(alpha.max(mated_in(ply)), beta.min(MATE - ply as i32 - 1));
        if window.alpha >= window.beta {
            return window.alpha;
        }
        let Window { alpha, beta, .. } = window;
        let is_pv = window.is_open();
        let in_check = board.in_check();
        let known = self.table.probe(board.key(), ply);
        let raw_eval = self.static_eval(board, known);
        if ply >= MAX_PLY || !self.searcher.moves.has_room() {
            return faded(raw_eval, board);
        }
        if let Some(known) = known
            && !is_pv
            && known.depth >= depth
            && known.decides(board, alpha, beta)
        {
            return known.score;
        }

        let eval = refined(faded(raw_eval, board), known);
        self.searcher.evals[ply] = (!in_check).then_some(eval as i16);
        let improving = self.is_improving(ply);
        let selective = !self.limits.full_width;
        if selective && !is_pv && !in_check {
            if depth <= REVERSE_FUTILITY_DEPTH && !is_mate(beta) {
                let margin = REVERSE_FUTILITY_MARGIN * (depth - i32::from(improving));
                if eval - margin >= beta {
                    return eval;
                }
            }
            if may_pass && let Some(score) = self.null_move(board, beta, depth, ply, eval) {
                return score;
            }
        }
        let hash_move = known.and_then(|known| known.mv);
        if selective && hash_move.is_none() && depth >= INTERNAL_REDUCTION_DEPTH {
            depth -= 1;
        }

        let guide = self.ordering.at(depth, self.nodes);
        let killers = if self.ordering.history { self.searcher.history.killers(ply) } else { [None; 2] };
        let node = Node { depth, ply, is_pv, in_check, improving, eval, killers };
        let mut picker = Picker::new(&self.searcher.moves, Wanted::All, hash_move, killers, guide);
        let mut tried = Tried::new();
        let mut number = 0;
        while let Some(mv) = picker.next(&mut self.searcher.moves, board, &self.searcher.history) {
            number += 1;
            let tryout = Tryout { mv, number, quiet: !is_noisy(board, mv) };
            // There must be a move to fall back on, and zugzwang spoils every guess.
            if selective && window.best > -MATE_BOUND && board.has_pieces(board.side_to_move()) {
                match prunes(board, node, tryout, window.alpha) {
                    Pruned::Nothing => {}
                    Pruned::Move => continue,
                    Pruned::Quiet => {
                        picker.skip_quiet();
                        continue;
                    }
                }
            }
            let score = self.try_move(board, node, tryout, (window.alpha, window.beta));
            if self.stopped {
                break;
            }
            let raise = window.take(mv, score);
            if is_pv && raise != Raise::Nothing {
                self.searcher.pv.update(ply, mv);
            }
            if raise == Raise::Beta {
                if tryout.quiet {
                    self.searcher.history.reward(board, ply, depth, mv, &tried);
                }
                break;
            }
            if tryout.quiet {
                // Beyond its room the list only stops growing: the last moves go without their malus.
                let _ = tried.push(mv);
            }
        }
        picker.finish(&mut self.searcher.moves);
        if self.stopped {
            return DRAW;
        }
        if number == 0 {
            return if in_check { mated_in(ply) } else { DRAW };
        }
        let found = Known { mv: window.best_move, score: window.best, eval: raw_eval, depth, bound: window.bound() };
        self.table.store(board.key(), ply, found);
        window.best
    }

    /// Plays a move and searches what comes of it: the first of a principal variation with the whole window, all
    /// others with none, less deep the later they come, and again where that raises alpha.
    fn try_move(&mut self, board: &Board, node: Node, tryout: Tryout, (alpha, beta): (i32, i32)) -> i32 {
        let remembered = tryout.quiet && self.ordering.history;
        let history = if remembered { self.searcher.history.score(board, tryout.mv) } else { 0 };
        let mut child = *board;
        self.make(&mut child, tryout.mv);
        let ply = node.ply + 1;
        let gives_check = child.in_check();
        let depth = node.depth - 1 + i32::from(gives_check);
        let is_first_of_pv = node.is_pv && tryout.number == 1;
        let mut score = alpha + 1;
        if !is_first_of_pv {
            let zero = (-alpha - 1, -alpha);
            let reduction = if self.limits.full_width {
                0
            } else {
                reduction(node, tryout, gives_check, history).min(depth - 1).max(0)
            };
            score = -self.search(&child, zero, depth - reduction, ply, true);
            if score > alpha && reduction > 0 {
                score = -self.search(&child, zero, depth, ply, true);
            }
        }
        if is_first_of_pv || node.is_pv && score > alpha && score < beta {
            score = -self.search(&child, (-beta, -alpha), depth, ply, true);
        }
        self.unmake();
        score
    }

    /// Whether the side to move stands better than two plies ago.
    fn is_improving(&self, ply: usize) -> bool {
        let eval = |ply: usize| self.searcher.evals.get(ply).copied().flatten();
        let before = |plies: usize| ply.checked_sub(plies).and_then(eval);
        // Where it was in check two plies ago there was no evaluation; then the one before that tells.
        match (eval(ply), before(2).or_else(|| before(4))) {
            (Some(now), Some(before)) => now > before,
            _ => false,
        }
    }

    /// Passes the turn: if the score is above beta even so, a real move is too.
    fn null_move(&mut self, board: &Board, beta: i32, depth: i32, ply: usize, eval: i32) -> Option<i32> {
        let tried = depth >= NULL_MOVE_DEPTH
            && eval >= beta
            && !self.verifying
            && !is_mate(beta)
            && board.has_pieces(board.side_to_move());
        if !tried {
            return None;
        }
        let reduced = depth - 3 - depth / 4 - ((eval - beta) / 200).min(3);
        let (child, begun) = self.make_null(board);
        self.searcher.evals[ply] = None;
        let score = -self.search(&child, (-beta, -beta + 1), reduced, ply + 1, false);
        self.searcher.evals[ply] = Some(eval as i16);
        self.unmake_null(begun);
        if self.stopped || score < beta {
            return None;
        }
        // A mate found by passing is no proof of one.
        let score = if is_mate(score) { beta } else { score };
        if depth < NULL_MOVE_VERIFY_DEPTH {
            return Some(score);
        }
        self.verifying = true;
        let verified = self.search(board, (beta - 1, beta), reduced, ply, false);
        self.verifying = false;
        (verified >= beta && !self.stopped).then_some(score)
    }
}

/// The evaluation, or the table's score where that bounds it better.
fn refined(eval: i32, known: Option<Known>) -> i32 {
    match known {
        Some(known) if !is_mate(known.score) => match known.bound {
            Bound::Lower => eval.max(known.score),
            Bound::Upper => eval.min(known.score),
            Bound::Exact => known.score,
        },
        _ => eval,
    }
}

/// What a shallow node leaves out: quiet moves that come late or promise too little, and moves that lose material.
fn prunes(board: &Board, node: Node, tryout: Tryout, alpha: i32) -> Pruned {
    let depth_left = (node.depth - late_move_reduction(node.depth, tryout.number)).max(0);
    if tryout.quiet && !node.in_check && !node.is_pv {
        let enough = late_move_number(node.depth, node.improving);
        let late = node.depth <= LATE_MOVE_PRUNING_DEPTH && tryout.number > enough;
        let hope = node.eval + FUTILITY_BASE + FUTILITY_MARGIN * depth_left;
        let futile = depth_left <= FUTILITY_DEPTH && hope <= alpha && !is_mate(alpha);
        if late || futile {
            // The quiet moves to come are later still, and promise no more.
            return Pruned::Quiet;
        }
    }
    let may_lose = if tryout.quiet { EXCHANGE_MARGIN_QUIET * depth_left } else { EXCHANGE_MARGIN_NOISY * node.depth };
    if node.depth <= EXCHANGE_PRUNING_DEPTH && !see::wins_at_least(board, tryout.mv, -may_lose) {
        return Pruned::Move;
    }
    Pruned::Nothing
}

/// How many plies less a move is searched at first.
fn reduction(node: Node, tryout: Tryout, gives_check: bool, history: i32) -> i32 {
    let late = tryout.number > 1 + usize::from(node.is_pv);
    if node.depth < LATE_MOVE_REDUCTION_DEPTH || !late || !tryout.quiet {
        return 0;
    }
    let mut reduction = late_move_reduction(node.depth, tryout.number);
    reduction += i32::from(!node.improving) - i32::from(node.is_pv) - i32::from(gives_check);
    reduction -= i32::from(node.killers.contains(&Some(tryout.mv)));
    reduction - history * 2 / HISTORY_MAX
}
