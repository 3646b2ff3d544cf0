//! The program: what it writes, what it says, and what it refuses.

mod common;

use std::fs;
use std::path::Path;

use common::{complaint, quantize, random_net, said, settings, write};
use quantize::blob::Blob;
use quantize::float_net::FloatNet;
use quantize::integer_net::IntegerNet;

/// Converts weights after they were tampered with; what was complained of.
fn refused(tamper: impl FnOnce(&mut FloatNet)) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut net = random_net(16, &[16], 1, 5);
    tamper(&mut net);
    write(folder.path(), "w.safetensors", &net.to_weights(&settings(255)));
    let complaint = complaint(&quantize(folder.path(), &["convert", "w.safetensors", "-o", "n.net"]));
    assert_eq!(names(folder.path()), ["w.safetensors"], "something was written");
    complaint
}

/// Converts a file whose tensors or metadata were tampered with; what was complained of.
fn refused_file(tamper: impl FnOnce(&mut quantize::weights::Weights), arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut weights = random_net(16, &[16], 1, 5).to_weights(&settings(255));
    tamper(&mut weights);
    write(folder.path(), "w.safetensors", &weights);
    let arguments = [&["convert", "w.safetensors", "-o", "n.net"], arguments].concat();
    let complaint = complaint(&quantize(folder.path(), &arguments));
    assert_eq!(names(folder.path()), ["w.safetensors"], "something was written");
    complaint
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn from_floats_to_a_blob_that_inspect_describes() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut net = random_net(32, &[16], 8, 3);
    // Unit 4 has no weights; unit 6 has, but never enough; nobody looks at unit 9.
    for weights in net.features.weights.chunks_mut(32) {
        weights[4] = 0.0;
        weights[6] = weights[6].abs() * 0.1;
    }
    net.features.biases[6] = -1.0;
    for input in [9, 32 + 9] {
        net.dense[0].weights[input * 16..][..16].fill(0.0);
    }
    write(folder.path(), "w.safetensors", &net.to_weights(&settings(255)));
    let table = said(&quantize(folder.path(), &["convert", "w.safetensors", "-o", "n.net", "--name", "Another name"]));
    assert!(table.contains("features.weight      704x32          255    22528        0"), "{table}");
    assert!(table.contains("dense.0.bias             16     8128.125       64        0"), "{table}");

    let blob = Blob::read(&folder.path().join("n.net")).expect("a blob");
    let read = IntegerNet::from_blob(&blob).expect("a net");
    let (rounded, _) = IntegerNet::quantise(&net, &settings(255), false).expect("a net that fits");
    assert_eq!(read, IntegerNet { name: "Another name".into(), ..rounded });

    let report = said(&quantize(folder.path(), &["inspect", "n.net", "--picture", "n.png"]));
    for line in [
        "name         Another name",
        "record       drawn by lot",
        "model        value net",
        "layers       2x(704 -> 32) -> 16 -> 8",
        "scales       qa 255, qb 64, 400 centipawns",
        &format!("bytes        {}", blob.bytes().len()),
        &format!("checksum     {:08x}", blob.checksum()),
        "first layer: 1 of 32 units have no weight: 4",
        "first layer: 1 of 32 units can never be above zero: 6",
        "first layer: 1 of 32 units are not looked at by the next layer: 9",
    ] {
        assert!(report.lines().any(|said| said == line), "no line '{line}' in\n{report}");
    }
    assert!(fs::read(folder.path().join("n.png")).expect("a picture").starts_with(b"\x89PNG"));

    let report = said(&quantize(folder.path(), &["inspect", "w.safetensors"]));
    assert!(report.contains("features.weight") && report.contains("704x32"), "{report}");
    assert!(report.lines().any(|line| line.split_whitespace().eq(["dense", "16"])), "{report}");
}

#[test]
fn weights_that_do_not_fit_are_counted() {
    assert_eq!(
        refused(|net| {
            net.features.weights[5] = 0.7;
            net.features.weights[6] = 0.6;
            net.output.weights[0] = -2.5;
        }),
        "error: w.safetensors: the net does not fit its integers:\n  \
         first layer: 2 of 11264 weights are beyond 8 bits at qa 255, the largest 0.7 (179); all fit at qa 182; --clip \
         cuts them off\n  \
         output: 1 of 16 weights are beyond 8 bits at qb 64, the largest -2.5 (-160); all fit at qb 51; --clip cuts \
         them off"
    );
    assert!(refused(|net| net.dense[0].weights[0] = 1e6).contains("dense layer 0: 1 of 512"));
    assert!(refused(|net| net.dense[0].weights[0] = 1e6).contains("they fit at no qb"));
}

#[test]
fn weights_that_do_not_fit_are_clipped_if_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut net = random_net(16, &[], 1, 5);
    net.features.weights[5] = 0.7;
    net.features.weights[6] = -0.7;
    write(folder.path(), "w.safetensors", &net.to_weights(&settings(255)));
    let table = said(&quantize(folder.path(), &["convert", "w.safetensors", "-o", "n.net", "--clip"]));
    assert!(table.contains("features.weight      704x16          255    11264        2"), "{table}");
    let blob = Blob::read(&folder.path().join("n.net")).expect("a blob");
    assert_eq!(IntegerNet::from_blob(&blob).expect("a net").columns[5..7], [127, -128]);
}

