//! Which positions are worth learning from, and how many are not, and why.

use super::game::{MATE_FROM, Outcome, Sample};

/// What a position must be like to be kept.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Filters {
    /// Leave out positions before this ply, counted from the usual start position by the move number
    #[arg(long, value_name = "PLY", default_value = "16")]
    pub min_ply: u32,

    /// Leave out positions with a score beyond this, in centipawns, for either side
    #[arg(long, value_name = "CP", default_value = "2400", value_parser = clap::value_parser!(u16).range(1..30_000))]
    pub max_score: u16,

    /// Leave out positions whose score gives at least this to the side that went on to lose; draws contradict nothing.
    /// 0: never
    #[arg(long, value_name = "CP", default_value = "600")]
    pub contradiction: u16,

    /// Keep positions in which the side to move is in check
    #[arg(long)]
    pub keep_checks: bool,

    /// Keep positions in which the move played is a capture or a promotion
    #[arg(long)]
    pub keep_captures: bool,
}

/// Why a position is left out: the first that applies in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It has no score.
    Unscored,
    /// It comes too early in its game.
    Early,
    /// The side to move is in check.
    Check,
    /// The move played is a capture or a promotion.
    Capture,
    /// Its score is a mate.
    Mate,
    /// Its score is too large.
    Score,
    /// Its score gives much to the side that lost.
    Contradiction,
}

impl Reason {
    /// All of them, in the order of their numbers.
    pub const ALL: [Reason; 7] = [
        Reason::Unscored,
        Reason::Early,
        Reason::Check,
        Reason::Capture,
        Reason::Mate,
        Reason::Score,
        Reason::Contradiction,
    ];

    /// What it is called in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Unscored => "unscored",
            Reason::Early => "early",
            Reason::Check => "check",
            Reason::Capture => "capture",
            Reason::Mate => "mate",
            Reason::Score => "score",
            Reason::Contradiction => "contradiction",
        }
    }
}

impl Filters {
    /// Why a position is left out, or the score of one that is kept. What a file does not say is not held against it.
    ///
    /// # Errors
    /// The reason.
    pub fn pass(&self, sample: &Sample) -> Result<i16, Reason> {
        let Some(score) = sample.score else { return Err(Reason::Unscored) };
        let size = score.unsigned_abs();
        let board = &sample.board;
        let contradicting = if score > 0 { Outcome::Loss } else { Outcome::Win };
        let reason = if sample.ply.is_some_and(|ply| ply < self.min_ply) {
            Reason::Early
        } else if !self.keep_checks && board.in_check() {
            Reason::Check
        } else if !self.keep_captures
            && sample.played.is_some_and(|mv| board.is_capture(mv) || mv.promotes_to().is_some())
        {
            Reason::Capture
        } else if size >= MATE_FROM.unsigned_abs() {
            Reason::Mate
        } else if size > self.max_score {
            Reason::Score
        } else if self.contradiction > 0 && size >= self.contradiction && sample.outcome == contradicting {
            Reason::Contradiction
        } else {
            return Ok(score);
        };
        Err(reason)
    }
}

/// How many positions were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rejected([u64; Reason::ALL.len()]);

impl Rejected {
    /// Counts one.
    pub fn count(&mut self, reason: Reason) {
        self.0[reason as usize] += 1;
    }

    /// The count of a reason.
    pub fn of(&self, reason: Reason) -> u64 {
        self.0[reason as usize]
    }

    /// Names and counts, in the order of [`Reason::ALL`].
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Reason::ALL.into_iter().map(|reason| (reason.name(), self.of(reason)))
    }
}
