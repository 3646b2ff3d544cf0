//! Calibration: a net's biases moved by what the rounding of its weights does to its output on the whole.
//!
//! Errors of many rounded weights do not all cancel: what is left of them is nearly the same in all positions of a
//! bucket, because about the same units are active. The output's bias can take it back.
//!
//! Source: "bias correction" of Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction",
//! 2019, here at the output alone and measured on positions.

use engine_core::chess::Board;
use engine_core::eval::MAX_EVAL;
use engine_core::net::features::bucket;

use crate::fixed;
use crate::float_net::FloatNet;
use crate::integer_net::{IntegerNet, QuantiseError};

/// How far a bucket's output was moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The positions of the bucket.
    pub positions: usize,
    /// The mean of what the floats said more than the integers, in centipawns.
    pub centipawns: f64,
}

/// Moves the bias of each bucket by the mean error of the engine over the positions of that bucket; buckets that have
/// none, and positions where the engine's score is cut off, change nothing. Tells what it did, by bucket.
///
/// # Errors
/// If the engine refuses the net, before or after.
pub fn calibrate(net: &FloatNet, integers: &mut IntegerNet, boards: &[Board]) -> Result<Vec<Shift>, QuantiseError> {
    let blob = integers.to_blob()?;
    let engine = blob.net().map_err(QuantiseError::Engine)?;
    let buckets = integers.output.biases.len();
    let scale = f64::from(integers.shape.scale);
    let mut errors = vec![Vec::new(); buckets];
    for board in boards {
        let score = engine.evaluate(board);
        if score.abs() < MAX_EVAL {
            // The engine rounds down, so that its score is half a centipawn too low on average.
            let exact = f64::from(score) + 0.5;
            errors[bucket(board.occupied().len(), buckets)].push(net.output(board) * scale - exact);
        }
    }
    let unit = fixed::scales(&integers.shape).output.bias;
    let mut shifts = Vec::new();
    for (errors, bias) in errors.iter().zip(&mut integers.output.biases) {
        // The sum of nothing would be -0.0.
        let sum = errors.iter().fold(0.0, |sum, error| sum + error);
        let centipawns = sum / errors.len().max(1) as f64;
        *bias = bias.saturating_add((centipawns / scale * unit).round() as i32);
        shifts.push(Shift { positions: errors.len(), centipawns });
    }
    Ok(shifts)
}
