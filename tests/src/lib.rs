//! What the tests that cross crates share: random games, the workspace's programs, emulated boards and a cable to them that
//! can be pulled, a UCI client for all of these, and the engine in this process with a board's memory; and the
//! [most stack](stack_bound) that a board's program can take.

#[cfg(unix)]
pub mod cable;
pub mod call_graph;
pub mod client;
pub mod desk;
pub mod emulator;
pub mod games;
pub mod program;
pub mod stack_bound;
pub mod twin;
