//! Rounding and the blob: what the engine makes of integers that came from floats.

mod common;

use common::{Loss, SHAPES, float_output, integer_score, output_between, random_net, settings};
use engine_core::chess::Board;
use engine_core::net::features::INPUTS;
use quantize::calibrate::calibrate;
use quantize::float_net::{FloatNet, Linear};
use quantize::integer_net::IntegerNet;
use quantize::positions;

/// A net of which every layer passes its first input on: what the mover's perspective has in input `input`, times the
/// weights on the way.
fn wire(input: usize, first: f32, dense: &[(usize, f32)], last: f32) -> FloatNet {
    let layer = |inputs: usize, units: usize, at: usize, weight: f32| {
        let mut weights = vec![0.0; inputs * units];
        weights[at] = weight;
        Linear { inputs, units, weights, biases: vec![0.0; units] }
    };
    let mut inputs = 32;
    let mut layers = Vec::new();
    for &(units, weight) in dense {
        layers.push(layer(inputs, units, 0, weight));
        inputs = units;
    }
    FloatNet { features: layer(INPUTS, 16, input * 16, first), dense: layers, output: layer(inputs, 1, 0, last) }
}

fn quantised(net: &FloatNet, qa: u16) -> IntegerNet {
    IntegerNet::quantise(net, &settings(qa), false).expect("a net that fits").0
}

#[test]
fn hand_computed_scores() {
    // The mover's king on e1 stands on file d of his mirrored board: 304 + 3.
    let board = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w - -").expect("a position");
    let score =
        |net: &FloatNet, qa| quantised(net, qa).to_blob().expect("a blob").net().expect("a net").evaluate(&board);

    // 0.45 is 115 of 255, its square 13225; 0.5 is 32 of 64; 13225 * 32 / (255 * 255 * 64) * 400 = 40.7.
    assert_eq!(score(&wire(307, 0.45, &[], 0.5), 255), 40);
    assert_eq!(score(&wire(307, 0.45, &[], -0.5), 255), -41);
    // Nobody stands on input 306, file c.
    assert_eq!(score(&wire(306, 0.45, &[], 0.5), 255), 0);
    // A sum below zero is no activation.
    assert_eq!(score(&wire(307, -0.45, &[], 0.5), 255), 0);
    // Through a dense layer: 13225 >> 9 is 25; 25 * 64 = 1600; 1600^2 >> 19 is 4; 4 * 32 = 128, and 1.0 is
    // round(8128^2 / 2^19 * 64) = round(8064.5) = 8065: 128 / 8065 * 400 = 6.3.
    assert_eq!(score(&wire(307, 0.45, &[(16, 1.0)], 0.5), 255), 6);
    assert_eq!(score(&wire(307, 0.45, &[(16, 1.0)], -0.5), 255), -7);
}

#[test]
fn the_engine_computes_what_the_document_says() {
    let boards = positions::random(200, 11);
    for (seed, (width, dense, buckets, qa)) in SHAPES.into_iter().enumerate() {
        let net = quantised(&random_net(width, dense, buckets, seed as u64), qa);
        let blob = net.to_blob().expect("a blob");
        let engine = blob.net().expect("a net");
        let mut seen = [0; 2];
        for board in &boards {
            let score = engine.evaluate(board);
            assert_eq!(i64::from(score), integer_score(&net, board), "{width} {dense:?} {}", board.fen());
            seen[usize::from(score > 0)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 0), "a net that says always the same proves little: {seen:?}");
    }
}

#[test]
fn scores_are_within_the_bounds_of_the_rounding() {
    let boards = positions::random(200, 12);
    for (seed, (width, dense, buckets, qa)) in SHAPES.into_iter().enumerate() {
        let floats = random_net(width, dense, buckets, seed as u64);
        let integers = quantised(&floats, qa);
        let blob = integers.to_blob().expect("a blob");
        let engine = blob.net().expect("a net");
        let exact = integers.dequantise();
        let scale = f64::from(integers.shape.scale);
        for board in &boards {
            let score = f64::from(engine.evaluate(board));
            for (net, rounds_weights) in [(&floats, true), (&exact, false)] {
                let loss = Loss { qa: qa.into(), qb: 64.0, rounds_weights };
                let (low, high) = output_between(net, Some(loss), board);
                // The score is rounded down; and the unit of the output is rounded, to one in 8,000 at the worst.
                let slack = 1.0 + score.abs() / 8000.0;
                let (low, high) = (low * scale - slack, high * scale + slack);
                assert!((low..=high).contains(&score), "{width} {dense:?}: {score} is not in {low}..{high}");
            }
            if dense.is_empty() {
                // Nothing is lost but what the rounding of the weights loses.
                let float = float_output(&exact, board) * scale;
                assert!((float - 1.01..=float + 0.01).contains(&score), "{width}: {float} became {score}");
            }
        }
    }
}

#[test]
fn calibration_takes_back_the_mean_error() {
    let boards = positions::random(1000, 13);
    let mean_error = |floats: &FloatNet, net: &IntegerNet| {
        let blob = net.to_blob().expect("a blob");
        let engine = blob.net().expect("a net");
        let error = |board| float_output(floats, board) * 400.0 - f64::from(engine.evaluate(board)) - 0.5;
        boards.iter().map(error).sum::<f64>() / boards.len() as f64
    };
    for (width, dense, qa) in [(64, &[][..], 255), (32, &[16], 181), (64, &[16, 32], 255)] {
        let floats = random_net(width, dense, 1, 14);
        let plain = quantised(&floats, qa);
        let mut calibrated = plain.clone();
        let shifts = calibrate(&floats, &mut calibrated, &boards).expect("shifts");
        let [before, after] = [&plain, &calibrated].map(|net| mean_error(&floats, net));
        assert!((shifts[0].centipawns - before).abs() < 1e-6, "{dense:?}: {shifts:?}, but {before}");
        assert!(before.abs() > 0.1 && after.abs() < 0.05, "{dense:?}: from {before} to {after}");
        let biases = calibrated.output.biases.clone();
        assert_eq!(IntegerNet { output: plain.output.clone(), ..calibrated }, plain, "something else was moved");
        assert_ne!(biases, plain.output.biases);
    }
}

#[test]
fn the_float_net_is_what_the_plainest_arithmetic_says() {
    for (seed, (width, dense, buckets, _)) in SHAPES.into_iter().enumerate() {
        let net = random_net(width, dense, buckets, seed as u64);
        for board in positions::random(50, 15) {
            assert!((net.output(&board) - float_output(&net, &board)).abs() < 1e-9);
        }
    }
}

#[test]
fn a_blob_gives_back_the_integers_and_floats_that_round_to_them() {
    for (seed, (width, dense, buckets, qa)) in SHAPES.into_iter().enumerate() {
        let net = quantised(&random_net(width, dense, buckets, seed as u64), qa);
        let blob = net.to_blob().expect("a blob");
        let read = IntegerNet::from_blob(&blob).expect("a net");
        assert_eq!(read, net);
        assert_eq!(quantised(&read.dequantise(), qa), net);
    }
}
