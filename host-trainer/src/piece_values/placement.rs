//! Placements: which piece stands where, tapered as the engine's classical evaluation tapers its tables.
//!
//! A game so described is tuned as Texel's author did it: Österlund, "Texel's tuning method", 2014,
//! <https://www.chessprogramming.org/Texel%27s_Tuning_Method>.

use std::collections::BTreeMap;

use engine_core::{
    chess::{Board, Colour, Role},
    eval::{PHASE, PHASE_OF_START, table_index},
};
use nalgebra::DVector;

use super::{
    regression::{Entry, Examples, Target, score},
    tables::Tables,
};
use crate::data::logistic::{Observation, fit_scale};

/// Which squares share a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Wings {
    /// A square and its mirror image on the other wing: 32 values a table
    #[default]
    Alike,
    /// None: 64 values a table
    Apart,
}

impl Wings {
    /// How many values a table has.
    pub fn values(self) -> usize {
        match self {
            Wings::Alike => 32,
            Wings::Apart => 64,
        }
    }

    /// Which of them is that of a place in the engine's tables.
    pub fn value(self, index: usize) -> usize {
        match self {
            Wings::Alike => index / 8 * 4 + (index % 8).min(7 - index % 8),
            Wings::Apart => index,
        }
    }
}

/// A position, as far as the evaluation sees it.
#[derive(Clone, Copy, Debug)]
struct Placement {
    /// Where its pieces end in the list of all.
    end: usize,
    /// [`PHASE_OF_START`] with all pieces, 0 with none.
    phase: u8,
    /// 1 if White is to move, or -1.
    to_move: i8,
    points: f32,
}

/// The placements of many positions: some 80 bytes each.
#[derive(Clone, Debug)]
pub struct Placements {
    wings: Wings,
    rows: Vec<Placement>,
    /// A value's number among those of one phase, and how many more of its pieces White has.
    pieces: Vec<(u16, i8)>,
}

impl Placements {
    /// No positions yet.
    pub fn new(wings: Wings) -> Placements {
        Placements { wings, rows: Vec::new(), pieces: Vec::new() }
    }

    /// Takes a position that was worth so many points to White. Those in which a side has too little to mate are left
    /// out, for there the engine does not trust its tables.
    pub fn take(&mut self, board: &Board, points: f64) {
        if Colour::ALL.into_iter().any(|colour| board.lacks_mating_material(colour)) {
            return;
        }
        let start = self.pieces.len();
        let mut phase = 0;
        for square in board.occupied() {
            let Some(piece) = board.piece_on(square) else { continue };
            phase += PHASE[piece.role.index()];
            let value = self.wings.value(table_index(piece.colour, square));
            let number = (piece.role.index() * self.wings.values() + value) as u16;
            let one = if piece.colour == Colour::White { 1 } else { -1 };
            match self.pieces[start..].iter_mut().find(|(other, _)| *other == number) {
                Some((_, difference)) => *difference += one,
                None => self.pieces.push((number, one)),
            }
        }
        let mut end = start;
        for at in start..self.pieces.len() {
            if self.pieces[at].1 != 0 {
                self.pieces[end] = self.pieces[at];
                end += 1;
            }
        }
        self.pieces.truncate(end);
        self.rows.push(Placement {
            end,
            phase: phase.min(PHASE_OF_START) as u8,
            to_move: if board.side_to_move() == Colour::White { 1 } else { -1 },
            points: points as f32,
        });
    }

    /// Values of one phase.
    fn values(&self) -> usize {
        Role::ALL.len() * self.wings.values()
    }

    /// Weights for tables, which count centipawns, if so many weights are one centipawn.
    pub fn weights(&self, tables: &Tables, centipawn: f64) -> DVector<f64> {
        let mut weights = DVector::zeros(self.features());
        for (phase, tables) in [&tables.middlegame, &tables.endgame].into_iter().enumerate() {
            for (role, table) in tables.iter().enumerate() {
                for (index, &value) in table.iter().enumerate() {
                    let feature = phase * self.values() + role * self.wings.values() + self.wings.value(index);
                    weights[feature] = value * centipawn;
                }
            }
        }
        weights[self.features() - 1] = tables.tempo * centipawn;
        weights
    }

    /// The weight of a centipawn with which tables foretell the points best. `None` if they do not foretell them at all.
    pub fn centipawn(&self, tables: &Tables) -> Option<f64> {
        let weights = self.weights(tables, 1.0);
        let mut observations = BTreeMap::new();
        let mut entries = Vec::new();
        for row in 0..self.rows() {
            entries.clear();
            let target = self.row(row, &mut entries);
            // Rounded, so that there are few.
            let score = score(&entries, &weights).round();
            let none = Observation { score, count: 0.0, points: 0.0 };
            let observation = observations.entry(score as i64).or_insert(none);
            observation.count += target.count;
            observation.points += target.points;
        }
        let observations: Vec<Observation> = observations.into_values().collect();
        fit_scale(&observations).map(f64::recip)
    }

