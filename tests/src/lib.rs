//! Tests and benches that cross crates.
