//! `quantize verify`: do the engine's integers say what the floats say?

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use engine_core::chess::Board;
use engine_core::eval::MAX_EVAL;

use crate::blob::Blob;
use crate::float_net::FloatNet;
use crate::integer_net::IntegerNet;
use crate::onnx::reference::Reference;
use crate::{policy, positions, source};

/// Scores of the float net below this, in centipawns, are of games not yet decided.
const UNDECIDED: f64 = 600.0;

/// Compare a blob, as the engine computes it, with the float net that it was made of, as tract computes it.
///
/// Both judge the same positions: those of a file, or of random games. Errors are differences in centipawns. Two
/// scores have the same sign unless one is above zero and the other below, both as whole centipawns.
///
/// Policy nets choose: how often both like the same legal move best, and how far the logarithms of their chances are
/// apart.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The float net: .safetensors or .onnx
    weights: PathBuf,
    /// The blob that was made of it
    net: PathBuf,
    /// Positions: lines of FEN or EPD, or .bullet records [default: random games]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// How many positions; of a file that has more, so many are drawn
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// Seed of the random games, and of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Fail, with exit status 1, if the mean error where the float score is below 600 is more than this
    #[arg(long, value_name = "CENTIPAWNS")]
    max_mean: Option<f64>,
    /// Fail, with exit status 1, if fewer than so many percent of a policy net's first moves agree
    #[arg(long, value_name = "PERCENT")]
    min_agreement: Option<f64>,
}

/// Does what the command line asks for; the status is 1 if the mean error is too large, or the agreement too small.
///
/// # Errors
/// If a file cannot be read, or the blob has another architecture than the weights.
pub fn run(args: &Args) -> Result<ExitCode> {
    let weights = source::read(&args.weights)?;
    let file = || args.weights.display().to_string();
    let blob = Blob::read(&args.net)?;
    let count = args.count as usize;
    let boards = match &args.positions {
        Some(path) => positions::read(path, count, args.seed)?,
        None => positions::random(count, args.seed),
    };
    if source::is_policy(&weights).with_context(file)? {
        ensure!(args.max_mean.is_none(), "--max-mean is for value nets; of a policy net --min-agreement is asked");
        let net = policy::FloatNet::from_weights(&weights).with_context(|| format!("{} is no policy net", file()))?;
        let choices = policy::verify::compare(&net, &blob, &boards)?;
        print!("{}", policy::verify::report(&boards, &choices));
        let Some(least) = args.min_agreement else { return Ok(ExitCode::SUCCESS) };
        let summary = policy::verify::Summary::of(&choices).context("--min-agreement: no position has a legal move")?;
        return Ok(verdict(summary.agreement < least / 100.0, || {
            format!("{:.2} % of the first moves agree, fewer than {least}", summary.agreement * 100.0)
        }));
    }
    ensure!(args.min_agreement.is_none(), "--min-agreement is for policy nets; of a value net --max-mean is asked");
    let net = FloatNet::from_weights(&weights).with_context(|| format!("{} is no value net", file()))?;
    let judgements = compare(&net, &blob, &boards)?;
    let undecided: Vec<Judgement> = judgements.iter().copied().filter(Judgement::is_undecided).collect();
    print!("{}", report(&boards, &judgements, &undecided));
    let Some(most) = args.max_mean else { return Ok(ExitCode::SUCCESS) };
    let mean = Summary::of(&undecided).context("--max-mean: no position has a float score below 600")?.mean;
    Ok(verdict(mean > most, || format!("the mean error {mean:.3} is more than {most}")))
}

/// The exit status, and the reason if it is failure.
fn verdict(failed: bool, why: impl Fn() -> String) -> ExitCode {
    if failed {
        println!("FAILED: {}", why());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// What floats and integers say of a position, in centipawns for the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Which position.
    pub position: usize,
    /// The float net's score, cut off where the engine's is.
    pub reference: f64,
    /// The engine's score.
    pub engine: i32,
}

impl Judgement {
    /// How far they are apart.
    #[must_use]
    pub fn error(&self) -> f64 {
        (self.reference - f64::from(self.engine)).abs()
    }

    /// Whether the float net does not think that the game is decided.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.reference.abs() < UNDECIDED
    }

    /// Whether they do not say the contrary of each other.
    #[must_use]
    pub fn same_sign(&self) -> bool {
        self.reference.round() * f64::from(self.engine) >= 0.0
    }
}

