//! The lines of best play, one a ply, each the best move and the line of the next ply.

use crate::chess::Move;

use crate::MAX_PLY;

/// How long a line is kept: longer ones are cut.
pub(super) const PV_LENGTH: usize = 24;

/// A line of best play.
pub(super) type Line = heapless::Vec<Move, PV_LENGTH>;

/// The lines of all plies of the node being searched.
#[derive(Clone, Debug)]
pub(super) struct PvTable([Line; MAX_PLY + 1]);

impl PvTable {
    pub(super) const fn new() -> Self {
        Self([const { Line::new() }; MAX_PLY + 1])
    }

    pub(super) fn clear(&mut self, ply: usize) {
        if let Some(line) = self.0.get_mut(ply) {
            line.clear();
        }
    }

    /// The line of a ply is now `best` and what follows it.
    pub(super) fn update(&mut self, ply: usize, best: Move) {
        if let Some([line, next]) = self.0.get_mut(ply..ply + 2) {
            line.clear();
            // Both lines have the same room, so all but the last move of the next one fits.
            let _ = line.push(best);
            line.extend(next.iter().copied().take(PV_LENGTH - 1));
        }
    }

    pub(super) fn line(&self, ply: usize) -> &[Move] {
        self.0.get(ply).map_or(&[], |line| line)
    }
}
