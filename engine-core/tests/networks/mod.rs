//! Networks with random weights.
#![allow(dead_code, reason = "each test program uses what it needs")]

use engine_core::net::blob;
use engine_core::net::header::{Header, Model, PolicyShape, ValueShape};

/// A blob, at an address that is a multiple of eight.
pub(crate) struct Blob {
    words: Vec<u64>,
    bytes: usize,
}

impl Blob {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self { words, bytes: bytes.len() }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.bytes]
    }
}

/// A shape with one scale for all.
pub(crate) fn shape(width: u16, dense: &[u16], buckets: u8, qa: u16) -> ValueShape {
    let dense = heapless::Vec::from_slice(dense).expect("few layers");
    ValueShape { width, dense, buckets, qa, qb: 64, scale: 400 }
}

/// A network of this shape whose weights are any that a blob can hold.
pub(crate) fn blob(shape: &ValueShape, seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut weights: Vec<u8> = (0..704 * usize::from(shape.width)).map(|_| random.u8(..)).collect();
    for _ in 0..shape.width {
        weights.extend((random.i16(..) >> 6).to_le_bytes());
    }
    for (inputs, units) in shape.later_layers() {
        weights.extend((0..inputs * units).map(|_| random.u8(..)));
        for _ in 0..units {
            weights.extend((random.i32(..) >> 20).to_le_bytes());
        }
    }
    let header = Header { name: "random", record: "not trained", model: Model::Value(shape.clone()) };
    let mut blob = blob::front(&header, &weights).expect("a short header").to_vec();
    blob.extend(weights);
    blob
}

/// A policy net's shape, whose shifts take the sums of random weights to about what activations hold.
pub(crate) fn policy_shape(width: u16, dense: &[u16]) -> PolicyShape {
    let shifts = [18].into_iter().chain(dense.iter().map(|_| 24)).chain([10]).collect();
    PolicyShape { width, dense: heapless::Vec::from_slice(dense).expect("few layers"), shifts }
}

/// The weights of a policy net of this shape, any that a blob can hold.
pub(crate) fn policy_weights(shape: &PolicyShape, seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut weights: Vec<u8> = (0..896 * usize::from(shape.width)).map(|_| random.u8(..)).collect();
    weights.extend((0..shape.width).flat_map(|_| (random.i16(..) >> 6).to_le_bytes()));
    weights.extend((0..shape.width).flat_map(|_| random.u16(..).to_le_bytes()));
    for (inputs, units) in shape.later_layers() {
        weights.extend((0..inputs * units).map(|_| random.u8(..)));
        weights.extend((0..units).flat_map(|_| (random.i32(..) >> 16).to_le_bytes()));
        weights.extend((0..units).flat_map(|_| random.u16(..).to_le_bytes()));
    }
    weights
}

/// A policy net in a blob.
pub(crate) fn policy_blob(shape: &PolicyShape, weights: &[u8]) -> Vec<u8> {
    let header = Header { name: "random", record: "not trained", model: Model::Policy(shape.clone()) };
    [blob::front(&header, weights).expect("a short header").as_slice(), weights].concat()
}