#[test]
fn calibration_is_by_random_games_or_by_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "w.safetensors", &random_net(16, &[], 2, 5).to_weights(&settings(255)));
    let said = said(&quantize(folder.path(), &["convert", "--calibrate", "w.safetensors", "-o", "n.net"]));
    for bucket in ["bucket 0: moved by ", "bucket 1: moved by "] {
        assert!(said.lines().any(|line| line.starts_with(bucket) && !line.contains("over 0 positions")), "{said}");
    }
    fs::write(folder.path().join("one.epd"), "4k3/8/8/8/8/8/8/4K2R w K -\n").expect("written");
    let arguments = ["convert", "--calibrate=one.epd", "w.safetensors", "-o", "n.net"];
    let said = common::said(&quantize(folder.path(), &arguments));
    assert!(said.lines().any(|line| line.ends_with("over 1 positions")), "{said}");
    assert!(said.contains("bucket 1: moved by 0.00 centipawns, the mean error over 0 positions"), "{said}");
}

#[test]
fn biases_that_do_not_fit_are_named() {
    assert_eq!(
        refused(|net| net.features.biases[3] = -200.0),
        "error: w.safetensors: the net does not fit its integers:\n  \
         first layer: the bias of unit 3 is -200; less than 128.502 fits 16 bits"
    );
    assert_eq!(
        refused(|net| net.dense[0].biases[1] = 3e5),
        "error: w.safetensors: the net does not fit its integers:\n  \
         dense layer 0: the bias of unit 1 is 300000; less than 264204.063 fits 32 bits"
    );
}

#[test]
fn sums_that_could_overflow_are_the_engines_to_refuse() {
    assert_eq!(
        refused(|net| net.features.biases[3] = 128.0),
        "error: w.safetensors: the engine refuses the net: first layer: unit 3 could overflow 16-bit sums"
    );
    assert_eq!(
        refused(|net| {
            net.output.biases[0] = 266_280.0;
            net.output.weights.fill(1.5);
        }),
        "error: w.safetensors: the engine refuses the net: output: unit 0 could overflow 32-bit sums"
    );
}

#[test]
fn what_the_file_does_not_say_must_be_given() {
    assert_eq!(
        refused_file(|weights| drop(weights.metadata.remove("qa")), &[]),
        "error: w.safetensors: the file's metadata has no 'qa': give --qa"
    );
    let say = |name: &'static str, value: &'static str| {
        move |weights: &mut quantize::weights::Weights| drop(weights.metadata.insert(name.into(), value.into()))
    };
    assert_eq!(
        refused_file(say("dense", "16, 32"), &[]),
        "error: w.safetensors is no value net: metadata 'dense' is '16, 32', but the tensors say '16'"
    );
    assert_eq!(
        refused_file(|_| (), &["--qa", "300"]),
        "error: w.safetensors: a blob cannot hold this net: qa is 300: 64 to 255 wanted"
    );
    let long = "x".repeat(1020);
    assert_eq!(
        refused_file(|_| (), &["--name", "n", "--record", &long]),
        "error: w.safetensors: name and record are 1021 bytes; a header has 1008 for all it says"
    );
}

#[test]
fn tensors_of_another_net_are_named() {
    let at = |name: &str, weights: &quantize::weights::Weights| {
        weights.tensors.iter().position(|tensor| tensor.name == name).expect("a tensor")
    };
    assert_eq!(
        refused_file(|weights| drop(weights.tensors.remove(at("output.bias", weights))), &[]),
        "error: w.safetensors is no value net: tensor 'output.bias' is missing"
    );
    assert_eq!(
        refused_file(
            |weights| {
                let index = at("dense.0.bias", weights);
                weights.tensors[index].name = "extra".into();
            },
            &[]
        ),
        "error: w.safetensors is no value net: tensor 'dense.0.bias' is missing"
    );
    assert_eq!(
        refused_file(
            |weights| {
                let mut extra = weights.tensors[0].clone();
                extra.name = "dense.2.weight".into();
                weights.tensors.push(extra);
            },
            &[]
        ),
        "error: w.safetensors is no value net: tensor 'dense.2.weight' belongs to no network: features, dense.0 and \
         so on, and output are its layers"
    );
    assert_eq!(
        refused_file(
            |weights| {
                let index = at("features.weight", weights);
                let tensor = &mut weights.tensors[index];
                tensor.shape = vec![768, 16];
                tensor.values = vec![0.0; 768 * 16];
            },
            &[]
        ),
        "error: w.safetensors is no value net: tensor 'features.weight' is 768x16; 704 inputs x units wanted"
    );
    let narrow = random_net(24, &[], 1, 1);
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "w.safetensors", &narrow.to_weights(&settings(255)));
    assert_eq!(
        complaint(&quantize(folder.path(), &["convert", "w.safetensors", "-o", "n.net"])),
        "error: w.safetensors: a blob cannot hold this net: width is 24: a multiple of 16 from 16 to 256 wanted"
    );
    let deep = random_net(16, &[16; 4], 1, 1);
    write(folder.path(), "w.safetensors", &deep.to_weights(&settings(255)));
    assert_eq!(
        complaint(&quantize(folder.path(), &["convert", "w.safetensors", "-o", "n.net"])),
        "error: w.safetensors: 4 dense layers; 3 at most"
    );
}

#[test]
fn a_damaged_blob_is_not_inspected() {
    let folder = tempfile::tempdir().expect("a folder");
    let (net, _) = IntegerNet::quantise(&random_net(16, &[], 1, 5), &settings(255), false).expect("a net that fits");
    let mut bytes = net.to_blob().expect("a blob").bytes().to_vec();
    bytes[500] ^= 1;
    fs::write(folder.path().join("n.net"), &bytes).expect("written");
    let complaint = complaint(&quantize(folder.path(), &["inspect", "n.net"]));
    assert!(complaint.starts_with("error: n.net is no network that the engine can use: checksum is "), "{complaint}");
}
