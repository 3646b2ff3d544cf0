//! What the tests that cross crates share: random games, the workspace's programs, a UCI client for them and for emulated
//! boards, and a cable to those that can be pulled.

#[cfg(unix)]
pub mod cable;
pub mod client;
pub mod desk;
pub mod games;
pub mod program;
