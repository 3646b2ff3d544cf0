//! Positions with their legal moves, in memory and in batches.

use std::{ops::Range, sync::Arc};

use engine_core::{
    chess::{Board, Move},
    net::{
        move_planes,
        planes::{self, INPUTS},
    },
};

use crate::{
    arena::random::SplitMix64,
    data::game::mix,
    train::{
        kind::Data,
        sparse::{Activation, Seen},
    },
};

/// Positions one behind the other: about 130 bytes each in the middle of a game.
///
/// Each is its numbers of inputs and of moves, its active inputs, and the numbers of its legal moves, the played one
/// first.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    numbers: Vec<u16>,
    /// Where each position starts.
    starts: Vec<usize>,
}

impl Examples {
    /// Adds a position that has stood so many times before, and the legal move that was played there.
    pub fn add(&mut self, board: &Board, repetitions: usize, played: Move) {
        let start = self.numbers.len();
        self.starts.push(start);
        self.numbers.extend([0, 0]);
        self.numbers.extend(planes::active(board, repetitions).map(|input| input as u16));
        let inputs = self.numbers.len() - start - 2;
        self.numbers.push(move_planes::index(board, played));
        let others = board.legal_moves().into_iter().filter(|&mv| mv != played);
        self.numbers.extend(others.map(|mv| move_planes::index(board, mv)));
        let moves = self.numbers.len() - start - 2 - inputs;
        self.numbers[start] = inputs as u16;
        self.numbers[start + 1] = moves as u16;
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The active inputs of a position, and its legal moves, the played one first.
    pub fn get(&self, position: usize) -> (&[u16], &[u16]) {
        let [inputs, moves, ref numbers @ ..] = self.numbers[self.starts[position]..] else { return (&[], &[]) };
        let [inputs, moves] = [inputs, moves].map(usize::from);
        numbers[..inputs + moves].split_at(inputs)
    }
}

/// Lists of numbers, one for each position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    numbers: Vec<u16>,
    /// Where each list ends.
    ends: Vec<u32>,
}

impl Lists {
    fn add(&mut self, list: &[u16]) {
        self.numbers.extend(list);
        self.ends.push(self.numbers.len() as u32);
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The list of a position.
    #[inline]
    pub fn get(&self, position: usize) -> &[u16] {
        &self.numbers[self.place(position)]
    }

    /// Where the list of a position lies among all numbers.
    #[inline]
    pub fn place(&self, position: usize) -> Range<usize> {
        let start = if position == 0 { 0 } else { self.ends[position - 1] as usize };
        start..self.ends[position] as usize
    }

    /// All lists in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[u16]> {
        (0..self.len()).map(|position| self.get(position))
    }

    /// The longest list's length.
    pub fn longest(&self) -> usize {
        self.iter().map(<[u16]>::len).max().unwrap_or(0)
    }
}

/// The active inputs of the positions of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs(Lists);

impl Seen for Inputs {
    const INPUTS: usize = INPUTS;
    const SIDES: usize = 1;
    const ACTIVATION: Activation = Activation::Relu;

    fn positions(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn inputs(&self, position: usize, _side: usize) -> &[u16] {
        self.0.get(position)
    }
}

/// The positions of a step.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Their active inputs.
    pub inputs: Arc<Inputs>,
    /// Their legal moves, the played one first.
    pub moves: Arc<Lists>,
}

impl Batch {
    /// Takes positions out of examples.
    pub fn new(examples: &Examples, positions: impl IntoIterator<Item = usize>) -> Batch {
        let (mut inputs, mut moves) = (Lists::default(), Lists::default());
        for position in positions {
            let (seen, legal) = examples.get(position);
            inputs.add(seen);
            moves.add(legal);
        }
        Batch { inputs: Arc::new(Inputs(inputs)), moves: Arc::new(moves) }
    }

    /// Some positions of the batch.
    #[must_use]
    pub fn part(&self, positions: Range<usize>) -> Batch {
        let (mut inputs, mut moves) = (Lists::default(), Lists::default());
        for position in positions {
            inputs.add(self.inputs.0.get(position));
            moves.add(self.moves.get(position));
        }
        Batch { inputs: Arc::new(Inputs(inputs)), moves: Arc::new(moves) }
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.moves.len()
    }

    /// A number for the positions and the moves played there.
    pub fn identity(&self) -> u64 {
        self.inputs.0.iter().zip(self.moves.iter()).fold(0, |identity, (inputs, moves)| {
            inputs.iter().chain(moves).fold(identity, |identity, &number| mix(identity ^ u64::from(number)))
        })
    }
}

/// The positions to learn from, in random order: neighbours of a game do not stay together.
#[derive(Debug)]
pub struct TrainingData {
    examples: Examples,
}

impl TrainingData {
    /// Shuffles examples.
    pub fn new(mut examples: Examples, seed: u64) -> TrainingData {
        SplitMix64::new(mix(seed)).shuffle(&mut examples.starts);
        TrainingData { examples }
    }
}

impl Data for TrainingData {
    type Batch = Batch;

    fn positions(&self) -> usize {
        self.examples.len()
    }

    fn batch(&mut self, pieces: impl Iterator<Item = (usize, usize)>, _course: f32) -> anyhow::Result<Batch> {
        Ok(Batch::new(&self.examples, pieces.flat_map(|(first, count)| first..first + count)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_comes_back_as_it_went_in() {
        let mut examples = Examples::default();
        for (fen, repetitions, played) in [
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 0, "e1g1"),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1", 2, "c7c5"),
        ] {
            let board = Board::from_fen(fen).expect("a position");
            let played = board.parse_move(played.as_bytes()).expect("a move");
            examples.add(&board, repetitions, played);
            let (inputs, moves) = examples.get(examples.len() - 1);
            let expected: Vec<u16> = planes::active(&board, repetitions).map(|input| input as u16).collect();
            assert_eq!(inputs, expected);
            assert_eq!(move_planes::legal_move(&board, moves[0]), Some(played));
            let mut moves: Vec<_> = moves.iter().filter_map(|&mv| move_planes::legal_move(&board, mv)).collect();
            assert_eq!(moves.len(), board.legal_moves().len());
            moves.sort_by_key(|mv| mv.bits());
            moves.dedup();
            assert_eq!(moves.len(), board.legal_moves().len());
        }
        // The same positions by way of a batch and of a part of it.
        let batch = Batch::new(&examples, [1, 0]);
        let part = batch.part(1..2);
        assert_eq!((part.inputs.inputs(0, 0), part.moves.get(0)), examples.get(0));
        assert_eq!((batch.inputs.inputs(0, 0), batch.moves.get(0)), examples.get(1));
        assert_ne!(batch.identity(), Batch::new(&examples, [0, 1]).identity());
    }
}
