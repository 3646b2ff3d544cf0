//! Knightlight's engine as a library: the rules of chess, an evaluation, a search, and UCI as a byte stream.
//!
//! No `std`, no allocator, no panic from input. Memory is given by the caller; the crate holds the rest in values
//! whose sizes are constants.
//!
//! ```
//! use engine_core::chess::{Board, Game};
//! use engine_core::search::{Blind, Cluster, Knowledge, Limits, Searcher, Table};
//!
//! let board = Board::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")?;
//! let memory = [const { Cluster::new() }; 1024];
//! let table = Table::new(&memory, 0);
//! let limits = Limits { nodes: Some(5_000), ..Limits::default() };
//! let best = Searcher::new().think(&Game::new(board), &limits, table, Knowledge::default(), &mut Blind);
//! assert_eq!(best.map(|best| board.san(best.mv).to_string()).as_deref(), Some("Rd8#"));
//! # Ok::<(), engine_core::chess::FenError>(())
//! ```
//!
//! The folder `examples` has programs that evaluate a position, find a move within so many nodes, drive a UCI session from
//! bytes, and play as a chess computer without UCI.
//!
//! Arrows point one way: [`uci`] uses [`search`], [`book`] and [`platform`]; [`search`] uses [`eval`] and [`chess`];
//! [`eval`] uses [`net`]; [`chess`] uses nothing.
#![no_std]
#![deny(missing_docs, unsafe_code)]

pub mod bench;
pub mod book;
pub mod chess;
pub mod eval;
mod insertion_sort;
pub mod net;
pub mod nets;
pub mod platform;
mod random;
pub mod search;
pub mod uci;

/// No line is searched deeper than this many plies.
///
/// It bounds the stack that a search uses, some 750 bytes a ply, and most of the memory of a searcher. So the features
/// `small-memory` and `medium-memory` choose less.
pub const MAX_PLY: usize = if cfg!(feature = "small-memory") {
    MAX_PLY_SMALL
} else if cfg!(feature = "medium-memory") {
    MAX_PLY_MEDIUM
} else {
    MAX_PLY_LARGE
};

/// [`MAX_PLY`] with the feature `small-memory`.
pub const MAX_PLY_SMALL: usize = 26;
/// [`MAX_PLY`] with the feature `medium-memory`.
pub const MAX_PLY_MEDIUM: usize = 40;
/// [`MAX_PLY`] with neither.
pub const MAX_PLY_LARGE: usize = 96;
