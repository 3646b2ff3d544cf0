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

#[cfg(test)]
mod tests {
    use engine_core::chess::Board;

    use super::*;

    const DEFAULTS: Filters =
        Filters { min_ply: 16, max_score: 2400, contradiction: 600, keep_checks: false, keep_captures: false };

    fn sample(fen: &str, mv: &str) -> Sample {
        let board = Board::from_fen(fen).unwrap();
        let played = Some(board.parse_move(mv.as_bytes()).unwrap());
        Sample { board, played, score: Some(50), outcome: Outcome::Draw, ply: Some(16) }
    }

    fn quiet() -> Sample {
        sample("4k3/P7/8/8/2pP4/8/8/4K3 b - d3 0 9", "e8d7")
    }

    #[test]
    fn plies_count_from_the_least_that_is_kept() {
        assert_eq!(DEFAULTS.pass(&quiet()), Ok(50));
        assert_eq!(DEFAULTS.pass(&Sample { ply: Some(15), ..quiet() }), Err(Reason::Early));
        assert_eq!(Filters { min_ply: 15, ..DEFAULTS }.pass(&Sample { ply: Some(15), ..quiet() }), Ok(50));
        assert_eq!(DEFAULTS.pass(&Sample { ply: None, ..quiet() }), Ok(50), "unknown");
    }

    #[test]
    fn checks() {
        let checked = sample("4k3/8/8/8/8/8/8/r3K3 w - - 0 9", "e1e2");
        assert_eq!(DEFAULTS.pass(&checked), Err(Reason::Check));
        assert_eq!(Filters { keep_checks: true, ..DEFAULTS }.pass(&checked), Ok(50));
    }

    #[test]
    fn captures_and_promotions_but_not_castling() {
        let white = "3r3k/R3P2p/8/8/8/8/8/4K3 w - - 0 9";
        for (sample, is_capture) in [
            (sample(white, "e7d8q"), true),
            (sample("4k3/8/8/8/8/8/4K2P/7r b - - 0 9", "h1h2"), true),
            (sample(white, "e7e8n"), true),
            (sample(white, "a7a8"), false),
            (sample("4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 9", "c4d3"), true),
            (sample("4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 9", "c4c3"), false),
            (sample("7k/8/8/8/8/8/8/R3K3 w Q - 0 9", "e1c1"), false),
        ] {
            let expected = if is_capture { Err(Reason::Capture) } else { Ok(50) };
            assert_eq!(DEFAULTS.pass(&sample), expected, "{:?}", sample.played);
            assert_eq!(Filters { keep_captures: true, ..DEFAULTS }.pass(&sample), Ok(50));
        }
        assert_eq!(DEFAULTS.pass(&Sample { played: None, ..quiet() }), Ok(50), "unknown");
    }

    #[test]
    fn scores() {
        let pass = |score| DEFAULTS.pass(&Sample { score, ..quiet() });
        assert_eq!(pass(None), Err(Reason::Unscored));
        for sign in [1, -1] {
            assert_eq!(pass(Some(sign * 2400)), Ok(sign * 2400));
            assert_eq!(pass(Some(sign * 2401)), Err(Reason::Score));
            assert_eq!(pass(Some(sign * (MATE_FROM - 1))), Err(Reason::Score));
            assert_eq!(pass(Some(sign * MATE_FROM)), Err(Reason::Mate));
        }
        assert_eq!(pass(Some(i16::MIN)), Err(Reason::Mate));
    }

    #[test]
    fn a_score_contradicts_the_loss_of_the_side_it_favours() {
        let never = Filters { contradiction: 0, ..DEFAULTS };
        for (score, outcome, contradicts) in [
            (600, Outcome::Loss, true),
            (599, Outcome::Loss, false),
            (600, Outcome::Draw, false),
            (600, Outcome::Win, false),
            (-600, Outcome::Win, true),
            (-599, Outcome::Win, false),
            (-600, Outcome::Draw, false),
            (-600, Outcome::Loss, false),
        ] {
            let sample = Sample { score: Some(score), outcome, ..quiet() };
            let expected = if contradicts { Err(Reason::Contradiction) } else { Ok(score) };
            assert_eq!(DEFAULTS.pass(&sample), expected, "{score} {outcome:?}");
            assert_eq!(never.pass(&sample), Ok(score));
        }
    }
}
