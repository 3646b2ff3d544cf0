//! The rules of chess: boards, legal moves, notations, keys, repetition.
//!
//! Depends on nothing else in the crate.

pub mod attacks;
mod bitboard;
mod board;
mod castling;
mod changes;
mod fen;
mod game;
mod long_algebraic;
mod make;
mod movegen;
mod moves;
mod perft;
mod piece;
mod polyglot_random;
mod san;
mod square;
mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use board::Board;
pub use castling::{CastlingRights, Wing};
pub use changes::{Changes, Placed};
pub use fen::{Fen, FenError, START_FEN};
pub use game::{Ending, Game, KeyHistory};
pub use long_algebraic::{LongAlgebraic, MoveError};
pub use movegen::{MoveSink, Stage};
pub use moves::{MAX_MOVES, Move, MoveKind, MoveList};
pub use perft::{perft, perft_until};
pub use piece::{Colour, Piece, Role};
pub use san::San;
pub use square::{File, Rank, Square};
