//! A net's graph run in floats by tract: what its integers are held to.

use anyhow::{Context, Result};
use engine_core::chess::Board;
use engine_core::net::features::{INPUTS, Perspective, bucket};
use tract_onnx::prelude::*;

use super::graph;
use crate::float_net::FloatNet;

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
            let us = inputs(batch, |board| Perspective::of(board, board.side_to_move()))?;
            let them = inputs(batch, |board| Perspective::of(board, !board.side_to_move()))?;
            let result = self.model.run(tvec![us.into(), them.into()])?;
            let rows = result[0].to_plain_array_view::<f32>()?;
            outputs.extend(
                batch.iter().enumerate().map(|(row, board)| rows[[row, bucket(board.occupied().len(), self.buckets)]]),
            );
        }
        Ok(outputs)
    }
}

/// What one side sees of each position, a row each; rows without a position are zeros.
fn inputs(boards: &[Board], view: impl Fn(&Board) -> Perspective) -> Result<Tensor> {
    let mut rows = vec![0.0f32; BATCH * INPUTS];
    for (board, row) in boards.iter().zip(rows.chunks_exact_mut(INPUTS)) {
        for input in view(board).active(board) {
            row[input] = 1.0;
        }
    }
    Tensor::from_shape(&[BATCH, INPUTS], &rows)
}
