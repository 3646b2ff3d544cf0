//! Blobs: what is wrong with one is found and named.

mod networks;

use engine_core::net::header::{Header, Model};
use engine_core::net::{BlobError, ValueNet, blob};
use networks::{Blob, shape};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A blob with a byte changed, or cut, is refused, or is still a network.
    #[test]
    fn a_damaged_blob_is_refused(seed: u64, at: prop::sample::Index, bits in 1u8..) {
        let mut bytes = networks::blob(&shape(16, &[16], 4, 255), seed);
        let at = at.index(bytes.len());
        bytes[at] ^= bits;
        prop_assert!(ValueNet::load(Blob::of(&bytes).bytes()).is_err());
        bytes[at] ^= bits;
        prop_assert!(ValueNet::load(Blob::of(&bytes).bytes()).is_ok());
        prop_assert!(ValueNet::load(Blob::of(&bytes[..at]).bytes()).is_err());
    }
}

fn refusal(bytes: &[u8]) -> String {
    ValueNet::load(Blob::of(bytes).bytes()).expect_err("no network").to_string()
}

#[test]
fn what_is_wrong_is_named() {
    let whole = networks::blob(&shape(16, &[], 1, 255), 7);
    assert_eq!(refusal(&whole[..9]), "9 bytes are no network: it has 16 before its header");
    assert_eq!(refusal(b"%PDF-1.4 and so on ..."), "magic is [25, 50, 44, 46], not \"KLNN\": this is no network");
    let mut newer = whole.clone();
    newer[4] = 9;
    assert_eq!(refusal(&newer), "format version is 9; this program reads version 1");
    let cut = &whole[..whole.len() - 1];
    assert_eq!(refusal(cut), format!("length is {} bytes, but the prefix says {}", cut.len(), whole.len()));
    for (shape, problem) in [
        (shape(24, &[], 1, 255), "header: width is 24: a multiple of 16 from 16 to 256 wanted"),
        (shape(16, &[80], 1, 255), "header: dense layer 0 has 80 units: a multiple of 16 from 16 to 64 wanted"),
        (shape(16, &[], 0, 255), "header: buckets is 0: 1 to 32 wanted"),
        (shape(16, &[], 1, 300), "header: qa is 300: 64 to 255 wanted"),
    ] {
        assert_eq!(refusal(&networks::blob(&shape, 1)), problem);
    }
}

#[test]
fn sums_that_could_overflow_are_refused() {
    let shape = shape(16, &[], 1, 255);
    let mut weights = vec![0u8; shape.weight_bytes()];
    let bias_at = 704 * 16;
    weights[bias_at..bias_at + 2].copy_from_slice(&28_672i16.to_le_bytes());
    let header = Header { name: "", record: "", model: Model::Value(shape) };
    let with = |weights: &[u8]| [blob::front(&header, weights).expect("short").as_slice(), weights].concat();
    assert_eq!(refusal(&with(&weights)), "first layer: unit 0 could overflow 16-bit sums");
    weights[bias_at..bias_at + 2].copy_from_slice(&28_671i16.to_le_bytes());
    assert_eq!(ValueNet::load(Blob::of(&with(&weights)).bytes()).map(drop), Ok(()));
    let output_bias = weights.len() - 4;
    weights[output_bias..].copy_from_slice(&i32::MAX.to_le_bytes());
    weights[output_bias - 1] = 1;
    assert_eq!(refusal(&with(&weights)), "output: unit 0 could overflow 32-bit sums");
}

#[test]
fn a_blob_at_an_odd_address_is_refused() {
    let whole = networks::blob(&shape(16, &[], 1, 255), 7);
    let shifted = Blob::of(&[&[0], whole.as_slice()].concat());
    assert_eq!(ValueNet::load(&shifted.bytes()[1..]).map(drop), Err(BlobError::Alignment));
}
