//! Do a policy net's integers choose what its floats choose?

use std::fmt::Write;

use anyhow::{Result, ensure};
use engine_core::chess::{Board, Move};
use engine_core::net::LOGIT_ONE;

use super::{FloatNet, IntegerNet};
use crate::blob::Blob;
use crate::onnx::reference::PolicyReference;

/// What floats and integers make of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Which position.
    pub position: usize,
    /// The move that the floats like best, and the one that the engine does.
    pub moves: [Move; 2],
    /// How likely the floats hold each of the two.
    pub chances: [f64; 2],
    /// How far the logarithms of a move's chances are apart, for every legal move.
    pub errors: Vec<f64>,
}

impl Choice {
    /// Whether both like the same move best, or one that the floats like as much.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.chances[0] == self.chances[1]
    }
}

/// Has both choose in the positions; those without a legal move are left out.
///
/// # Errors
/// If the blob is of another architecture than the float net, or tract cannot run that.
pub fn compare(net: &FloatNet, blob: &Blob, boards: &[Board]) -> Result<Vec<Choice>> {
    let integers = IntegerNet::from_blob(blob)?;
    let shape = net.shape(&integers.shape.shifts)?;
    ensure!(
        shape == integers.shape,
        "the blob is of another architecture: width {}, dense {:?}, but the weights have {}, {:?}",
        integers.shape.width,
        integers.shape.dense,
        shape.width,
        shape.dense
    );
    let reference = PolicyReference::new(net)?.logits(boards)?;
    let engine = blob.policy()?;
    let mut choices = Vec::with_capacity(boards.len());
    for (position, (board, floats)) in boards.iter().zip(reference).enumerate() {
        let moves = board.legal_moves();
        let logits: Vec<f64> =
            engine.logits(board, 0, &moves).into_iter().map(|logit| f64::from(logit) / f64::from(LOGIT_ONE)).collect();
        let floats: Vec<f64> = floats.into_iter().map(f64::from).collect();
        let (Some(ours), Some(theirs)) = (best(&floats), best(&logits)) else { continue };
        let (expected, found) = (log_chances(&floats), log_chances(&logits));
        choices.push(Choice {
            position,
            moves: [moves[ours], moves[theirs]],
            chances: [expected[ours].exp(), expected[theirs].exp()],
            errors: expected.iter().zip(&found).map(|(expected, found)| (expected - found).abs()).collect(),
        });
    }
    Ok(choices)
}

/// The first of the greatest numbers.
fn best(logits: &[f64]) -> Option<usize> {
    (0..logits.len()).reduce(|best, index| if logits[index] > logits[best] { index } else { best })
}

/// The logarithms of softmax.
fn log_chances(logits: &[f64]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = logits.iter().map(|logit| (logit - most).exp()).sum();
    logits.iter().map(|logit| logit - most - total.ln()).collect()
}

/// How far floats and integers are apart over many positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The share of positions, from 0 to 1, where both like the same move best.
    pub agreement: f64,
    /// The mean of all moves' errors.
    pub mean: f64,
    /// The error that one move in a hundred exceeds.
    pub percentile_99: f64,
    /// The position where the engine's choice is the worst in the floats' eyes.
    pub worst: Choice,
}

impl Summary {
    /// The summary of some choices; `None` if there are none.
    #[must_use]
    pub fn of(choices: &[Choice]) -> Option<Self> {
        let loss = |choice: &Choice| choice.chances[0] - choice.chances[1];
        let worst = choices.iter().max_by(|a, b| loss(a).total_cmp(&loss(b)))?.clone();
        let mut errors: Vec<f64> = choices.iter().flat_map(|choice| choice.errors.iter().copied()).collect();
        errors.sort_by(f64::total_cmp);
        Some(Self {
            agreement: choices.iter().filter(|choice| choice.agrees()).count() as f64 / choices.len() as f64,
            mean: errors.iter().sum::<f64>() / errors.len() as f64,
            percentile_99: errors[(errors.len() * 99).div_ceil(100) - 1],
            worst,
        })
    }
}

/// The summary as text.
#[must_use]
pub fn report(boards: &[Board], choices: &[Choice]) -> String {
    let mut report = String::new();
    let Some(Summary { agreement, mean, percentile_99, worst }) = Summary::of(choices) else {
        return "no position has a legal move\n".into();
    };
    let _ = writeln!(report, "positions                         {:>9}", choices.len());
    let _ = writeln!(report, "the same move first               {:>9.2} %", agreement * 100.0);
    let _ = writeln!(report, "error of a chance's logarithm     {mean:>9.4} mean, {percentile_99:.4} at 99 %");
    let board = &boards[worst.position];
    let said = |which: usize| format!("{} ({:.1} %)", board.san(worst.moves[which]), worst.chances[which] * 100.0);
    let _ = writeln!(report, "worst: float {}, engine {}: {}", said(0), said(1), board.fen());
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_softmax() {
        let chances: Vec<f64> = log_chances(&[1.0, 0.0, 0.0]).into_iter().map(f64::exp).collect();
        let total = 1.0f64.exp() + 2.0;
        assert!((chances[0] - 1.0f64.exp() / total).abs() < 1e-12 && (chances[2] - 1.0 / total).abs() < 1e-12);
        assert_eq!(best(&[0.0, 2.0, 2.0]), Some(1));
        assert_eq!(best(&[]), None);
    }

    #[test]
    fn a_summary_is_that_computed_by_hand() {
        let mv = Move::from_bits(1).expect("a move");
        let choice =
            |position, chances, errors: &[f64]| Choice { position, moves: [mv; 2], chances, errors: errors.into() };
        let choices =
            [choice(0, [0.5, 0.5], &[0.0, 0.1]), choice(1, [0.5, 0.2], &[0.2]), choice(2, [0.5, 0.4], &[0.3])];
        let summary = Summary::of(&choices).expect("not empty");
        assert!((summary.agreement - 1.0 / 3.0).abs() < 1e-12 && (summary.mean - 0.15).abs() < 1e-12);
        assert_eq!((summary.percentile_99, summary.worst.position), (0.3, 1));
        assert_eq!(Summary::of(&[]), None);
    }
}