    /// Tables for weights, of which so many are one centipawn.
    pub fn tables(&self, weights: &DVector<f64>, centipawn: f64) -> Tables {
        let table = |phase: usize, role: usize| {
            let first = phase * self.values() + role * self.wings.values();
            std::array::from_fn(|index| weights[first + self.wings.value(index)] / centipawn)
        };
        Tables {
            middlegame: std::array::from_fn(|role| table(0, role)),
            endgame: std::array::from_fn(|role| table(1, role)),
            tempo: weights[self.features() - 1] / centipawn,
        }
    }
}

impl Examples for Placements {
    fn features(&self) -> usize {
        2 * self.values() + 1
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, row: usize, entries: &mut Vec<Entry>) -> Target {
        let Placement { end, phase, to_move, points } = self.rows[row];
        let start = row.checked_sub(1).map_or(0, |before| self.rows[before].end);
        let middlegame = f64::from(phase) / f64::from(PHASE_OF_START);
        for (first, share) in [(0, middlegame), (self.values(), 1.0 - middlegame)] {
            if share > 0.0 {
                let pieces = self.pieces[start..end].iter();
                entries.extend(pieces.map(|&(value, more)| (first + usize::from(value), f64::from(more) * share)));
            }
        }
        entries.push((self.features() - 1, f64::from(to_move)));
        Target { count: 1.0, points: f64::from(points) }
    }
}

#[cfg(test)]
mod tests {
    use engine_core::eval::evaluate;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn with_the_engines_tables_a_row_is_worth_what_the_engine_says(choices: Vec<u16>) {
            let mut board = Board::start();
            for choice in choices {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                board = board.after(moves[usize::from(choice) % moves.len()]);
            }
            let mut placements = Placements::new(Wings::Apart);
            placements.take(&board, 0.5);
            prop_assume!(placements.rows() == 1);
            let mut entries = Vec::new();
            placements.row(0, &mut entries);
            let white = score(&entries, &placements.weights(&Tables::of_engine(), 1.0));
            let engine = f64::from(evaluate(&board, None));
            let engine = if board.side_to_move() == Colour::White { engine } else { -engine };
            // The engine rounds to whole centipawns.
            prop_assert!((white - engine).abs() < 1.0, "{white} {engine} {}", board.fen());
        }
    }

    #[test]
    fn mirrored_squares_share_a_value_and_pieces_on_them_cancel() {
        let mut placements = Placements::new(Wings::Alike);
        let board = Board::from_fen("4k3/p6p/8/8/8/8/P6P/R3K2R b - - 0 1").unwrap();
        placements.take(&board, 1.0);
        let mut entries = Vec::new();
        let target = placements.row(0, &mut entries);
        assert_eq!(target, Target { count: 1.0, points: 1.0 });
        // Rooks are left, two on one value; four of 24 in the phase.
        let rooks = 3 * 32 + 28;
        let features: Vec<usize> = entries.iter().map(|entry| entry.0).collect();
        assert_eq!(features, [rooks, 6 * 32 + rooks, 2 * 6 * 32]);
        let expected = [2.0 * 4.0 / 24.0, 2.0 * 20.0 / 24.0, -1.0];
        assert!(entries.iter().zip(expected).all(|(entry, expected)| (entry.1 - expected).abs() < 1e-12));
    }

    #[test]
    fn a_side_that_cannot_mate_is_left_out() {
        let mut placements = Placements::new(Wings::Alike);
        placements.take(&Board::from_fen("4k3/8/8/8/8/8/P7/4K3 b - - 0 1").unwrap(), 1.0);
        assert_eq!(placements.rows(), 0);
    }

    #[test]
    fn tables_are_the_same_after_a_way_through_weights() {
        let placements = Placements::new(Wings::Apart);
        let tables = Tables::of_engine();
        let again = placements.tables(&placements.weights(&tables, 0.005), 0.005);
        let flat = |tables: &Tables| [tables.middlegame, tables.endgame].concat().concat();
        assert!(flat(&tables).iter().zip(flat(&again)).all(|(one, other)| (one - other).abs() < 1e-9));
        let alike = Placements::new(Wings::Alike);
        assert_eq!((alike.features(), placements.features()), (385, 769));
    }
}
