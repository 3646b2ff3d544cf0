//! Nets as ONNX graphs.
//!
//! A value net's graph has two inputs, the [`INPUTS`](engine_core::net::features::INPUTS) numbers of 0 and 1 that the side to move
//! sees and those that its opponent sees, a position in each row, and one output with a column for each bucket. This is
//! what [`graph`] writes, [`read`] understands and [`reference`] runs:
//!
//! ```text
//! us   ─▶ Gemm(features) ─┐
//! them ─▶ Gemm(features) ─┴▶ Concat ─▶ Clip(0, 1) ─▶ Mul(itself) ─▶ [Gemm(dense.i) ─▶ Clip ─▶ Mul]... ─▶ Gemm(output)
//! ```
//!
//! The output is a win's logarithmic odds: their sigmoid is the expected score, and times `scale` of the metadata they
//! are centipawns. A policy net's graph is a chain from `planes` to `logits`, which is written and run, but not read.

pub mod graph;
pub mod read;
pub mod reference;
