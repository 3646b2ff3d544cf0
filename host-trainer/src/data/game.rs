//! What every kind of file comes down to: positions, and what a search and the game's result say of them.

use engine_core::chess::{Board, Colour, Move};

/// Scores of at least this, for either side, are mates and no centipawns: `MATE` less the plies to it.
pub const MATE_FROM: i16 = 30_000;

/// The score of having mated.
pub const MATE: i16 = 32_000;

/// How a game ended for one side. The numbers are those of the file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// The side lost.
    Loss = 0,
    /// Nobody won.
    Draw = 1,
    /// The side won.
    Win = 2,
}

impl Outcome {
    /// The outcome of a number 0, 1 or 2.
    pub fn from_number(number: u8) -> Option<Outcome> {
        [Outcome::Loss, Outcome::Draw, Outcome::Win].get(usize::from(number)).copied()
    }

    /// White's outcome as `colour` sees it, or the other way round.
    #[must_use]
    pub fn seen_by(self, colour: Colour) -> Outcome {
        match (self, colour) {
            (Outcome::Win, Colour::Black) => Outcome::Loss,
            (Outcome::Loss, Colour::Black) => Outcome::Win,
            _ => self,
        }
    }
}

/// White's score as `colour` sees it, or the other way round.
pub fn score_seen_by(score: i16, colour: Colour) -> i16 {
    if colour == Colour::White { score } else { score.saturating_neg() }
}

/// A position with its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The position. Without castling rights, en passant and counters where the file does not keep them.
    pub board: Board,
    /// The move that was played here, if the file keeps moves.
    pub played: Option<Move>,
    /// The search's score in centipawns for the side to move.
    pub score: Option<i16>,
    /// How the game ended for the side to move.
    pub outcome: Outcome,
    /// Plies since the usual start position, if the file keeps the number.
    pub ply: Option<u32>,
}

/// The positions of one game in their order; a lone position where the file knows no games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// The positions, each reached by the move before it.
    pub samples: Vec<Sample>,
}

impl Game {
    /// How the game ended for White; `None` if it has no position.
    pub fn white_outcome(&self) -> Option<Outcome> {
        self.samples.first().map(|first| first.outcome.seen_by(first.board.side_to_move()))
    }

    /// A number for the content of the game, the same wherever the game stands in whatever file.
    pub fn identity(&self, seed: u64) -> u64 {
        let start = self.samples.first().map_or(0, |first| first.board.key());
        self.samples.iter().fold(mix(seed ^ mix(start)), |identity, sample| {
            mix(identity ^ sample.played.map_or(0, |mv| u64::from(mv.bits())))
        })
    }

    /// Whether the seed gives a game to the part that has such a share of all games. The content decides: a game that
    /// occurs twice falls on one side.
    pub fn is_within(&self, seed: u64, share: f64) -> bool {
        ((self.identity(seed) >> 11) as f64) < share * (1u64 << 53) as f64
    }
}

/// Plies since the usual start position, by the board's move number.
pub fn ply_of(board: &Board) -> u32 {
    2 * (u32::from(board.fullmove_number()) - 1) + u32::from(board.side_to_move() == Colour::Black)
}

/// Spreads a number over all 64 bits, no two to the same place: the finalizer of SplitMix64.
pub fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
