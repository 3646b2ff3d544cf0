//! The search: which move is best, and what the position is worth with best play.
//!
//! [`Searcher::think`] deepens iteratively under [`Limits`], asks an [`Observer`] for the time and for orders, and
//! tells it what it finds. Memory is given or fixed: the hash [`Table`] is the caller's, the rest lies in the
//! [`Searcher`]. From the same table, searcher and position, under a limit of depth or nodes, the result is always the
//! same. Other processors may [`help`](Searcher::help), and then it is not.

mod alphabeta;
mod clock;
mod crew;
mod history;
mod iterate;
mod knowledge;
mod limits;
mod observer;
mod ordering;
mod picker;
mod pv;
mod quiescence;
mod score;
mod searcher;
pub mod see;
mod table;
mod whim;
mod window;

pub use crew::{Crew, MAX_HELPERS};
pub use iterate::Best;
pub use knowledge::Knowledge;
pub use limits::{Limits, Remaining};
pub use observer::{Blind, Observer, Order, Report};
pub use ordering::{Ordering, Place};
pub use score::{DRAW, INFINITE, MATE, MATE_BOUND, is_mate, mate_in_moves};
pub use searcher::Searcher;
pub use table::{Bound, Cluster, Known, Table};
pub use whim::Whim;

/// How many best lines can be asked for.
pub const MAX_MULTI_PV: usize = 16;
