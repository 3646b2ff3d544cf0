//! The example of `docs/blob.md` is a real one.

use engine_core::net::features::INPUTS;
use engine_core::net::header::ValueShape;
use quantize::integer_net::{IntegerNet, Units};

const DOCUMENT: &str = include_str!("../../docs/blob.md");

/// The bytes that the document shows.
fn shown() -> Vec<u8> {
    let (_, rest) = DOCUMENT.split_once("```text\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("an end of it");
    let bytes = example.lines().flat_map(|line| line.split_whitespace().skip(1).take(16));
    bytes.map(|byte| u8::from_str_radix(byte, 16).expect("a byte")).collect()
}

#[test]
fn the_example_is_what_convert_writes() {
    let zeros =
        |inputs: usize, units: usize| Units { inputs, weights: vec![0; inputs * units], biases: vec![0; units] };
    let dense = heapless::Vec::from_slice(&[16, 32]).expect("few layers");
    let net = IntegerNet {
        name: "example".into(),
        record: "all weights zero".into(),
        shape: ValueShape { width: 32, dense, buckets: 8, qa: 255, qb: 64, scale: 400 },
        columns: vec![0; INPUTS * 32],
        biases: vec![0; 32],
        dense: vec![zeros(64, 16), zeros(16, 32)],
        output: zeros(32, 8),
    };
    let blob = net.to_blob().expect("a blob");
    let shown = shown();
    assert_eq!(shown.len(), 64);
    assert_eq!(format!("{:02x?}", &blob.bytes()[..64]), format!("{shown:02x?}"));
}
