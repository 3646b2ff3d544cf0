//! Policy nets: from floats to a blob, and how little that changes.

mod common;

use std::fs;

use common::{complaint, quantize, said, write};
use engine_core::net::{LOGIT_ONE, move_planes, planes};
use fastrand::Rng;
use quantize::blob::Blob;
use quantize::float_net::Linear;
use quantize::policy::{Activation, FloatNet, IntegerNet};
use quantize::positions;
use quantize::settings::Words;

fn words() -> Words {
    Words { name: "random".into(), record: "drawn by lot".into() }
}

/// A net whose weights are drawn by lot: units of very different sizes, and chances about as far apart as those of a
/// trained one.
fn random_policy(width: usize, dense: &[usize], activation: Activation, seed: u64) -> FloatNet {
    let mut rng = Rng::with_seed(seed);
    let mut linear = |inputs: usize, units: usize, weight: f32, bias: f32| {
        let sizes: Vec<f32> = (0..units).map(|_| weight * (0.2 + rng.f32())).collect();
        let weights = (0..inputs * units).map(|index| (rng.f32() * 2.0 - 1.0) * sizes[index % units]).collect();
        Linear { inputs, units, weights, biases: (0..units).map(|_| (rng.f32() - 0.3) * bias).collect() }
    };
    let features = linear(planes::INPUTS, width, 0.2, 0.5);
    let mut inputs = width;
    let mut layers = Vec::new();
    for &units in dense {
        layers.push(linear(inputs, units, 2.5 / (inputs as f32).sqrt(), 0.5));
        inputs = units;
    }
    let output = linear(inputs, move_planes::OUTPUTS, 8.0 / (inputs as f32).sqrt(), 0.5);
    FloatNet { features, dense: layers, output, activation }
}

fn quantised(net: &FloatNet) -> IntegerNet {
    IntegerNet::quantise(net, &words(), &positions::random(200, 3)).expect("a net that fits").0
}

/// The float net by the plainest arithmetic: all inputs, all units, in order.
fn plain_logits(net: &FloatNet, board: &engine_core::chess::Board, repetitions: usize) -> Vec<f64> {
    let mut numbers = vec![0.0; planes::INPUTS];
    for input in planes::active(board, repetitions) {
        numbers[input] = 1.0;
    }
    let layers: Vec<&Linear> = net.layers().map(|(_, linear)| linear).collect();
    for (index, layer) in layers.iter().enumerate() {
        let sum = |unit: usize| {
            let products = numbers.iter().enumerate();
            let products =
                products.map(|(input, number)| number * f64::from(layer.weights[input * layer.units + unit]));
            f64::from(layer.biases[unit]) + products.sum::<f64>()
        };
        let sums = (0..layer.units).map(sum);
        numbers = match net.activation {
            _ if index + 1 == layers.len() => sums.collect(),
            Activation::Relu => sums.map(|sum| sum.max(0.0)).collect(),
            Activation::ClippedRelu => sums.map(|sum| sum.clamp(0.0, 1.0)).collect(),
        };
    }
    numbers
}

const NETS: [(usize, &[usize], Activation); 4] = [
    (16, &[], Activation::ClippedRelu),
    (64, &[32], Activation::Relu),
    (48, &[16, 16, 16], Activation::ClippedRelu),
    // Not a multiple of sixteen anywhere.
    (50, &[30, 7], Activation::Relu),
];

#[test]
fn integers_say_what_floats_say() {
    let boards = positions::random(60, 31);
    for (seed, (width, dense, activation)) in (1..).zip(NETS) {
        let net = random_policy(width, dense, activation, seed);
        let integers = quantised(&net);
        let blob = integers.to_blob().expect("a blob");
        let engine = blob.policy().expect("a net");
        let exact = integers.dequantise();
        let (mut errors, mut spread) = (0.0, 0.0);
        for (board, repetitions) in boards.iter().flat_map(|board| [(board, 0), (board, 1)]) {
            let moves = board.legal_moves();
            let logits = engine.logits(board, repetitions, &moves);
            let floats = net.logits(board, repetitions, &moves);
            let plain = plain_logits(&net, board, repetitions);
            let of_integers = plain_logits(&exact, board, repetitions);
            for ((&mv, &logit), float) in moves.iter().zip(&logits).zip(floats) {
                let number = usize::from(move_planes::index(board, mv));
                assert!((float - plain[number]).abs() < 1e-9, "{float} is not {}", plain[number]);
                let logit = f64::from(logit) / f64::from(LOGIT_ONE);
                // Dequantised weights differ by the rounding of activations alone: half a 127th at each.
                let rounded = of_integers[number];
                assert!((logit - rounded).abs() < 0.35, "{width} {dense:?}: {logit}, but {rounded}");
                // No position of the calibration has stood before, so that activations may be cut off in those that have.
                if repetitions == 0 {
                    errors += (logit - float).abs();
                    spread += (float - plain[usize::from(move_planes::index(board, moves[0]))]).abs();
                }
            }
        }
        assert!(spread > 15.0 * errors, "{width} {dense:?}: errors of {errors} in a spread of {spread}");
    }
}

