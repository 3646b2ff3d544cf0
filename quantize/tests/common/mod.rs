//! Random nets, their files, and what they compute by the plainest arithmetic.
#![allow(dead_code, reason = "each test program uses what it needs")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{collections::HashMap, fs};

use engine_core::chess::Board;
use engine_core::net::features::{INPUTS, Perspective, bucket};
use fastrand::Rng;
use quantize::float_net::{FloatNet, Linear};
use quantize::integer_net::IntegerNet;
use quantize::settings::Settings;
use quantize::weights::{Tensor, Weights};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

/// Shapes that between them have every way through the arithmetic: width, dense layers, buckets, qa.
pub(crate) const SHAPES: [(usize, &[usize], usize, u16); 8] = [
    (16, &[], 1, 255),
    (32, &[], 8, 181),
    (128, &[], 8, 255),
    (64, &[], 1, 127),
    (16, &[16], 1, 127),
    (32, &[16, 32], 8, 181),
    (64, &[16], 8, 255),
    (128, &[16, 32], 8, 255),
];

pub(crate) fn settings(qa: u16) -> Settings {
    Settings { name: "random".into(), record: "drawn by lot".into(), qa, qb: 64, scale: 400 }
}

/// A net whose weights are drawn by lot, within what eight bits hold, so that its outputs are about as far from zero
/// as those of a trained one.
pub(crate) fn random_net(width: usize, dense: &[usize], buckets: usize, seed: u64) -> FloatNet {
    let mut rng = Rng::with_seed(seed);
    let mut linear = |inputs: usize, units: usize, weight: f32, bias: (f32, f32)| Linear {
        inputs,
        units,
        weights: (0..inputs * units).map(|_| (rng.f32() * 2.0 - 1.0) * weight).collect(),
        biases: (0..units).map(|_| bias.0 + rng.f32() * (bias.1 - bias.0)).collect(),
    };
    let features = linear(INPUTS, width, 0.2, (-0.1, 0.5));
    let mut inputs = 2 * width;
    let mut layers = Vec::new();
    for &units in dense {
        layers.push(linear(inputs, units, 3.0 / (inputs as f32).sqrt(), (-0.2, 0.6)));
        inputs = units;
    }
    let output = linear(inputs, buckets, 6.0 / (inputs as f32).sqrt(), (-0.3, 0.3));
    FloatNet { features, dense: layers, output }
}

/// The bytes of a safetensors file.
pub(crate) fn safetensors(weights: &Weights) -> Vec<u8> {
    let bytes: Vec<Vec<u8>> = weights
        .tensors
        .iter()
        .map(|tensor| tensor.values.iter().flat_map(|value| value.to_le_bytes()).collect())
        .collect();
    let views = weights.tensors.iter().zip(&bytes).map(|(Tensor { name, shape, .. }, bytes)| {
        (name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes).expect("a tensor"))
    });
    let metadata: HashMap<String, String> = weights.metadata.clone().into_iter().collect();
    safetensors::serialize(views, Some(metadata)).expect("a file")
}

/// Writes weights into a folder.
pub(crate) fn write(folder: &Path, name: &str, weights: &Weights) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, safetensors(weights)).expect("written");
    path
}

/// Runs the program in a folder.
pub(crate) fn quantize(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quantize"));
    command.current_dir(folder).args(arguments).output().expect("the program runs")
}

/// What a program that did its work said.
pub(crate) fn said(output: &Output) -> String {
    let (said, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{complaint}");
    said.into_owned()
}

/// What a program that failed complained of.
pub(crate) fn complaint(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
}

/// The float net's output for a position.
pub(crate) fn float_output(net: &FloatNet, board: &Board) -> f64 {
    let (lowest, highest) = output_between(net, None, board);
    assert_eq!(lowest, highest);
    lowest
}

/// What the arithmetic of integers may do to numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    pub(crate) qa: f64,
    pub(crate) qb: f64,
    /// Whether the weights are yet to be rounded.
    pub(crate) rounds_weights: bool,
}

