//! A net's graph run in floats by tract: what its integers are held to.

use anyhow::{Context, Result};
use engine_core::chess::Board;
use engine_core::net::features::{INPUTS, Perspective, bucket};
use engine_core::net::{move_planes, planes};
use tract_onnx::prelude::*;

use super::graph;
use crate::float_net::FloatNet;
use crate::policy;

/// The positions that are run at a time.
const BATCH: usize = 256;

/// A net, ready to run.
#[derive(Debug)]
pub struct Reference {
    model: Arc<TypedRunnableModel>,
    buckets: usize,
}

impl Reference {
    /// Prepares the graph of a net.
    ///
    /// # Errors
    /// If tract cannot run it.
    pub fn new(net: &FloatNet) -> Result<Self> {
        let rows = || f32::fact([BATCH, INPUTS]);
        let model = onnx().parse(&graph::model(net), None)?.model;
        let model = model.with_input_fact(0, rows().into())?.with_input_fact(1, rows().into())?;
        let model = model.into_optimized().context("tract cannot prepare the net")?.into_runnable()?;
        Ok(Self { model, buckets: net.output.units })
    }

    /// The output for each position, from the bucket of its number of pieces.
    ///
    /// # Errors
    /// If tract fails.
    pub fn outputs(&self, boards: &[Board]) -> Result<Vec<f32>> {
        let mut outputs = Vec::with_capacity(boards.len());
        for batch in boards.chunks(BATCH) {
            let view = |board: &Board, colour| Perspective::of(board, colour);
            let us = inputs(batch, INPUTS, |board, row| fill(row, view(board, board.side_to_move()).active(board)))?;
            let them = inputs(batch, INPUTS, |board, row| fill(row, view(board, !board.side_to_move()).active(board)))?;
            let result = self.model.run(tvec![us.into(), them.into()])?;
            let rows = result[0].to_plain_array_view::<f32>()?;
            outputs.extend(
                batch.iter().enumerate().map(|(row, board)| rows[[row, bucket(board.occupied().len(), self.buckets)]]),
            );
        }
        Ok(outputs)
    }
}

/// A policy net, ready to run.
#[derive(Debug)]
pub struct PolicyReference(Arc<TypedRunnableModel>);

impl PolicyReference {
    /// Prepares the graph of a policy net.
    ///
    /// # Errors
    /// If tract cannot run it.
    pub fn new(net: &policy::FloatNet) -> Result<Self> {
        let model = onnx().parse(&graph::policy_model(net), None)?.model;
        let model = model.with_input_fact(0, f32::fact([BATCH, planes::INPUTS]).into())?;
        Ok(Self(model.into_optimized().context("tract cannot prepare the net")?.into_runnable()?))
    }

    /// The logits of each position's legal moves, for positions that have not stood before.
    ///
    /// # Errors
    /// If tract fails.
    pub fn logits(&self, boards: &[Board]) -> Result<Vec<Vec<f32>>> {
        let mut logits = Vec::with_capacity(boards.len());
        for batch in boards.chunks(BATCH) {
            let planes = inputs(batch, planes::INPUTS, |board, row| fill(row, planes::active(board, 0)))?;
            let result = self.0.run(tvec![planes.into()])?;
            let rows = result[0].to_plain_array_view::<f32>()?;
            for (row, board) in batch.iter().enumerate() {
                let moves = board.legal_moves();
                let number = |&mv| usize::from(move_planes::index(board, mv));
                logits.push(moves.iter().map(|mv| rows[[row, number(mv)]]).collect());
            }
        }
        Ok(logits)
    }
}

/// What is seen of each position, a row of so many numbers each; rows without a position are zeros.
fn inputs(boards: &[Board], columns: usize, see: impl Fn(&Board, &mut [f32])) -> Result<Tensor> {
    let mut rows = vec![0.0f32; BATCH * columns];
    for (board, row) in boards.iter().zip(rows.chunks_exact_mut(columns)) {
        see(board, row);
    }
    Tensor::from_shape(&[BATCH, columns], &rows)
}

/// Sets the active inputs.
fn fill(row: &mut [f32], active: impl Iterator<Item = usize>) {
    for input in active {
        row[input] = 1.0;
    }
}
