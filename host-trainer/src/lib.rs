//! Knightlight's trainer: matches between engines, suites of positions, and the data that a network learns from.
//!
//! - [`engine`] runs a chess engine as a child process and speaks its protocol (UCI or xboard).
//! - [`arena`] plays matches and says what they prove.
//! - [`suite`] asks one engine for the best move in each position of an EPD file.
//! - [`data`] turns games into training positions.
//!
//! The rules of chess come from `shakmaty` wherever something is judged, never from Knightlight's own core: an
//! arbiter that shares the player's code cannot see the player's faults. [`data`] alone replays millions of games on
//! the core's board, for speed, and its tests hold it to `shakmaty`.

pub mod arena;
pub mod data;
pub mod engine;
pub mod epd;
pub mod line;
pub mod stop;
pub mod suite;
