//! Iterative deepening at the root, with aspiration windows and any number of best lines.
//!
//! Sources: <https://www.chessprogramming.org/Iterative_Deepening>, <https://www.chessprogramming.org/Aspiration_Windows>.

use core::cmp::Reverse;

use crate::chess::{Board, Game, MAX_MOVES, Move};
use crate::insertion_sort::sort_by_key;

use super::MAX_MULTI_PV;
use super::clock::Clock;
use super::knowledge::Knowledge;
use super::limits::Limits;
use super::observer::{Observer, Report};
use super::ordering::{Ordering, Place};
use super::pv::Line;
use super::score::{INFINITE, MATE, is_mate, mate_in_moves};
use super::searcher::{Search, Searcher, faded};
use super::table::{Bound, Known, Table};
use super::whim::Candidates;
use crate::MAX_PLY;

/// The first depth that expects a score near the last one.
const ASPIRATION_DEPTH: u32 = 5;
/// How near, in centipawns.
const ASPIRATION_WINDOW: i32 = 20;

/// After so many microseconds the root move being searched, and scores that are only bounds, are reported.
const TALKATIVE_AFTER: u64 = 3_000_000;

/// What a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best {
    /// The best move.
    pub mv: Move,
    /// The answer it expects.
    pub ponder: Option<Move>,
    /// The score of the last iteration that was finished, for the side to move.
    pub score: i32,
    /// The plies of that iteration; 0 if none was.
    pub depth: u32,
    /// The nodes searched.
    pub nodes: u64,
}

/// A legal move of the root, with its score of the present iteration; `-INFINITE` while it has none, or has not
/// beaten the moves before it.
#[derive(Clone, Copy, Debug)]
struct RootMove {
    mv: Move,
    score: i16,
}

/// The legal moves of the root, best first.
#[derive(Clone, Debug)]
struct RootMoves(heapless::Vec<RootMove, MAX_MOVES>);

impl RootMoves {
    /// The legal moves, or those of them that the limits allow.
    // Its lists are gone from the stack before the search begins.
    #[inline(never)]
    fn new(board: &Board, limits: &Limits, ordering: &Ordering<'_>) -> Self {
        let allowed = |mv: &&Move| limits.search_moves.is_empty() || limits.search_moves.contains(mv);
        let look = ordering.model.map(|model| model.look(board));
        let judges_all = matches!(ordering.place, Place::Root | Place::All) && look.is_some();
        let judged = |mv| look.as_ref().map_or(0, |look| look.score(mv) as i16);
        let moves = board.legal_moves();
        let mut roots: heapless::Vec<_, MAX_MOVES> =
            moves.iter().filter(allowed).map(|&mv| RootMove { mv, score: judged(mv) }).collect();
        // Captures first: should no iteration be finished, a sensible move leads.
        sort_by_key(&mut roots, |root| {
            (!judges_all && !board.is_capture(root.mv), Reverse(root.score), root.mv.bits())
        });
        for root in &mut roots {
            root.score = 0;
        }
        Self(roots)
    }

    /// Sorts the moves from `first` on by score.
    fn sort_from(&mut self, first: usize) {
        sort_by_key(self.0.get_mut(first..).unwrap_or_default(), |root| Reverse(root.score));
    }

    /// Sorts the moves up to `last` by score.
    fn sort_to(&mut self, last: usize) {
        sort_by_key(self.0.get_mut(..=last).unwrap_or_default(), |root| Reverse(root.score));
    }
}

impl Searcher {
    /// Searches the position of a game for its best move; `None` if there is no legal one (or none of those asked for).
    pub fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        table: Table<'_>,
        knowledge: Knowledge<'_>,
        observer: &mut impl Observer,
    ) -> Option<Best> {
        let Knowledge { network, ordering } = knowledge;
        let now = observer.micros();
        self.evaluator.reset(game.board());
        self.history.age();
        self.moves.clear();
        let mut search = Search {
            searcher: self,
            table,
            observer,
            limits,
            network,
            ordering,
            clock: Clock::new(limits, now),
            start: now,
            keys: game.history().clone(),
            nodes: 0,
            selective_depth: 0,
            verifying: false,
            stopped: false,
        };
        let roots = RootMoves::new(game.board(), limits, &ordering);
        deepen(&mut search, game.board(), roots)
    }
}

/// A line of best play from the root, as an iteration has found it.
#[derive(Clone, Debug)]
struct Variation {
    score: i32,
    selective_depth: usize,
    pv: Line,
}

impl Variation {
    /// The line that was searched last.
    fn last<O>(search: &Search<'_, O>, score: i32) -> Self {
        let pv = search.searcher.pv.line(0).iter().copied().collect();
        Self { score, selective_depth: search.selective_depth, pv }
    }
}

