//! `quantize inspect`: what is in a file of weights, or in a blob.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use engine_core::net::blob::Layer;
use engine_core::net::features::{INPUTS, MAX_ACTIVE};
use engine_core::net::header::{ClusterShape, Model, MoveOrderShape, PolicyShape, PriorShape, ValueShape};
use engine_core::net::planes;

use crate::blob::Blob;
use crate::fixed;
use crate::integer_net::{IntegerNet, Units};
use crate::weights::Weights;
use crate::{picture, policy, source};

/// The largest activation of a dense layer's input.
const MAX_ACTIVATION: usize = 127;

/// So many units are listed by number.
const LISTED: usize = 12;

/// Show what is in a file of weights or in a blob.
///
/// Of weights: metadata, and each tensor's range and what rounding it to int8 would cost. Of a blob: header, checksum,
/// each layer's size and range, and units that do nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file: .safetensors, .onnx or .net
    file: PathBuf,
    /// For weights: what a weight of 1.0 becomes [default: the metadata's qa and qb, or else 127]
    #[arg(long)]
    scale: Option<f32>,
    /// Draw the first layer: for each unit twelve boards, own pieces above the opponent's, pawns to kings; red is above
    /// zero, blue below
    #[arg(long, value_name = "OUT.png")]
    picture: Option<PathBuf>,
}

/// Does what the command line asks for.
///
/// # Errors
/// If the file cannot be read, or the picture cannot be written.
pub fn run(args: &Args) -> Result<()> {
    if let Some(scale) = args.scale {
        ensure!(scale.is_finite() && scale > 0.0, "--scale {scale}: a number above zero wanted");
    }
    let weights = if source::is_blob(&args.file)? {
        let blob = Blob::read(&args.file)?;
        let description = match blob.header()?.model {
            Model::MoveOrder(shape) => {
                ensure!(args.picture.is_none(), "--picture: a move-order model has no layer to draw");
                print!("{}", heading(&blob, &move_order_lines(&shape))?);
                return Ok(());
            }
            Model::Value(_) => value_description(&IntegerNet::from_blob(&blob)?),
            Model::Policy(_) => policy_description(&policy::IntegerNet::from_blob(&blob)?),
        };
        print!("{}", blob_report(&blob, &description)?);
        source::weights_of_blob(&blob)?
    } else {
        let weights = source::read(&args.file)?;
        print!("{}", weights_report(&weights, args.scale));
        weights
    };
    if let Some(path) = &args.picture {
        let features = weights.tensors.iter().find(|tensor| tensor.name == "features.weight");
        let features = features.filter(|tensor| matches!(tensor.shape[..], [INPUTS, _]));
        let features = features.context("there is no tensor 'features.weight' of 704 inputs to draw")?;
        picture::write(path, &features.values)?;
    }
    Ok(())
}

/// Metadata and tensors as text.
fn weights_report(weights: &Weights, scale: Option<f32>) -> String {
    let mut report = String::new();
    for (name, value) in &weights.metadata {
        let _ = writeln!(report, "{name:<12} {}", value.escape_debug());
    }
    let _ = writeln!(
        report,
        "{:<24} {:>16} {:>9} {:>9} {:>6} {:>8} {:>10} {:>10}",
        "tensor", "shape", "least", "greatest", "scale", "clipped", "max error", "rms error"
    );
    for tensor in &weights.tensors {
        let said = if tensor.name.starts_with("features.") { "qa" } else { "qb" };
        let said = weights.metadata.get(said).and_then(|scale| scale.parse().ok()).filter(|&scale: &f32| scale > 0.0);
        let scale = scale.or(said).unwrap_or(127.0);
        let cost = fixed::cost(&tensor.values, scale);
        let least = tensor.values.iter().copied().fold(f32::INFINITY, f32::min);
        let greatest = tensor.values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let _ = writeln!(
            report,
            "{:<24} {:>16} {least:>9.4} {greatest:>9.4} {scale:>6} {:>8} {:>10.6} {:>10.6}",
            tensor.name,
            tensor.dimensions(),
            cost.clipped,
            cost.largest_error,
            cost.rms_error
        );
    }
    report
}

/// What stands out in a layer of integers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Findings {
    layer: Layer,
    inputs: usize,
    units: usize,
    bytes: usize,
    /// The least and the greatest weight.
    weights: (i8, i8),
    /// How many weights are as large as eight bits allow.
    at_limit: usize,
    zeros: usize,
    /// The least and the greatest bias.
    biases: (i32, i32),
    /// Units with no weight but zeros: the same in every position.
    constant: Vec<usize>,
    /// Units with weights that no position takes above zero.
    dead: Vec<usize>,
    /// Units with weights that no position takes below one.
    full: Vec<usize>,
    /// Units that the next layer does not look at.
    unread: Vec<usize>,
}

/// A layer of integers, however it is stored.
struct View<'a> {
    layer: Layer,
    inputs: usize,
    /// By unit.
    weights: Vec<Vec<i8>>,
    biases: Vec<i32>,
    bytes: usize,
    /// The inputs that can be active at once, and how large each can be.
    active: usize,
    most: usize,
    /// What 1.0 is in its sums; an output has no activation.
    one: Option<f64>,
    next: Option<&'a Units>,
}

