//! Nets as ONNX graphs: written, read back, run by tract, and held against the engine.
#![cfg(feature = "onnx")]

mod common;

use std::fs;

use common::{SHAPES, complaint, float_output, quantize, random_net, said, settings, write};
use prost::Message;
use quantize::float_net::FloatNet;
use quantize::integer_net::IntegerNet;
use quantize::onnx::{graph, read, reference::Reference};
use quantize::positions;
use quantize::verify::{Summary, compare};
use tract_onnx::pb::{AttributeProto, ModelProto, NodeProto, TensorProto};

/// The graph of a small net, to be changed.
fn model() -> (FloatNet, ModelProto) {
    let net = random_net(16, &[16], 2, 9);
    let model = ModelProto::decode(&graph::encode(&net, &settings(255))[..]).expect("a model");
    (net, model)
}

/// The node that makes a value.
fn node<'a>(model: &'a mut ModelProto, output: &str) -> &'a mut NodeProto {
    let nodes = &mut model.graph.as_mut().expect("a graph").node;
    nodes.iter_mut().find(|node| node.output[0] == output).expect("a node")
}

fn constant<'a>(model: &'a mut ModelProto, name: &str) -> &'a mut TensorProto {
    let constants = &mut model.graph.as_mut().expect("a graph").initializer;
    constants.iter_mut().find(|tensor| tensor.name == name).expect("a constant")
}

fn made(operator: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: operator.into(),
        input: inputs.iter().map(|&input| input.into()).collect(),
        output: vec![output.into()],
        ..NodeProto::default()
    }
}

#[test]
fn tract_computes_the_float_net() {
    // More than a batch, and no whole number of batches.
    let boards = positions::random(300, 21);
    for (seed, (width, dense, buckets, _)) in SHAPES.into_iter().enumerate() {
        let net = random_net(width, dense, buckets, seed as u64);
        let outputs = Reference::new(&net).expect("a graph that runs").outputs(&boards).expect("outputs");
        assert_eq!(outputs.len(), boards.len());
        for (board, output) in boards.iter().zip(outputs) {
            let wanted = float_output(&net, board);
            assert!((f64::from(output) - wanted).abs() < 1e-4, "{width} {dense:?}: {output}, but {wanted}");
        }
    }
}

#[test]
fn a_graph_converts_to_the_same_blob_as_its_weights() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (seed, (width, dense, buckets, qa)) in SHAPES.into_iter().enumerate() {
        let net = random_net(width, dense, buckets, seed as u64);
        write(folder, "w.safetensors", &net.to_weights(&settings(qa)));
        said(&quantize(folder, &["convert", "w.safetensors", "-o", "direct.net"]));
        said(&quantize(folder, &["export-onnx", "w.safetensors", "-o", "w.onnx"]));
        said(&quantize(folder, &["convert", "w.onnx", "-o", "by-graph.net"]));
        said(&quantize(folder, &["export-onnx", "direct.net", "-o", "integers.onnx"]));
        said(&quantize(folder, &["convert", "integers.onnx", "-o", "by-integers.net"]));
        let read = |name| fs::read(folder.join(name)).expect("a file");
        assert!(read("direct.net") == read("by-graph.net"), "{width} {dense:?}");
        assert!(read("direct.net") == read("by-integers.net"), "{width} {dense:?}");
    }
}