/// The lines of an iteration, best first.
type Variations = heapless::Vec<Variation, MAX_MULTI_PV>;

/// Searches deeper and deeper until a limit is met.
fn deepen<O: Observer>(search: &mut Search<'_, O>, board: &Board, mut roots: RootMoves) -> Option<Best> {
    let first = roots.0.first()?.mv;
    let mut best = Best { mv: first, ponder: None, score: 0, depth: 0, nodes: 0 };
    let mut scores = [0; MAX_MULTI_PV];
    let mut candidates = Candidates::new();
    let mut stable_for = 0;
    let last_depth = search.limits.depth.unwrap_or(u32::MAX).clamp(1, MAX_PLY as u32 - 1);

    for depth in 1..=last_depth {
        let lines = iterate(search, board, &mut roots, depth, &scores);
        if !search.stopped {
            candidates = lines.iter().filter_map(|line| Some((*line.pv.first()?, line.score))).collect();
        }
        for (number, line) in (1..).zip(&lines) {
            scores[number - 1] = line.score;
            report(search, depth, number, line, Bound::Exact);
        }
        let root = roots.0.first()?;
        if let Some(line) = lines.first() {
            stable_for = if root.mv == best.mv { stable_for + 1 } else { 0 };
            let ponder = line.pv.get(1).copied().or_else(|| table_reply(search, board, root.mv));
            best = Best { mv: root.mv, ponder, score: line.score, depth, nodes: 0 };
        } else {
            // Stopped within the first line: a move that has beaten the last iteration's best is the better choice.
            let before = best.ponder.filter(|_| root.mv == best.mv);
            best.mv = root.mv;
            best.ponder = pv_reply(search, root.mv).or(before);
        }
        if search.stopped || is_enough(search, best, stable_for, roots.0.len()) {
            break;
        }
    }
    if let Some((mv, score)) = search.limits.whim.and_then(|whim| whim.choose(&candidates)) {
        let ponder = best.ponder.filter(|_| mv == best.mv);
        best = Best { mv, ponder, score, ..best };
    }
    best.nodes = search.nodes_of_all();
    Some(best)
}

/// Searches the best lines to a depth; fewer than wanted if the search is stopped. `scores` are those of the last
/// iteration.
fn iterate<O: Observer>(
    search: &mut Search<'_, O>,
    board: &Board,
    roots: &mut RootMoves,
    depth: u32,
    scores: &[i32; MAX_MULTI_PV],
) -> Variations {
    let wanted = search.limits.multi_pv.clamp(1, MAX_MULTI_PV).min(roots.0.len());
    let mut lines = Variations::new();
    for (number, &last) in scores.iter().enumerate().take(wanted) {
        search.selective_depth = 0;
        let score = aspire(search, board, roots, number, depth, last);
        if search.stopped {
            break;
        }
        // A later line may turn out better than an earlier one.
        roots.sort_to(number);
        let place = lines.iter().position(|line| line.score < score).unwrap_or(lines.len());
        // There is room for as many as can be wanted.
        let _ = lines.insert(place, Variation::last(search, score));
    }
    lines
}

/// Whether the result is good enough, or the time too short, for another iteration.
fn is_enough<O: Observer>(search: &mut Search<'_, O>, best: Best, stable_for: u32, choices: usize) -> bool {
    let limits = search.limits;
    let mate_found = mate_in_moves(best.score);
    if let (Some(wanted), Some(found)) = (limits.mate, mate_found)
        && (1..=i64::from(wanted)).contains(&i64::from(found))
    {
        return true;
    }
    if !search.clock.is_running() {
        return false;
    }
    if limits.movetime.is_none() {
        // Nothing to choose, or a mate that a deeper search can hardly shorten.
        if choices == 1 && best.depth >= 4 {
            return true;
        }
        if mate_found.is_some_and(|moves| best.depth as i32 >= 2 * moves.abs() + 2) {
            return true;
        }
    }
    let percent = match (limits.movetime, stable_for) {
        (Some(_), _) => 100,
        (None, 0) => 160,
        (None, 1..=2) => 120,
        (None, 3..=5) => 100,
        (None, _) => 75,
    };
    let now = search.observer.micros();
    search.clock.is_enough(now, percent)
}

/// The answer to a root move that the line searched last expects.
fn pv_reply<O>(search: &Search<'_, O>, mv: Move) -> Option<Move> {
    match search.searcher.pv.line(0) {
        [first, second, ..] if *first == mv => Some(*second),
        _ => None,
    }
}

