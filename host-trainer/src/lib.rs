//! Knightlight's trainer, the part that measures: matches between engines and suites of positions.
//!
//! - [`engine`] runs a chess engine as a child process and speaks its protocol (UCI or xboard).
//! - [`arena`] plays matches and says what they prove.
//! - [`suite`] asks one engine for the best move in each position of an EPD file.
//!
//! The rules of chess come from `shakmaty` everywhere in this crate, never from Knightlight's own core: an
//! arbiter that shares the player's code cannot see the player's faults.

pub mod arena;
pub mod data;
pub mod engine;
pub mod epd;
pub mod line;
pub mod stop;
pub mod suite;