#[test]
fn graphs_that_others_write_are_read() {
    let (net, written) = model();
    let same = |model: &ModelProto| {
        let weights = read::weights(model).unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(FloatNet::from_weights(&weights).expect("a net"), net);
        assert_eq!(weights.metadata, net.metadata(&settings(255)));
    };
    same(&written);

    // The weights the other way round, as linear layers of most frameworks have them.
    let mut model = written.clone();
    let weights = constant(&mut model, "dense.0.weight");
    weights.dims.reverse();
    let dense = &net.dense[0];
    let by_unit = (0..16).flat_map(|unit| dense.weights.iter().skip(unit).step_by(16));
    weights.raw_data = by_unit.flat_map(|weight| weight.to_le_bytes()).collect();
    node(&mut model, "dense.0.sums").attribute =
        vec![AttributeProto { name: "transB".into(), i: 1, ..AttributeProto::default() }];
    same(&model);

    // MatMul and Add, Pow, a Constant node, numbers that are not raw, Identity, and a Sigmoid at the end.
    let mut model = written.clone();
    *node(&mut model, "dense.0.sums") = made("Add", &["dense.0.bias", "product"], "dense.0.sums");
    *node(&mut model, "sums.squared") = made("Pow", &["sums.clipped", "two"], "sums.squared");
    let numbers = net.output.weights.clone();
    *constant(&mut model, "output.weight") = TensorProto {
        name: "other".into(),
        dims: vec![16, 2],
        data_type: 1,
        float_data: numbers,
        ..TensorProto::default()
    };
    let two = TensorProto { data_type: 1, float_data: vec![2.0], ..TensorProto::default() };
    let two = AttributeProto { name: "value".into(), t: Some(two), ..AttributeProto::default() };
    let graph = model.graph.as_mut().expect("a graph");
    graph.output[0].name = "odds".into();
    graph.node.extend([
        made("MatMul", &["sums.squared", "dense.0.weight"], "product"),
        NodeProto { attribute: vec![two], ..made("Constant", &[], "two") },
        made("Identity", &["other"], "output.weight"),
        made("Identity", &["out"], "same"),
        made("Sigmoid", &["same"], "odds"),
    ]);
    same(&model);

    // SCReLU of each perspective, then Concat.
    let mut model = written;
    let axis = node(&mut model, "sums").attribute.clone();
    *node(&mut model, "sums") = made("Clip", &["us.sums", "zero", "one"], "us.clipped");
    *node(&mut model, "sums.clipped") = made("Clip", &["them.sums", "zero", "one"], "them.clipped");
    *node(&mut model, "sums.squared") =
        NodeProto { attribute: axis, ..made("Concat", &["us.squared", "them.squared"], "sums.squared") };
    model.graph.as_mut().expect("a graph").node.extend([
        made("Mul", &["us.clipped", "us.clipped"], "us.squared"),
        made("Mul", &["them.clipped", "them.clipped"], "them.squared"),
    ]);
    same(&model);
}

#[test]
fn graphs_of_another_architecture_are_refused() {
    let refused = |change: &dyn Fn(&mut ModelProto)| {
        let (_, mut model) = model();
        change(&mut model);
        format!("{:#}", read::weights(&model).expect_err("another architecture"))
    };
    let set = |output: &'static str, made: NodeProto| refused(&|model| *node(model, output) = made.clone());
    let screlu = |value: &str| format!("'{value}' should be SCReLU: Clip from 0 to 1, then Mul by itself or Pow 2");

    assert_eq!(set("sums.squared", made("Relu", &["sums"], "sums.squared")), screlu("sums.squared"));
    assert_eq!(set("sums.squared", made("Mul", &["sums.clipped", "sums"], "sums.squared")), screlu("sums.squared"));
    assert_eq!(
        set("sums.clipped", made("Clip", &["sums", "zero", "six"], "sums.clipped")),
        "'six' should be a constant"
    );
    assert_eq!(
        refused(&|model| constant(model, "one").raw_data = 6.0f32.to_le_bytes().into()),
        "Clip 'dense.0.sums.clipped' is from 0 to 6; 0 to 1 wanted"
    );
    assert_eq!(
        set("dense.0.sums", made("Conv", &["sums.squared"], "dense.0.sums")),
        "'dense.0.sums' should be a layer: Gemm, or MatMul and then Add"
    );
    assert_eq!(
        set("them.sums", made("Gemm", &["us", "features.weight", "features.bias"], "them.sums")),
        "both perspectives come from input 'us'"
    );
    assert_eq!(
        refused(&|model| {
            let mut other = constant(model, "features.bias").clone();
            other.name = "other".into();
            other.raw_data[0] ^= 1;
            model.graph.as_mut().expect("a graph").initializer.push(other);
            node(model, "them.sums").input[2] = "other".into();
        }),
        "the perspectives go through different first layers"
    );
    assert_eq!(
        refused(&|model| node(model, "sums").attribute[0].i = 0),
        "Concat 'sums' has axis Some(0); the last, 1 or -1, wanted"
    );
    assert_eq!(
        refused(&|model| {
            // The dense layer feeds itself.
            node(model, "sums.clipped").input[0] = "dense.0.sums".into();
        }),
        "the graph goes round in circles"
    );
}

