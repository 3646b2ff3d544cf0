//! Knightlight's trainer: matches between engines, suites of positions, and the line that makes a network.
//!
//! - [`engine`] runs a chess engine, as a process, on a serial port or in a thread, and speaks its protocol (UCI or
//!   xboard).
//! - [`arena`] plays matches and says what they prove.
//! - [`book`] makes opening books from games, and looks into them.
//! - [`mine`] has a teacher play games with itself and records them, with its scores, to train on.
//! - [`play`] is a game against a person, in a terminal.
//! - [`report`] draws a run, a network and matches on one page.
//! - [`suite`] asks one engine for the best move in each position of an EPD file.
//! - [`data`] turns games into training positions.
//! - [`move_order`] learns which moves to search first, and measures what that saves.
//! - [`piece_values`] finds what pieces are worth, and the tables of the classical evaluation, from results of games.
//! - [`train`] makes a network's weights from scored positions.
//!
//! The rules of chess come from `shakmaty` wherever something is judged, never from Knightlight's own core: an
//! arbiter that shares the player's code cannot see the player's faults. The core is used as a player, in [`mine`]
//! and [`play`], and [`data`] replays millions of games on the core's board, for speed; its tests hold it to `shakmaty`.

pub mod arena;
pub mod book;
pub mod data;
pub mod engine;
pub mod epd;
pub mod line;
pub mod mine;
pub mod move_order;
pub mod piece_values;
pub mod play;
pub mod report;
pub mod stop;
pub mod suite;
pub mod train;