impl View<'_> {
    fn findings(&self) -> Findings {
        let weights = || self.weights.iter().flatten().copied();
        let units = |select: &dyn Fn(usize) -> bool| (0..self.biases.len()).filter(|&unit| select(unit)).collect();
        let is_constant = |unit: usize| self.weights[unit].iter().all(|&weight| weight == 0);
        let one = self.one.unwrap_or(f64::INFINITY);
        Findings {
            layer: self.layer,
            inputs: self.inputs,
            units: self.biases.len(),
            bytes: self.bytes,
            weights: (weights().min().unwrap_or(0), weights().max().unwrap_or(0)),
            at_limit: weights().filter(|&weight| weight == i8::MAX || weight <= -i8::MAX).count(),
            zeros: weights().filter(|&weight| weight == 0).count(),
            biases: (self.biases.iter().copied().min().unwrap_or(0), self.biases.iter().copied().max().unwrap_or(0)),
            constant: units(&is_constant),
            dead: units(&|unit| self.one.is_some() && !is_constant(unit) && self.reach(unit).1 <= 0),
            full: units(&|unit| !is_constant(unit) && self.reach(unit).0 as f64 >= one),
            unread: units(&|unit| self.next.is_some_and(|next| !reads(next, unit, self.biases.len()))),
        }
    }

    /// Bounds of a unit's sums, whatever the position.
    fn reach(&self, unit: usize) -> (i64, i64) {
        let mut sorted = self.weights[unit].clone();
        sorted.sort_unstable();
        let sum = |weights: &mut dyn Iterator<Item = &i8>| -> i64 {
            weights.take(self.active).map(|&weight| i64::from(weight) * self.most as i64).sum()
        };
        let bias = i64::from(self.biases[unit]);
        let least = bias + sum(&mut sorted.iter().take_while(|&&weight| weight < 0));
        let greatest = bias + sum(&mut sorted.iter().rev().take_while(|&&weight| weight > 0));
        (least, greatest)
    }
}

/// Whether a layer looks at a unit of the `units` before it; behind the first layer, those of both perspectives.
fn reads(layer: &Units, unit: usize, units: usize) -> bool {
    layer.weights.iter().enumerate().any(|(index, &weight)| weight != 0 && index % layer.inputs % units == unit)
}