#[test]
fn a_file_that_is_no_graph_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("w.onnx"), b"nothing of the kind").expect("written");
    let complaint = complaint(&quantize(folder.path(), &["convert", "w.onnx", "-o", "n.net"]));
    assert!(complaint.starts_with("error: w.onnx is no ONNX file: "), "{complaint}");
}

#[test]
fn verify_passes_a_sound_blob_and_fails_a_damaged_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let net = random_net(64, &[], 8, 33);
    write(folder, "w.safetensors", &net.to_weights(&settings(255)));
    said(&quantize(folder, &["convert", "w.safetensors", "-o", "n.net"]));
    let sound = ["verify", "w.safetensors", "n.net", "--count", "500", "--max-mean", "12"];
    let report = said(&quantize(folder, &sound));
    assert!(report.lines().any(|line| line.starts_with("all ") && line.contains(" 500 ")), "{report}");

    // Where a king stands on its square of the start, everything the first layer has of it is negated.
    let (mut damaged, _) = IntegerNet::quantise(&net, &settings(255), false).expect("a net that fits");
    let column = 304 + 3;
    for weight in &mut damaged.columns[column * 64..][..64] {
        *weight = -*weight;
    }
    fs::write(folder.join("damaged.net"), damaged.to_blob().expect("a blob").bytes()).expect("written");
    let output = quantize(folder, &sound.map(|word| if word == "n.net" { "damaged.net" } else { word }));
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert!(report.contains("FAILED: the mean error "), "{report}");

    // A position from a file, for which the worst is the only one.
    fs::write(folder.join("one.epd"), "r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1 w - - bm Rae1;\n").expect("written");
    let report = said(&quantize(folder, &["verify", "w.safetensors", "n.net", "--positions", "one.epd"]));
    assert!(report.contains("r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1 w - - 0 1"), "{report}");
}

#[test]
fn a_blob_of_another_architecture_is_not_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "w.safetensors", &random_net(16, &[], 1, 1).to_weights(&settings(255)));
    write(folder, "other.safetensors", &random_net(32, &[16], 1, 1).to_weights(&settings(255)));
    said(&quantize(folder, &["convert", "w.safetensors", "-o", "n.net"]));
    assert_eq!(
        complaint(&quantize(folder, &["verify", "other.safetensors", "n.net"])),
        "error: the blob is of another architecture: width 16, dense [], buckets 1, but the weights have 32, [16], 1"
    );
}

#[test]
fn integers_say_what_floats_say() {
    let boards = positions::random(1000, 22);
    for (seed, (width, dense, buckets, qa)) in SHAPES.into_iter().enumerate() {
        let net = random_net(width, dense, buckets, seed as u64);
        let (integers, _) = IntegerNet::quantise(&net, &settings(qa), false).expect("a net that fits");
        let judgements = compare(&net, &integers.to_blob().expect("a blob"), &boards).expect("judgements");
        let Summary { mean, same_sign, .. } = Summary::of(&judgements).expect("positions");
        // Half as much again as was measured; a wrong scale or a lost bias costs hundreds.
        let most = if dense.is_empty() { 12.0 } else { 36.0 };
        assert!(mean < most && same_sign > 0.97, "{width} {dense:?}: mean {mean}, same sign {same_sign}");
    }
}
