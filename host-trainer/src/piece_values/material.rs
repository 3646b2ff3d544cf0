//! Material: what White has more of than Black, one balance of a game once.

use std::collections::{BTreeMap, BTreeSet};

use engine_core::chess::{Board, Colour, Role};

use super::regression::{Entry, Examples, Target};
use crate::data::game::{Game, Sample};

/// The pieces that are counted, in the order of their features.
pub const COUNTED: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// What is counted besides pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Two bishops of one side on squares of both colours.
    pub bishop_pair: bool,
    /// A constant: what it is worth to be White.
    pub first_move: bool,
}

/// White's counts less Black's: pawns, knights, bishops, rooks, queens, pairs of bishops (0 unless asked for).
type Balance = [i8; 6];

/// The balances of many games. Equal ones share a row, so that any number of games fits into little memory.
#[derive(Clone, Debug)]
pub struct Material {
    extras: Extras,
    /// Where each balance is in `rows`.
    places: BTreeMap<Balance, usize>,
    rows: Vec<(Balance, Target)>,
}

impl Material {
    /// No games yet.
    pub fn new(extras: Extras) -> Material {
        Material { extras, places: BTreeMap::new(), rows: Vec::new() }
    }

    /// Takes each balance of a game's chosen positions once, with the points of the first position that has it.
    pub fn take(&mut self, game: &Game, chosen: &[usize], points: impl Fn(&Sample) -> f64) {
        let mut seen = BTreeSet::new();
        for &ply in chosen {
            let sample = &game.samples[ply];
            let balance = self.balance(&sample.board);
            if !seen.insert(balance) {
                continue;
            }
            let row = *self.places.entry(balance).or_insert(self.rows.len());
            if row == self.rows.len() {
                self.rows.push((balance, Target::default()));
            }
            let target = &mut self.rows[row].1;
            target.count += 1.0;
            target.points += points(sample);
        }
    }

    /// The features' names, in their order.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names = vec!["pawn", "knight", "bishop", "rook", "queen"];
        names.extend(self.extras.bishop_pair.then_some("bishop pair"));
        names.extend(self.extras.first_move.then_some("being White"));
        names
    }

    fn balance(&self, board: &Board) -> Balance {
        let difference = |count: &dyn Fn(Colour) -> u32| count(Colour::White) as i8 - count(Colour::Black) as i8;
        let mut balance = [0; 6];
        for (role, balance) in COUNTED.into_iter().zip(&mut balance) {
            *balance = difference(&|colour| board.pieces(colour, role).len());
        }
        if self.extras.bishop_pair {
            balance[5] = difference(&|colour| u32::from(has_bishop_pair(board, colour)));
        }
        balance
    }
}

/// Whether a side has bishops on squares of both colours.
fn has_bishop_pair(board: &Board, colour: Colour) -> bool {
    let shade = |square: engine_core::chess::Square| (square.index() / 8 + square.index()) % 2;
    let mut shades = [false; 2];
    for square in board.pieces(colour, Role::Bishop) {
        shades[shade(square)] = true;
    }
    shades == [true; 2]
}

impl Examples for Material {
    fn features(&self) -> usize {
        self.names().len()
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, row: usize, entries: &mut Vec<Entry>) -> Target {
        let (balance, target) = &self.rows[row];
        let differences = balance.iter().enumerate().filter(|&(_, &difference)| difference != 0);
        entries.extend(differences.map(|(feature, &difference)| (feature, f64::from(difference))));
        if self.extras.first_move {
            entries.push((self.features() - 1, 1.0));
        }
        *target
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::game::Outcome;

    fn sample(fen: &str) -> Sample {
        let board = Board::from_fen(fen).unwrap();
        Sample { board, played: None, score: None, outcome: Outcome::Win, ply: None }
    }

    fn rows(material: &Material) -> Vec<(Vec<Entry>, Target)> {
        (0..material.rows())
            .map(|row| {
                let mut entries = Vec::new();
                let target = material.row(row, &mut entries);
                (entries, target)
            })
            .collect()
    }

    #[test]
    fn a_balance_counts_once_a_game() {
        let mut material = Material::new(Extras::default());
        let pawn_up = sample("4k3/p7/8/8/8/8/PP6/4K3 w - - 0 1");
        let other_pawn_up = sample("4k3/8/8/8/8/8/6P1/4K3 b - - 0 1");
        let queen_for_rooks = sample("q3k3/8/8/8/8/8/8/R3K2R w - - 0 1");
        let samples = vec![pawn_up, queen_for_rooks, other_pawn_up, pawn_up];
        material.take(&Game { samples: samples.clone() }, &[0, 1, 2, 3], |_| 1.0);
        material.take(&Game { samples }, &[3], |_| 0.5);
        assert_eq!(
            rows(&material),
            [
                (vec![(0, 1.0)], Target { count: 2.0, points: 1.5 }),
                (vec![(3, 2.0), (4, -1.0)], Target { count: 1.0, points: 1.0 }),
            ]
        );
    }

    #[test]
    fn a_pair_of_bishops_stands_on_both_colours() {
        let mut material = Material::new(Extras { bishop_pair: true, first_move: true });
        let pair = sample("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1");
        let one_colour = sample("2b1k3/8/b7/8/8/8/8/4K3 w - - 0 1");
        let both = sample("2b1kb2/8/8/8/8/8/8/2B1KB2 w - - 0 1");
        material.take(&Game { samples: vec![pair, one_colour, both] }, &[0, 1, 2], |_| 1.0);
        let entries: Vec<_> = rows(&material).into_iter().map(|(entries, _)| entries).collect();
        assert_eq!(entries, [vec![(2, 2.0), (5, 1.0), (6, 1.0)], vec![(2, -2.0), (6, 1.0)], vec![(6, 1.0)]]);
        assert_eq!(material.names().len(), 7);
    }
}
