//! What can go wrong with an engine during a game.

use std::time::Duration;

/// Something an engine did that loses it the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Its pipe closed.
    #[error("crashed ({0})")]
    Crash(String),
    /// No move within its time and our grace.
    #[error("gave no move within {:.3} s", .0.as_secs_f64())]
    Stall(Duration),
    /// No answer when asked whether it is ready.
    #[error("did not answer `{0}`")]
    Unready(&'static str),
    /// A move, but too late.
    #[error("overstepped its time by {:.3} s", .0.as_secs_f64())]
    TimeLoss(Duration),
    /// So much text, in bytes, that no answer can be meant.
    #[error("wrote {0} bytes without an answer")]
    Flood(usize),
    /// A move of which it did not say what it is worth, where that was wanted.
    #[error("gave a move without a score")]
    Unscored,
    /// A move that is not legal, or not a move at all.
    #[error("played the illegal move `{0}`")]
    IllegalMove(String),
    /// It calls a legal move or position of the game illegal.
    #[error("refused a legal move or position: `{0}`")]
    Refusal(String),
    /// It claims a result that the rules do not give it.
    #[error("claimed a false result: `{0}`")]
    FalseClaim(String),
}

impl Fault {
    /// One word or two for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Crash(_) => "crash",
            Fault::Stall(_) => "stall",
            Fault::Unready(_) => "not ready",
            Fault::TimeLoss(_) => "time loss",
            Fault::Flood(_) => "flood",
            Fault::Unscored => "no score",
            Fault::IllegalMove(_) => "illegal move",
            Fault::Refusal(_) => "refusal",
            Fault::FalseClaim(_) => "false claim",
        }
    }
}

/// Why an engine's answer did not come.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Its own doing.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Ours: someone asked the program to stop.
    #[error("interrupted")]
    Interrupted,
}
