//! Positions seen before.

use std::{
    collections::HashSet,
    hash::{BuildHasherDefault, Hasher},
};

/// A set of position keys: 9 bytes for each place, of which between 7 in 16 and 7 in 8 are taken, so 10 to 21 bytes for
/// a position, and half as much again for the moment of growing.
#[derive(Clone, Debug, Default)]
pub struct Seen(HashSet<u64, BuildHasherDefault<Unhashed>>);

impl Seen {
    /// Adds a position; `false` if it was there.
    pub fn insert(&mut self, key: u64) -> bool {
        self.0.insert(key)
    }

    /// Whether a position is there.
    pub fn contains(&self, key: u64) -> bool {
        self.0.contains(&key)
    }
}

/// Takes a key for its own hash: it is well mixed already.
#[derive(Clone, Copy, Debug, Default)]
struct Unhashed(u64);

impl Hasher for Unhashed {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 | u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