/// The answer to a root move that the table expects.
fn table_reply<O>(search: &Search<'_, O>, board: &Board, mv: Move) -> Option<Move> {
    let child = board.after(mv);
    search.table.probe(child.key(), 1)?.mv.filter(|&reply| child.is_legal(reply))
}

/// Searches one line of the root with a window round its last score, widened until the score lies within.
fn aspire<O: Observer>(
    search: &mut Search<'_, O>,
    board: &Board,
    roots: &mut RootMoves,
    line: usize,
    depth: u32,
    last: i32,
) -> i32 {
    let mut window = ASPIRATION_WINDOW;
    let (mut alpha, mut beta) =
        if depth < ASPIRATION_DEPTH || is_mate(last) { (-INFINITE, INFINITE) } else { (last - window, last + window) };
    loop {
        let score = search_root(search, board, roots, line, depth, (alpha, beta));
        roots.sort_from(line);
        if search.stopped {
            return score;
        }
        let bound = if score <= alpha {
            Bound::Upper
        } else if score >= beta {
            Bound::Lower
        } else {
            Bound::Exact
        };
        let micros = search.observer.micros().saturating_sub(search.start);
        if bound != Bound::Exact && micros >= TALKATIVE_AFTER {
            let variation = Variation::last(search, score);
            report(search, depth, line + 1, &variation, bound);
        }
        window *= 2;
        match bound {
            Bound::Exact => return score,
            Bound::Upper => {
                beta = i32::midpoint(alpha, beta);
                alpha = (score - window).max(-INFINITE);
            }
            Bound::Lower => beta = (score + window).min(INFINITE),
        }
        if window > 500 || is_mate(score) {
            (alpha, beta) = (-INFINITE, INFINITE);
        }
    }
}

fn report<O: Observer>(search: &mut Search<'_, O>, depth: u32, number: usize, line: &Variation, bound: Bound) {
    let report = Report {
        depth,
        selective_depth: line.selective_depth,
        line: number,
        score: line.score,
        bound,
        nodes: search.nodes_of_all(),
        micros: search.observer.micros().saturating_sub(search.start),
        permille_full: search.table.permille_full(),
        pv: &line.pv,
    };
    search.observer.report(&report);
}

/// Searches the root moves from `first` on, and leaves their scores with them.
fn search_root<O: Observer>(
    search: &mut Search<'_, O>,
    board: &Board,
    roots: &mut RootMoves,
    first: usize,
    depth: u32,
    (floor, beta): (i32, i32),
) -> i32 {
    let mut alpha = floor;
    search.enter(0);
    if search.stopped {
        return -INFINITE;
    }
    search.searcher.pv.clear(0);
    let eval = search.searcher.evaluator.evaluate(board, search.network);
    search.searcher.evals[0] = (!board.in_check()).then_some(faded(eval, board) as i16);
    let new_depth = depth as i32 - 1;
    let reduces = depth >= 3 && !search.limits.full_width;
    let mut best = -INFINITE;
    let mut best_move = None;
    let talkative = search.observer.micros().saturating_sub(search.start) >= TALKATIVE_AFTER;
    for root in &mut roots.0[first..] {
        root.score = -INFINITE as i16;
    }
    for number in 0..roots.0.len() - first {
        let mv = roots.0[first + number].mv;
        if talkative {
            search.observer.current_move(depth, mv, first + number + 1);
        }
        let mut child = *board;
        search.make(&mut child, mv);
        let extended = new_depth + i32::from(child.in_check());
        let zero = (-alpha - 1, -alpha);
        let mut score = alpha + 1;
        if number > 0 {
            let reduction = i32::from(reduces && number >= 4 && !board.is_capture(mv) && !child.in_check());
            score = -search.search(&child, zero, extended - reduction, 1, true);
            if score > alpha && reduction > 0 {
                score = -search.search(&child, zero, extended, 1, true);
            }
        }
        if score > alpha {
            score = -search.search(&child, (-beta, -alpha), extended, 1, true);
        }
        search.unmake();
        if search.stopped {
            return best;
        }
        if score > best {
            best = score;
            // Only a move that raised alpha has a score worth sorting by; of the others nothing is known.
            if score > alpha || number == 0 {
                roots.0[first + number].score = score as i16;
                best_move = Some(mv);
                search.searcher.pv.update(0, mv);
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
    }
    // What is best of some moves only is no knowledge of the position.
    if first == 0 && search.limits.search_moves.is_empty() {
        let bound = if best >= beta {
            Bound::Lower
        } else if best > floor {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let known = Known { mv: best_move, score: best.clamp(-MATE, MATE), eval, depth: depth as i32, bound };
        search.table.store(board.key(), 0, known);
    }
    best
}
