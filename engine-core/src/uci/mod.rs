//! The Universal Chess Interface as a byte stream.
//!
//! Bytes become tokens, and tokens take effect as they come: a `position` line of any length passes through, each
//! move played on a candidate game as it arrives, and changes nothing until its newline. Nothing here owns a line.
//!
//! Data flows one way: tokens -> parser -> [`Session`] -> search -> replies. The machine is
//! reached through [`Platform`](crate::platform::Platform) and [`Resources`] alone.
//!
//! Source of the protocol: Stefan Meyer-Kahlen, "Description of the universal chess interface (UCI)", April 2006.

mod lookahead;
mod options;
mod parser;
mod replies;
mod resources;
mod session;
mod strength;
mod tokens;
mod watch;
mod wdl;

pub use options::HashSizes;
pub use replies::evaluator;
pub use resources::{Alone, FixedResources, Message, Processors, Resources, say};
pub use session::Session;
pub use wdl::chances;

/// The engine's name and version, as `uci` gives it.
pub const NAME: &str = concat!("Knightlight ", env!("CARGO_PKG_VERSION"));
/// The engine's authors, as `uci` gives them.
pub const AUTHOR: &str = "the Knightlight authors";
