//! Picking moves, best guess first, generating no more than is asked for.
//!
//! The moves of all nodes of a line lie on one stack, so their memory is bounded whatever the depth.

use crate::chess::{Board, Move, MoveSink, Role, Stage};

use super::history::{HISTORY_MAX, History};
use super::ordering::Guide;
use super::see;

/// How many moves the stack holds: the moves of a long line, 8 KB. Where memory is small, half of it.
const CAPACITY: usize = if cfg!(feature = "small-memory") { 1_024 } else { 2_048 };
/// What a node may need at most.
const RESERVE: usize = crate::chess::MAX_MOVES;

/// A move and its place in the order.
#[derive(Clone, Copy, Debug)]
struct Scored {
    mv: Move,
    score: i16,
}

/// The moves still to be tried, of every node from the root down.
#[derive(Clone, Debug)]
pub(super) struct MoveStack {
    moves: heapless::Vec<Scored, CAPACITY>,
}

impl MoveStack {
    pub(super) const fn new() -> Self {
        Self { moves: heapless::Vec::new() }
    }

    /// Whether another node's moves are sure to fit.
    pub(super) fn has_room(&self) -> bool {
        CAPACITY - self.moves.len() >= RESERVE
    }

    pub(super) fn clear(&mut self) {
        self.moves.clear();
    }
}

impl MoveSink for MoveStack {
    fn single(&mut self, mv: Move) {
        // A node begins only where there is room for all its moves.
        let fits = self.moves.push(Scored { mv, score: 0 });
        debug_assert!(fits.is_ok(), "the move stack is full");
    }
}

/// Which moves a node asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All legal moves.
    All,
    /// Captures and promotions to a queen that do not lose material.
    Winning,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Hash,
    GenerateNoisy,
    Noisy,
    Killer(usize),
    GenerateQuiet,
    Quiet,
    Losing,
    /// A model's order of all moves.
    Judged,
    Done,
}

/// Gives a node's moves one by one.
#[derive(Clone, Debug)]
pub(super) struct Picker<'a> {
    step: Step,
    wanted: Wanted,
    hash_move: Option<Move>,
    killers: [Option<Move>; 2],
    guide: Guide<'a>,
    /// Where this node's moves begin on the stack.
    base: usize,
    /// Losing captures are kept in `base..losing_end`.
    losing_end: usize,
    /// The next move to be looked at.
    cursor: usize,
}

impl<'a> Picker<'a> {
    /// A picker for a node. Its moves lie on the stack until [`finish`](Self::finish).
    pub(super) fn new(
        stack: &MoveStack,
        wanted: Wanted,
        hash_move: Option<Move>,
        killers: [Option<Move>; 2],
        guide: Guide<'a>,
    ) -> Self {
        let base = stack.moves.len();
        Self { step: Step::Hash, wanted, hash_move, killers, guide, base, losing_end: base, cursor: base }
    }

    /// Takes the node's moves off the stack.
    pub(super) fn finish(self, stack: &mut MoveStack) {
        stack.moves.truncate(self.base);
    }

    /// Leaves out the quiet moves that have not been given yet.
    pub(super) fn skip_quiet(&mut self) {
        if matches!(self.step, Step::Killer(_) | Step::GenerateQuiet | Step::Quiet) {
            self.begin_losing();
        }
    }

    fn begin_losing(&mut self) {
        self.cursor = self.base;
        self.step = Step::Losing;
    }

