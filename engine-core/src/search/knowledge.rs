//! What a search brings along from outside.

use crate::net::ValueNet;

use super::ordering::Ordering;

/// What positions are judged and moves are ordered by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Knowledge<'a> {
    /// The network that judges positions; without one, the hand-written evaluation does.
    pub network: Option<&'a ValueNet<'a>>,
    /// What orders moves.
    pub ordering: Ordering<'a>,
}
