//! What the tests that cross crates share: random games, the workspace's programs, and a UCI
//! client for them and for emulated boards.

pub mod client;
pub mod games;
pub mod program;