/// Has both judge the positions.
///
/// # Errors
/// If the blob is of another architecture than the float net, or tract cannot run that.
pub fn compare(net: &FloatNet, blob: &Blob, boards: &[Board]) -> Result<Vec<Judgement>> {
    let integers = IntegerNet::from_blob(blob)?;
    let shape = net.shape(&integers.settings())?;
    ensure!(
        shape == integers.shape,
        "the blob is of another architecture: width {}, dense {:?}, buckets {}, but the weights have {}, {:?}, {}",
        integers.shape.width,
        integers.shape.dense,
        integers.shape.buckets,
        shape.width,
        shape.dense,
        shape.buckets
    );
    let outputs = Reference::new(net)?.outputs(boards)?;
    let engine = blob.net()?;
    let limit = f64::from(MAX_EVAL);
    let judge = |(position, (board, out)): (usize, (&Board, f32))| Judgement {
        position,
        reference: (f64::from(out) * f64::from(shape.scale)).clamp(-limit, limit),
        engine: engine.evaluate(board),
    };
    Ok(boards.iter().zip(outputs).enumerate().map(judge).collect())
}

/// How far floats and integers are apart over many positions, in centipawns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The mean error.
    pub mean: f64,
    /// The error that one position in a hundred exceeds.
    pub percentile_99: f64,
    /// The share of positions, from 0 to 1, where both have the same sign.
    pub same_sign: f64,
    /// The position with the largest error.
    pub worst: Judgement,
}

impl Summary {
    /// The summary of some judgements; `None` if there are none.
    #[must_use]
    pub fn of(judgements: &[Judgement]) -> Option<Self> {
        let mut sorted = judgements.to_vec();
        sorted.sort_by(|a, b| a.error().total_cmp(&b.error()));
        let worst = *sorted.last()?;
        let count = sorted.len() as f64;
        Some(Self {
            mean: sorted.iter().map(Judgement::error).sum::<f64>() / count,
            percentile_99: sorted[(sorted.len() * 99).div_ceil(100) - 1].error(),
            same_sign: sorted.iter().filter(|judgement| judgement.same_sign()).count() as f64 / count,
            worst,
        })
    }
}

fn report(boards: &[Board], all: &[Judgement], undecided: &[Judgement]) -> String {
    let mut report = format!(
        "{:<24} {:>9} {:>10} {:>8} {:>8} {:>10}\n",
        "error in centipawns", "positions", "mean", "99 %", "worst", "same sign"
    );
    let groups = [("float score below 600", undecided), ("all", all)];
    let groups: Vec<_> =
        groups.into_iter().filter_map(|(name, group)| Some((name, group.len(), Summary::of(group)?))).collect();
    for (name, count, Summary { mean, percentile_99, same_sign, worst }) in &groups {
        let _ = writeln!(
            report,
            "{name:<24} {count:>9} {mean:>10.3} {percentile_99:>8.2} {:>8.2} {:>8.2} %",
            worst.error(),
            same_sign * 100.0
        );
    }
    for (name, _, Summary { worst: Judgement { position, reference, engine }, .. }) in &groups {
        let _ = writeln!(report, "worst, {name}: float {reference:.1}, engine {engine}: {}", boards[*position].fen());
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_that_computed_by_hand() {
        let judgement = |position, reference, engine| Judgement { position, reference, engine };
        let judgements: Vec<Judgement> = (0..200).map(|n| judgement(n, 10.0 + n as f64, 10)).collect();
        let summary = Summary::of(&judgements).expect("not empty");
        assert_eq!(summary.mean, 99.5);
        // Two of 200, those with errors of 198 and 199, are beyond.
        assert_eq!(summary.percentile_99, 197.0);
        assert_eq!(summary.worst, judgement(199, 209.0, 10));
        assert_eq!(summary.same_sign, 1.0);
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn signs_differ_only_on_both_sides_of_zero() {
        let same_sign = |reference, engine| Judgement { position: 0, reference, engine }.same_sign();
        assert!(same_sign(3.0, 1) && same_sign(-3.0, -1) && same_sign(0.4, -1) && same_sign(5.0, 0));
        assert!(!same_sign(0.6, -1) && !same_sign(-2.0, 1));
    }
}