/// What a blob's report says of its net.
struct Description {
    /// What goes through what, and at which scales.
    lines: Vec<(&'static str, String)>,
    /// By input, whether the first layer has no weight for it.
    unused: Vec<bool>,
    findings: Vec<Findings>,
}

/// Weights by input as weights by unit.
fn by_unit(columns: &[i8], units: usize) -> Vec<Vec<i8>> {
    (0..units).map(|unit| columns.iter().skip(unit).step_by(units).copied().collect()).collect()
}

/// By input, whether a column has only zeros.
fn unused(columns: &[i8], units: usize) -> Vec<bool> {
    columns.chunks(units).map(|column| column.iter().all(|&weight| weight == 0)).collect()
}

fn chain(units: impl Iterator<Item = (usize, usize)>) -> String {
    units.map(|(_, units)| units.to_string()).collect::<Vec<_>>().join(" -> ")
}

fn move_order_lines(shape: &MoveOrderShape) -> Vec<(&'static str, String)> {
    match shape {
        MoveOrderShape::Clusters(ClusterShape { good, bad, distance, mixed, scale }) => vec![
            ("centres", format!("{good} of good moves, {bad} of bad ones")),
            ("distance", format!("{distance:?}, {}", if *mixed { "of mixed features" } else { "feature by feature" })),
            ("scale", scale.to_string()),
        ],
        MoveOrderShape::Prior(PriorShape { stages, scale }) => {
            vec![("weights", format!("of {stages} stages of the game")), ("scale", scale.to_string())]
        }
    }
}

fn value_description(net: &IntegerNet) -> Description {
    let ValueShape { width, qa, qb, scale, .. } = net.shape;
    let lines = vec![
        ("layers", format!("2x({INPUTS} -> {width}) -> {}", chain(net.shape.later_layers()))),
        ("scales", format!("qa {qa}, qb {qb}, {scale} centipawns")),
    ];
    Description { lines, unused: unused(&net.columns, net.biases.len()), findings: value_findings(net) }
}

fn policy_description(net: &policy::IntegerNet) -> Description {
    let PolicyShape { width, shifts, .. } = &net.shape;
    let shifts: Vec<String> = shifts.iter().map(ToString::to_string).collect();
    let lines = vec![
        ("layers", format!("{} -> {width} -> {}", planes::INPUTS, chain(net.shape.later_layers()))),
        ("shifts", shifts.join(", ")),
    ];
    Description { lines, unused: unused(&net.columns, net.biases.len()), findings: policy_findings(net) }
}

fn policy_findings(net: &policy::IntegerNet) -> Vec<Findings> {
    // A unit's activation is full at a sum of its own, which is not looked for.
    let hidden = Some(f64::INFINITY);
    let later: Vec<_> = net.later().collect();
    let first = View {
        layer: Layer::Features,
        inputs: planes::INPUTS,
        weights: by_unit(&net.columns, net.biases.len()),
        biases: net.biases.iter().map(|&bias| bias.into()).collect(),
        bytes: net.columns.len() + size_of_val(&net.biases[..]) + size_of_val(&net.multipliers[..]),
        active: planes::MAX_ACTIVE,
        most: 1,
        one: hidden,
        next: later.first().map(|&(_, layer)| &layer.units),
    };
    let views = later.iter().enumerate().map(|(index, &(layer, policy::Scaled { units, multipliers }))| View {
        layer,
        inputs: units.inputs,
        weights: units.weights.chunks(units.inputs).map(<[i8]>::to_vec).collect(),
        biases: units.biases.clone(),
        bytes: units.weights.len() + size_of_val(&units.biases[..]) + size_of_val(&multipliers[..]),
        active: units.inputs,
        most: MAX_ACTIVATION,
        one: hidden.filter(|_| layer != Layer::Output),
        next: later.get(index + 1).map(|&(_, layer)| &layer.units),
    });
    [first].into_iter().chain(views).map(|view| view.findings()).collect()
}

fn value_findings(net: &IntegerNet) -> Vec<Findings> {
    let scales = fixed::scales(&net.shape);
    let width = net.biases.len();
    let later: Vec<_> = net.later().collect();
    let first = View {
        layer: Layer::Features,
        inputs: INPUTS,
        weights: by_unit(&net.columns, width),
        biases: net.biases.iter().map(|&bias| bias.into()).collect(),
        bytes: net.columns.len() + size_of_val(&net.biases[..]),
        active: MAX_ACTIVE,
        most: 1,
        one: Some(scales.features.bias),
        next: later.first().map(|&(_, units)| units),
    };
    let views = later.iter().enumerate().map(|(index, &(layer, units))| View {
        layer,
        inputs: units.inputs,
        weights: units.weights.chunks(units.inputs).map(<[i8]>::to_vec).collect(),
        biases: units.biases.clone(),
        bytes: units.weights.len() + size_of_val(&units.biases[..]),
        active: units.inputs,
        most: MAX_ACTIVATION,
        one: scales.dense.get(index).map(|scale| scale.bias.round()),
        next: later.get(index + 1).map(|&(_, units)| units),
    });
    [first].into_iter().chain(views).map(|view| view.findings()).collect()
}

/// Header and layers of a blob as text.
/// What a blob says of itself, with these lines about its model.
fn heading(blob: &Blob, lines: &[(&str, String)]) -> Result<String> {
    let header = blob.header()?;
    let mut report = String::new();
    let _ = writeln!(report, "name         {}", header.name);
    let _ = writeln!(report, "record       {}", header.record);
    let _ = writeln!(report, "model        {}", header.model.name());
    for (name, value) in lines {
        let _ = writeln!(report, "{name:<12} {value}");
    }
    let _ = writeln!(report, "bytes        {}", blob.bytes().len());
    let _ = writeln!(report, "checksum     {:08x}", blob.checksum());
    Ok(report)
}

/// A network's heading, and its layers.
fn blob_report(blob: &Blob, Description { lines, unused, findings }: &Description) -> Result<String> {
    let mut report = heading(blob, lines)?;
    let _ = writeln!(
        report,
        "{:<14} {:>8} {:>8} {:>12} {:>9} {:>9} {:>24}",
        "layer", "shape", "bytes", "weights", "at limit", "zeros", "biases"
    );
    for found in findings {
        let _ = writeln!(
            report,
            "{:<14} {:>8} {:>8} {:>12} {:>9} {:>9} {:>24}",
            found.layer.to_string(),
            format!("{}x{}", found.inputs, found.units),
            found.bytes,
            format!("{}..{}", found.weights.0, found.weights.1),
            found.at_limit,
            found.zeros,
            format!("{}..{}", found.biases.0, found.biases.1)
        );
    }
    let without = unused.iter().filter(|&&unused| unused).count();
    if without > 0 {
        let _ = writeln!(report, "first layer: {without} of {} inputs have no weight", unused.len());
    }
    for found in findings {
        for (units, what) in [
            (&found.constant, "have no weight"),
            (&found.dead, "can never be above zero"),
            (&found.full, "can never be below one"),
            (&found.unread, "are not looked at by the next layer"),
        ] {
            if !units.is_empty() {
                let _ = writeln!(
                    report,
                    "{}: {} of {} units {what}: {}",
                    found.layer,
                    units.len(),
                    found.units,
                    listed(units)
                );
            }
        }
    }
    Ok(report)
}

/// The first few numbers.
fn listed(units: &[usize]) -> String {
    let numbers: Vec<String> = units.iter().take(LISTED).map(ToString::to_string).collect();
    let rest = if units.len() > LISTED { ", ..." } else { "" };
    numbers.join(", ") + rest
}
