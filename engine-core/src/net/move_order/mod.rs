//! Models that order moves: which of a position's moves are likely to be good, before any of them is searched.
//!
//! Two kinds, in blobs of one family: [`clusters`] measures how far a move is from typical good and bad ones,
//! [`prior`] adds up weights of what a move does. [`MoveOrder`] is either.

pub mod clusters;
pub mod features;
pub mod prior;

use clusters::Clusters;
use prior::{Look, Prior};

use super::blob::{self, BlobError};
use super::header::{Model, MoveOrderShape};
use super::layers::Rest;
use crate::chess::{Board, Move};

/// No score of a move is further from 0 than this.
pub const MAX_SCORE: i32 = 4_096;

/// A model whose weights lie in a blob.
#[derive(Clone, Copy, Debug)]
pub struct MoveOrder<'a> {
    name: &'a str,
    record: &'a str,
    kind: Kind<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    Clusters(Clusters<'a>),
    Prior(Prior<'a>),
}

impl<'a> MoveOrder<'a> {
    /// The model in a blob, which must begin at an address that is a multiple of four. No sum that it can make
    /// overflows.
    ///
    /// # Errors
    /// If the blob is damaged, of another kind, or has a field or a coordinate out of its range.
    pub fn load(blob: &'a [u8]) -> Result<Self, BlobError> {
        let (header, weights) = blob::open(blob)?;
        let Model::MoveOrder(shape) = header.model else {
            return Err(BlobError::Model { wanted: "move-order model", found: header.model.name() });
        };
        shape.check()?;
        let rest = Rest::of(weights, shape.weight_bytes())?;
        let kind = match shape {
            MoveOrderShape::Clusters(shape) => Kind::Clusters(Clusters::load(&shape, rest)?),
            MoveOrderShape::Prior(shape) => Kind::Prior(Prior::new(&shape, bytemuck::cast_slice(weights))),
        };
        Ok(Self { name: header.name, record: header.record, kind })
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// How it was made, in a line.
    #[must_use]
    pub const fn record(&self) -> &'a str {
        self.record
    }

    /// Looks at a position, to score moves of it.
    #[must_use]
    pub fn look<'b>(&'b self, board: &'b Board) -> Looking<'b> {
        Looking(match &self.kind {
            Kind::Clusters(clusters) => Seat::Clusters(clusters, board),
            Kind::Prior(prior) => Seat::Prior(prior, Look::at(board, prior.stages())),
        })
    }
}

/// A model that looks at a position.
#[derive(Debug)]
pub struct Looking<'a>(Seat<'a>);

#[derive(Debug)]
enum Seat<'a> {
    Clusters(&'a Clusters<'a>, &'a Board),
    Prior(&'a Prior<'a>, Look<'a>),
}

impl Looking<'_> {
    /// How good a legal move looks beside the others of the position, within ±[`MAX_SCORE`].
    #[must_use]
    pub fn score(&self, mv: Move) -> i32 {
        match &self.0 {
            Seat::Clusters(clusters, board) => clusters.score(board, mv),
            Seat::Prior(prior, look) => prior.score(look, mv),
        }
    }
}