/// The least and the greatest output that a float net may have for a position once it is computed in integers: interval
/// arithmetic over all that is rounded. With no loss both are the output.
pub(crate) fn output_between(net: &FloatNet, loss: Option<Loss>, board: &Board) -> (f64, f64) {
    let rounded = loss.filter(|loss| loss.rounds_weights);
    let (slack_a, slack_b) = rounded.map_or((0.0, 0.0), |loss| (0.5 / loss.qa, 0.5 / loss.qb));
    let us = board.side_to_move();
    let mut activations = Vec::new();
    for colour in [us, !us] {
        let active: Vec<usize> = Perspective::of(board, colour).active(board).collect();
        let slack = slack_a * (active.len() + 1) as f64;
        for (unit, &bias) in net.features.biases.iter().enumerate() {
            let weights = active.iter().map(|input| f64::from(net.features.weights[input * net.features.units + unit]));
            let sum = f64::from(bias) + weights.sum::<f64>();
            activations.push((screlu(sum - slack), screlu(sum + slack)));
        }
    }
    let mut one = loss.map_or(0.0, |loss| loss.qa);
    for (index, dense) in net.dense.iter().enumerate() {
        let scale = activation_scale(one);
        lose(&mut activations, scale);
        // Sums are at `scale * qb`, but 1.0 among them is the whole number next to it.
        let sums_at = scale * loss.map_or(0.0, |loss| loss.qb);
        one = sums_at.round();
        let drift = if one > 0.0 { (sums_at / one - 1.0).abs() } else { 0.0 };
        assert_eq!(dense.inputs, activations.len(), "dense layer {index}");
        activations = (0..dense.units)
            .map(|unit| {
                let (low, high) = interval(dense, unit, slack_b, &activations);
                (screlu(low - low.abs() * drift), screlu(high + high.abs() * drift))
            })
            .collect();
    }
    if !net.dense.is_empty() {
        lose(&mut activations, activation_scale(one));
    }
    let bucket = bucket(board.occupied().len(), net.output.units);
    interval(&net.output, bucket, slack_b, &activations)
}

fn screlu(sum: f64) -> f64 {
    sum.clamp(0.0, 1.0).powi(2)
}

/// What 1.0 is as an activation; 0 if nothing is lost.
fn activation_scale(one: f64) -> f64 {
    let mut square = one * one;
    while square >= 128.0 {
        square /= 2.0;
    }
    square
}

/// Activations are rounded down to a whole number, 127 at most.
fn lose(activations: &mut [(f64, f64)], scale: f64) {
    for (low, _) in activations.iter_mut().filter(|_| scale > 0.0) {
        *low = (*low - 1.0 / scale).max(0.0);
    }
}

/// A unit's sum, if each weight and the bias may be off by a slack.
fn interval(layer: &Linear, unit: usize, slack: f64, inputs: &[(f64, f64)]) -> (f64, f64) {
    // A bias is kept so finely that its rounding is nothing beside the weights'.
    let bias = f64::from(layer.biases[unit]);
    let (mut low, mut high) = (bias - slack * 0.01, bias + slack * 0.01);
    for (input, &(least, greatest)) in inputs.iter().enumerate() {
        let weight = f64::from(layer.weights[input * layer.units + unit]);
        let ends = [weight - slack, weight + slack].map(|weight| [weight * least, weight * greatest]);
        low += ends.as_flattened().iter().copied().fold(f64::INFINITY, f64::min);
        high += ends.as_flattened().iter().copied().fold(f64::NEG_INFINITY, f64::max);
    }
    (low, high)
}

/// The score that a net in integers has by the rules of `docs/blob.md`, written down as plainly as they are.
pub(crate) fn integer_score(net: &IntegerNet, board: &Board) -> i64 {
    let (qa, qb, width) = (i64::from(net.shape.qa), f64::from(net.shape.qb), net.biases.len());
    let us = board.side_to_move();
    let mut sums = Vec::new();
    for colour in [us, !us] {
        for (unit, &bias) in net.biases.iter().enumerate() {
            let weights =
                Perspective::of(board, colour).active(board).map(|input| i64::from(net.columns[input * width + unit]));
            sums.push((i64::from(bias) + weights.sum::<i64>()).clamp(0, qa));
        }
    }
    let shift = |one: i64| (0..).find(|shift| (one * one) >> shift <= 127).expect("a shift");
    let squares =
        |sums: &[i64], one: i64| sums.iter().map(|sum| ((sum * sum) >> shift(one)).min(127)).collect::<Vec<_>>();
    let scale = |one: i64| (one * one) as f64 / (1i64 << shift(one)) as f64;
    let dot = |layer: &quantize::integer_net::Units, unit: usize, inputs: &[i64]| -> i64 {
        let weights = &layer.weights[unit * layer.inputs..][..layer.inputs];
        let products = weights.iter().zip(inputs).map(|(&weight, input)| i64::from(weight) * input);
        i64::from(layer.biases[unit]) + products.sum::<i64>()
    };

    let mut one = qa;
    for dense in &net.dense {
        let inputs = squares(&sums, one);
        one = (scale(one) * qb).round() as i64;
        sums = (0..dense.biases.len()).map(|unit| dot(dense, unit, &inputs).clamp(0, one)).collect();
    }
    let bucket = bucket(board.occupied().len(), net.output.biases.len());
    let (out, unit) = if net.dense.is_empty() {
        let squares: Vec<i64> = sums.iter().map(|sum| sum * sum).collect();
        (dot(&net.output, bucket, &squares), (qa * qa) as f64 * qb)
    } else {
        (dot(&net.output, bucket, &squares(&sums, one)), (scale(one) * qb).round())
    };
    let centipawns = (f64::from(net.shape.scale) * 2.0f64.powi(32) / unit).round() as i64;
    ((out * centipawns) >> 32).clamp(-20_000, 20_000)
}