#[test]
fn a_blob_gives_back_the_integers() {
    for (seed, (width, dense, activation)) in (1..).zip(NETS) {
        let net = random_policy(width, dense, activation, seed);
        let integers = quantised(&net);
        assert_eq!(IntegerNet::from_blob(&integers.to_blob().expect("a blob")), Ok(integers));
    }
}

#[test]
fn units_that_fill_up_do_nothing() {
    let net = random_policy(50, &[30, 7], Activation::Relu, 4);
    let integers = quantised(&net);
    assert_eq!((integers.shape.width, &integers.shape.dense[..]), (64, &[32, 16][..]));
    for column in integers.columns.chunks(64) {
        assert_eq!(column[50..], [0; 14]);
    }
    assert_eq!((&integers.biases[50..], &integers.multipliers[50..]), (&[0; 14][..], &[0; 14][..]));
    assert_eq!(integers.later[1].units.weights.len(), 32 * 16);
    assert_eq!(integers.later[1].units.weights[30..32], [0; 2]);
    assert_eq!(integers.later[1].units.weights[7 * 32..], [0; 9 * 32]);
    assert_eq!(integers.later[2].units.biases.len(), move_planes::OUTPUTS);
}

#[test]
fn extreme_weights_are_held() {
    let mut net = random_policy(16, &[16], Activation::Relu, 4);
    // A unit of zeros, a bias beyond its weights, and a row that is far smaller than all others.
    net.features.weights.iter_mut().step_by(16).for_each(|weight| *weight = 0.0);
    net.features.biases[1] = 300.0;
    net.dense[0].biases[2] = -1e12;
    net.output.weights.iter_mut().step_by(move_planes::OUTPUTS).for_each(|weight| *weight *= 1e-12);
    let integers = quantised(&net);
    assert_eq!((integers.biases[1], integers.later[0].units.weights[32..48].to_vec()), (12_287, vec![0; 16]));
    integers.to_blob().expect("a blob that the engine loads");
    net.output.weights.iter_mut().for_each(|weight| *weight *= 1e9);
    let refused = IntegerNet::quantise(&net, &words(), &[]).expect_err("too large");
    assert_eq!(refused.to_string(), "output: its weights are too large for the multipliers of its sums");
}

#[test]
fn the_program_converts_inspects_and_verifies() {
    let folder = tempfile::tempdir().expect("a folder");
    let net = random_policy(40, &[16], Activation::Relu, 7);
    write(folder.path(), "w.safetensors", &net.to_weights(&words()));
    let table = said(&quantize(folder.path(), &["convert", "w.safetensors", "-o", "n.net", "--name", "Another"]));
    assert!(table.contains("features.weight      896x40") && table.contains("output.bias            4672"), "{table}");
    let blob = Blob::read(&folder.path().join("n.net")).expect("a blob");
    assert_eq!(blob.policy().expect("a policy net").name(), "Another");

    let report = said(&quantize(folder.path(), &["inspect", "n.net"]));
    for line in [
        "name         Another",
        "model        policy net",
        "layers       896 -> 48 -> 16 -> 4672",
        &format!("bytes        {}", blob.bytes().len()),
        "first layer: 8 of 48 units have no weight: 40, 41, 42, 43, 44, 45, 46, 47",
    ] {
        assert!(report.lines().any(|said| said == line), "no line '{line}' in\n{report}");
    }
    let report = said(&quantize(folder.path(), &["inspect", "w.safetensors"]));
    assert!(report.lines().any(|line| line.split_whitespace().eq(["activation", "relu"])), "{report}");
}

