//! `quantize export-onnx`: a net as an ONNX graph, for other programs.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::onnx::graph;
use crate::settings::Overrides;
use crate::source::{self, Net};
use crate::whole;

/// Write a net as an ONNX graph.
///
/// Inputs 'us' and 'them': rows of 704 numbers, 1 where a piece stands, as the side to move and its opponent see the
/// board. Output 'out': for each row a number for each bucket of piece counts. Its sigmoid is the expected score; times
/// 'scale' of the metadata it is centipawns. The graph:
///
///   us   -> Gemm(features.weight, features.bias) -> Concat
///   them -> Gemm(features.weight, features.bias) -> Concat (axis 1, us first)
///   -> Clip(0, 1) -> Mul by itself
///   -> for each dense layer: Gemm(dense.N.weight, dense.N.bias) -> Clip(0, 1) -> Mul by itself
///   -> Gemm(output.weight, output.bias)
///
/// 'convert' reads such graphs back, whatever made them. There, MatMul and Add may stand for Gemm, Pow 2 for Mul, Clip
/// and Mul before Concat, Identity anywhere, and one Sigmoid at the end.
///
/// A policy net has one input 'planes' of 896 numbers and one output 'logits' of 4672, a logit for each move, and the
/// graph is a chain: Gemm(features...) -> Relu or Clip(0, 1) -> Gemm(dense.N...) -> ... -> Gemm(output...). 'convert'
/// does not read those.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The net: .safetensors, or a .net blob, whose integers become the floats that they stand for
    weights: PathBuf,
    /// The graph to write
    #[arg(short, long, value_name = "NET.onnx")]
    output: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
}

/// Does what the command line asks for.
///
/// # Errors
/// If the weights are no net, or the graph cannot be written. Then nothing is.
pub fn run(args: &Args) -> Result<()> {
    let output = args.output.display();
    let (bytes, name) = match source::read_net(&args.weights, &args.overrides)? {
        Net::Value(net, settings) => (graph::encode(&net, &settings), settings.name),
        Net::Policy(net, words) => (graph::encode_policy(&net, &words), words.name),
    };
    whole::write(&args.output, &bytes).with_context(|| format!("cannot write {output}"))?;
    println!("{output}: '{name}', {} bytes", bytes.len());
    Ok(())
}
