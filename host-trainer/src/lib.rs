//! Knightlight's trainer: matches between engines, suites of positions, and games to train on.
//!
//! - [`engine`] runs a chess engine as a child process and speaks its protocol (UCI or xboard).
//! - [`arena`] plays matches and says what they prove.
//! - [`mine`] has a teacher play games with itself and records them, with its scores, to train on.
//! - [`suite`] asks one engine for the best move in each position of an EPD file.
//!
//! The rules of chess come from `shakmaty` everywhere in this crate, never from Knightlight's own core: an
//! arbiter that shares the player's code cannot see the player's faults. The core is used as a player only, in
//! [`mine`].

pub mod arena;
pub mod engine;
pub mod epd;
pub mod line;
pub mod mine;
pub mod stop;
pub mod suite;