    /// The next move, or `None` when all were given.
    pub(super) fn next(&mut self, stack: &mut MoveStack, board: &Board, history: &History) -> Option<Move> {
        loop {
            match self.step {
                Step::Hash => {
                    self.step = Step::GenerateNoisy;
                    self.hash_move = self.hash_move.filter(|&mv| self.wants(board, mv) && board.is_legal(mv));
                    if self.hash_move.is_some() {
                        return self.hash_move;
                    }
                }
                Step::GenerateNoisy => {
                    board.generate(Stage::Noisy, stack);
                    if let Some(model) = self.guide.of_all().filter(|_| self.wanted == Wanted::All) {
                        board.generate(Stage::Quiet, stack);
                        let look = model.look(board);
                        for scored in &mut stack.moves[self.base..] {
                            scored.score = look.score(scored.mv) as i16;
                        }
                        self.step = Step::Judged;
                        continue;
                    }
                    for scored in &mut stack.moves[self.base..] {
                        scored.score = noisy_score(board, scored.mv);
                    }
                    self.step = Step::Noisy;
                }
                Step::Noisy => match self.best(stack) {
                    Some(mv) if self.wanted == Wanted::Winning => {
                        if self.wants(board, mv) {
                            return Some(mv);
                        }
                    }
                    Some(mv) if see::wins_at_least(board, mv, 0) => return Some(mv),
                    Some(mv) => self.keep_losing(stack, mv),
                    None if self.wanted == Wanted::Winning => self.step = Step::Done,
                    None => self.step = Step::Killer(0),
                },
                Step::Killer(number) => {
                    self.step = if number == 0 { Step::Killer(1) } else { Step::GenerateQuiet };
                    let killer = self.killers[number]
                        .filter(|&mv| Some(mv) != self.hash_move && !is_noisy(board, mv) && board.is_legal(mv));
                    self.killers[number] = killer;
                    if killer.is_some() {
                        return killer;
                    }
                }
                Step::GenerateQuiet => {
                    let first = stack.moves.len();
                    board.generate(Stage::Quiet, stack);
                    let scores = self.guide.of_quiet(board, history);
                    for scored in &mut stack.moves[first..] {
                        scored.score = scores.of(scored.mv);
                    }
                    self.cursor = first;
                    self.step = Step::Quiet;
                }
                Step::Quiet => match self.best(stack) {
                    Some(mv) if self.killers.contains(&Some(mv)) => {}
                    Some(mv) => return Some(mv),
                    None => self.begin_losing(),
                },
                Step::Losing => {
                    if self.cursor < self.losing_end {
                        self.cursor += 1;
                        return stack.moves.get(self.cursor - 1).map(|scored| scored.mv);
                    }
                    self.step = Step::Done;
                }
                Step::Judged => match self.best(stack) {
                    Some(mv) => return Some(mv),
                    None => self.step = Step::Done,
                },
                Step::Done => return None,
            }
        }
    }

    /// Whether the node wants this move at all.
    fn wants(&self, board: &Board, mv: Move) -> bool {
        match self.wanted {
            Wanted::All => true,
            Wanted::Winning => {
                is_noisy(board, mv)
                    && mv.promotes_to().is_none_or(|role| role == Role::Queen)
                    && see::wins_at_least(board, mv, 0)
            }
        }
    }

    /// Takes the best of the moves from the cursor on, leaving out the hash move.
    fn best(&mut self, stack: &mut MoveStack) -> Option<Move> {
        loop {
            let rest = stack.moves.get_mut(self.cursor..)?;
            let Scored { mut mv, score: mut most } = *rest.first()?;
            let mut best = 0;
            for (index, scored) in rest.iter().enumerate().skip(1) {
                if scored.score > most {
                    (best, mv, most) = (index, scored.mv, scored.score);
                }
            }
            rest.swap(0, best);
            self.cursor += 1;
            if Some(mv) != self.hash_move {
                return Some(mv);
            }
        }
    }

    /// Puts a capture that loses material aside for the end. What lies below the cursor has been given already.
    fn keep_losing(&mut self, stack: &mut MoveStack, mv: Move) {
        if let Some(slot) = stack.moves.get_mut(self.losing_end) {
            slot.mv = mv;
            self.losing_end += 1;
        }
    }
}

/// Whether a move captures or promotes.
pub(super) fn is_noisy(board: &Board, mv: Move) -> bool {
    mv.promotes_to().is_some() || board.is_capture(mv)
}

/// Most valuable victim first, least valuable attacker among equals; promotions count as what they gain.
fn noisy_score(board: &Board, mv: Move) -> i16 {
    let victim = board.role_on(mv.to()).map_or(0, see::value);
    let gain = mv.promotes_to().map_or(0, see::value);
    let attacker = board.role_on(mv.from()).map_or(0, Role::index) as i32;
    (victim + gain - attacker).min(HISTORY_MAX) as i16
}
