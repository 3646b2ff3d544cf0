//! What the tests that cross crates share: random games, and a UCI client for programs and emulated boards.

pub mod client;
pub mod games;