#[cfg(feature = "onnx")]
#[test]
fn verify_holds_the_blob_to_tract() {
    let folder = tempfile::tempdir().expect("a folder");
    let net = random_policy(32, &[], Activation::ClippedRelu, 8);
    write(folder.path(), "w.safetensors", &net.to_weights(&words()));
    said(&quantize(folder.path(), &["convert", "w.safetensors", "-o", "n.net"]));
    let verify = ["verify", "w.safetensors", "n.net", "--count", "300"];
    let report = said(&quantize(folder.path(), &[&verify[..], &["--min-agreement", "90"]].concat()));
    assert!(report.starts_with("positions                               300\nthe same move first"), "{report}");
    let output = quantize(folder.path(), &[&verify[..], &["--min-agreement", "100.5"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).lines().any(|line| line.starts_with("FAILED: ")), "{output:?}");

    // Another net's floats.
    let other = random_policy(48, &[], Activation::ClippedRelu, 8);
    write(folder.path(), "o.safetensors", &other.to_weights(&words()));
    let complaint = complaint(&quantize(folder.path(), &["verify", "o.safetensors", "n.net", "--count", "10"]));
    assert!(complaint.contains("another architecture: width 32, dense [], but the weights have 48"), "{complaint}");
}

#[cfg(feature = "onnx")]
#[test]
fn tract_computes_the_float_net() {
    use quantize::onnx::reference::PolicyReference;
    // More than a batch, and no whole number of batches.
    let boards = positions::random(300, 21);
    for (seed, (width, dense, activation)) in (1..).zip(NETS) {
        let net = random_policy(width, dense, activation, seed);
        let logits = PolicyReference::new(&net).expect("a graph that runs").logits(&boards).expect("logits");
        assert_eq!(logits.len(), boards.len());
        for (board, logits) in boards.iter().zip(logits) {
            for (logit, wanted) in logits.into_iter().zip(net.logits(board, 0, &board.legal_moves())) {
                assert!((f64::from(logit) - wanted).abs() < 1e-3, "{width} {dense:?}: {logit}, but {wanted}");
            }
        }
    }
}

#[test]
fn what_is_no_policy_net_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |tamper: &dyn Fn(&mut quantize::weights::Weights), arguments: &[&str]| {
        let mut weights = random_policy(16, &[16], Activation::Relu, 5).to_weights(&words());
        tamper(&mut weights);
        write(folder.path(), "w.safetensors", &weights);
        let complaint =
            complaint(&quantize(folder.path(), &[&["convert", "w.safetensors", "-o", "n.net"], arguments].concat()));
        assert!(!fs::exists(folder.path().join("n.net")).expect("a folder"), "something was written");
        complaint
    };
    let say = |name: &'static str, value: &'static str| {
        move |weights: &mut quantize::weights::Weights| drop(weights.metadata.insert(name.into(), value.into()))
    };
    assert_eq!(
        refused(&say("model", "painter"), &[]),
        "error: w.safetensors: metadata 'model' is 'painter': 'value' or 'policy' wanted"
    );
    assert_eq!(
        refused(&say("model", "value"), &[]),
        "error: w.safetensors is no value net: tensor 'features.weight' is 896x16; 704 inputs x units wanted"
    );
    assert_eq!(
        refused(&say("activation", "screlu"), &[]),
        "error: w.safetensors is no policy net: metadata 'activation' is 'screlu': 'relu' or 'clipped-relu' wanted"
    );
    assert_eq!(
        refused(&|_| (), &["--qa", "255"]),
        "error: w.safetensors: --qa is for value nets, and this is a policy net"
    );
    assert_eq!(
        refused(&|_| (), &["--clip"]),
        "error: --clip: a policy net's scales are made for its weights, so that none is cut off"
    );
    let narrow = |weights: &mut quantize::weights::Weights| {
        for tensor in weights.tensors.iter_mut().filter(|tensor| tensor.name.starts_with("output.")) {
            let rows = tensor.values.len() / 4672;
            tensor.values.truncate(rows * 100);
            *tensor.shape.last_mut().expect("dimensions") = 100;
        }
    };
    assert_eq!(
        refused(&narrow, &[]),
        "error: w.safetensors is no policy net: tensor 'output.weight' is 16x100; 16 inputs x 4672 units wanted"
    );
}
