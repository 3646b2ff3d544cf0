//! The first layer's sums along the line being searched, made when a score is asked for and not before.
//!
//! Source: <https://www.chessprogramming.org/NNUE>, "efficiently updatable".

use super::features::Perspective;
use super::header::MAX_WIDTH;
use super::kernels::Aligned;
use super::refresh::RefreshTable;
use super::value::ValueNet;
use crate::MAX_PLY;
use crate::chess::{Board, Changes, Colour, Role};

/// The sums that memory is set aside for: on a desktop those of every ply at the largest width, on a board 9 KB, and
/// where memory is small 5. Those of the refresh table come first.
const CAPACITY: usize = if cfg!(feature = "large-tables") {
    (RefreshTable::PLACES + (MAX_PLY + 1) * 2) * MAX_WIDTH
} else if cfg!(feature = "small-memory") {
    2_560
} else {
    4_608
};

/// What a move did to the inputs.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// What came and went; `None` if the turn was passed.
    changes: Option<Changes>,
    /// How each side sees the board after it.
    views: [Perspective; 2],
}

/// Marks in [`Accumulators::held`] the sums of no ply.
const NONE: u8 = u8::MAX;

/// The accumulators of both perspectives for the plies of a line.
///
/// Memory may hold fewer than the line has plies: each ply has its place, and shares it with the plies that are a
/// multiple of the places away.
#[derive(Clone, Debug)]
pub(crate) struct Accumulators {
    line: [Step; MAX_PLY + 1],
    ply: usize,
    /// The ply whose sums each place holds, for each perspective.
    held: [[u8; 2]; MAX_PLY + 1],
    sums: Sums,
    refreshes: RefreshTable,
}

#[derive(Clone, Debug)]
struct Sums(Aligned<[i16; CAPACITY]>);

impl Accumulators {
    /// Accumulators that stand on a position, with nothing computed yet.
    // Made where it will lie: on a board its copies would be most of the stack.
    #[inline(always)]
    pub(crate) fn new(board: &Board) -> Self {
        let root = Step { changes: None, views: views(board) };
        Self {
            line: [root; MAX_PLY + 1],
            ply: 0,
            held: [[NONE; 2]; MAX_PLY + 1],
            sums: Sums(Aligned([0; CAPACITY])),
            refreshes: RefreshTable::new(),
        }
    }

    /// Starts a new line from a position.
    pub(crate) fn reset(&mut self, board: &Board) {
        self.ply = 0;
        self.line[0] = Step { changes: None, views: views(board) };
        self.held = [[NONE; 2]; MAX_PLY + 1];
        self.refreshes.clear();
    }

    /// Follows a legal move by what it changes, or a pass, for which that is `None`.
    pub(crate) fn push(&mut self, changes: Option<Changes>, net: &ValueNet<'_>) {
        let mut views = self.line[self.ply].views;
        if let Some(Changes { added: ((mover, square), _), .. }) = changes
            && mover.role == Role::King
        {
            views[mover.colour.index()] = Perspective::new(mover.colour, square);
        }
        // The search never goes deeper than the line is long.
        self.ply = (self.ply + 1).min(MAX_PLY);
        self.line[self.ply] = Step { changes, views };
        for held in &mut self.held[Layout::of(net).turn(self.ply)] {
            // Sums of a ply that the line still has, many plies back, stay.
            if usize::from(*held) == self.ply {
                *held = NONE;
            }
        }
    }

    /// Goes back by one move.
    pub(crate) fn pop(&mut self) {
        self.ply = self.ply.saturating_sub(1);
    }

    /// The sums of `board`, on which the line stands, as the mover and as the opponent sees it.
    pub(crate) fn sums(&mut self, board: &Board, net: &ValueNet<'_>) -> (&[i16], &[i16]) {
        let layout = Layout::of(net);
        for colour in Colour::ALL {
            self.compute(board, colour, net, layout);
        }
        let start = layout.start(self.ply, Colour::White);
        let (white, black) = self.sums.0.0[start..][..2 * layout.width].split_at(layout.width);
        match board.side_to_move() {
            Colour::White => (white, black),
            Colour::Black => (black, white),
        }
    }

    /// Brings the sums of a perspective up to the ply of the line, from the last ply that has them.
    fn compute(&mut self, board: &Board, colour: Colour, net: &ValueNet<'_>, layout: Layout) {
        let side = colour.index();
        let view = self.line[self.ply].views[side];
        let mut known = self.ply;
        while usize::from(self.held[layout.turn(known)][side]) != known {
            // A king that crosses to the other wing changes every input; too far back, the sums are gone.
            if known == 0 || self.ply - known + 1 >= layout.places || self.line[known - 1].views[side] != view {
                let seen = RefreshTable::place(view) * layout.width;
                let (from, to) = self.sums.pair(seen, layout.start(self.ply, colour), layout.width);
                self.refreshes.bring(view, board, net, from);
                to.copy_from_slice(from);
                self.held[layout.turn(self.ply)][side] = self.ply as u8;
                return;
            }
            known -= 1;
        }
        for ply in known + 1..=self.ply {
            let (from, to) = self.sums.pair(layout.start(ply - 1, colour), layout.start(ply, colour), layout.width);
            match &self.line[ply].changes {
                Some(changes) => net.update(view, changes, from, to),
                None => to.copy_from_slice(from),
            }
            self.held[layout.turn(ply)][side] = ply as u8;
        }
    }
}

impl Sums {
    /// The sums that begin at two numbers, which are at least a width apart.
    fn pair(&mut self, from: usize, to: usize, width: usize) -> (&mut [i16], &mut [i16]) {
        if from < to {
            let (low, high) = self.0.0.split_at_mut(to);
            (&mut low[from..][..width], &mut high[..width])
        } else {
            let (low, high) = self.0.0.split_at_mut(from);
            (&mut high[..width], &mut low[to..][..width])
        }
    }
}

/// Where sums lie: those of the refresh table, and then both perspectives' by ply.
#[derive(Clone, Copy, Debug)]
struct Layout {
    width: usize,
    /// The plies that there is room for.
    places: usize,
}

impl Layout {
    fn of(net: &ValueNet<'_>) -> Self {
        let width = net.width();
        Self { width, places: ((CAPACITY / width - RefreshTable::PLACES) / 2).min(MAX_PLY + 1) }
    }

    /// Which of the places is a ply's.
    const fn turn(self, ply: usize) -> usize {
        ply % self.places
    }

    /// Where the sums of a ply begin for a perspective.
    const fn start(self, ply: usize, colour: Colour) -> usize {
        (RefreshTable::PLACES + 2 * self.turn(ply) + colour.index()) * self.width
    }
}

fn views(board: &Board) -> [Perspective; 2] {
    Colour::ALL.map(|colour| Perspective::of(board, colour))
}
