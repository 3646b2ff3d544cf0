//! Knightlight's trainer: what makes networks, and what measures engines.
//!
//! - [`engine`] runs a chess engine as a child process and speaks its protocol (UCI or xboard).
//! - [`arena`] plays matches and says what they prove.
//! - [`suite`] asks one engine for the best move in each position of an EPD file.
//! - [`train`] makes a network's weights from scored positions.
//!
//! The rules of chess come from `shakmaty` everywhere in this crate, never from Knightlight's own core: an
//! arbiter that shares the player's code cannot see the player's faults.

pub mod arena;
pub mod engine;
pub mod epd;
pub mod line;
pub mod stop;
pub mod suite;
pub mod train;
pub mod whole;
