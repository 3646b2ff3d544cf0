//! Weights out of an ONNX graph.
//!
//! The graph is walked from its output back to its inputs, so that names do not matter, and a net of another
//! architecture cannot pass for one of ours. What may stand where:
//!
//! - a layer: `Gemm` (`transB` or not), or `MatMul` and then `Add`, with constant weights and biases;
//! - SCReLU: `Clip` from 0 to 1, then `Mul` by itself or `Pow` 2;
//! - `Concat` along the last axis of what the two inputs became, the side to move's first, before or after SCReLU;
//! - `Identity` anywhere, and one `Sigmoid` at the end.
//!
//! Constants are initialisers or `Constant` nodes. Both perspectives must use the same numbers. The metadata is the
//! model's `metadata_props`, by the same names as in the exchange file.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use engine_core::net::blob::Layer;
use tract_onnx::pb::{ModelProto, NodeProto, TensorProto};
use tract_onnx::prelude::{Framework, Tensor as TractTensor};
use tract_onnx::tensor::load_tensor;

use crate::float_net::tensor_name;
use crate::weights::{Tensor, Weights};

/// Reads the weights of an ONNX file.
///
/// # Errors
/// If the file cannot be read, or its graph is no value net; the message says where it differs.
pub fn file(path: &Path) -> Result<Weights> {
    let file = path.display();
    let model = tract_onnx::onnx().proto_model_for_path(path).with_context(|| format!("{file} is no ONNX file"))?;
    weights(&model).with_context(|| {
        format!("{file} is not the graph of a value net, as export-onnx writes it and its --help describes it")
    })
}

/// The weights of a model, under the names of the exchange file.
///
/// # Errors
/// If its graph is no value net.
pub fn weights(model: &ModelProto) -> Result<Weights> {
    let graph = Graph::new(model)?;
    let layers = graph.layers()?;
    let mut tensors = Vec::new();
    for (layer, linear) in layers {
        let name = tensor_name(layer);
        tensors.push(Tensor::new(format!("{name}.bias"), vec![linear.biases.len()], linear.biases)?);
        tensors.push(Tensor::new(format!("{name}.weight"), linear.shape.into(), linear.weights)?);
    }
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    let metadata = model.metadata_props.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
    Ok(Weights { tensors, metadata })
}

/// A layer's numbers.
#[derive(Clone, Debug, PartialEq)]
struct Linear {
    /// Inputs and units.
    shape: [usize; 2],
    /// By input.
    weights: Vec<f32>,
    biases: Vec<f32>,
}

/// A graph, by what makes each value.
struct Graph<'a> {
    inputs: BTreeSet<&'a str>,
    output: &'a str,
    constants: HashMap<&'a str, &'a TensorProto>,
    makers: HashMap<&'a str, &'a NodeProto>,
}

impl<'a> Graph<'a> {
    fn new(model: &'a ModelProto) -> Result<Self> {
        let graph = model.graph.as_ref().context("the model has no graph")?;
        let mut constants: HashMap<_, _> =
            graph.initializer.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
        let mut makers = HashMap::new();
        for node in &graph.node {
            for output in &node.output {
                match node.attribute.iter().find_map(|attribute| attribute.t.as_ref()) {
                    Some(value) if node.op_type == "Constant" => constants.insert(output, value).map(|_| ()),
                    _ => makers.insert(output.as_str(), node).map(|_| ()),
                };
            }
        }
        let inputs = graph.input.iter().map(|input| input.name.as_str());
        let inputs = inputs.filter(|input| !constants.contains_key(input)).collect();
        let [output] = &graph.output[..] else { bail!("{} outputs; one wanted", graph.output.len()) };
        Ok(Self { inputs, output: &output.name, constants, makers })
    }

    /// The layers, in no order that matters.
    fn layers(&self) -> Result<Vec<(Layer, Linear)>> {
        let mut value = self.output;
        if let Ok([logit]) = self.operands(value, "Sigmoid") {
            value = logit;
        }
        let (output, mut value) = self.linear(value).context("at the output")?;
        let mut layers = vec![(Layer::Output, output)];
        let mut dense = Vec::new();
        let features = loop {
            if let Some(features) = self.features(value)? {
                break features;
            }
            let (layer, before) = self.linear(self.screlu(value)?)?;
            dense.push(layer);
            value = before;
            ensure!(dense.len() <= self.makers.len(), "the graph goes round in circles");
        };
        layers.push((Layer::Features, features));
        layers.extend(dense.into_iter().rev().enumerate().map(|(index, layer)| (Layer::Dense(index), layer)));
        Ok(layers)
    }

    /// The first layer, if a value is both perspectives through it, put together and activated.
    fn features(&self, value: &'a str) -> Result<Option<Linear>> {
        let sides = match self.concat(value)? {
            Some([us, them]) => [self.screlu(us)?, self.screlu(them)?],
            None => match self.concat(self.screlu(value)?)? {
                Some(sides) => sides,
                None => return Ok(None),
            },
        };
        let [(ours, us), (theirs, them)] = [self.linear(sides[0])?, self.linear(sides[1])?];
        for input in [us, them] {
            ensure!(self.inputs.contains(input), "'{input}' should be an input of the graph");
        }
        ensure!(us != them, "both perspectives come from input '{us}'");
        ensure!(ours == theirs, "the perspectives go through different first layers");
        Ok(Some(ours))
    }

    /// The two values that a value puts together, if it is such.
    fn concat(&self, value: &'a str) -> Result<Option<[&'a str; 2]>> {
        let Some(node) = self.maker(value).filter(|node| node.op_type == "Concat") else { return Ok(None) };
        let axis = attribute(node, "axis");
        ensure!(matches!(axis, Some(1 | -1)), "Concat '{value}' has axis {axis:?}; the last, 1 or -1, wanted");
        let [us, them] = &node.input[..] else { bail!("Concat '{value}' has {} parts; 2 wanted", node.input.len()) };
        Ok(Some([us, them]))
    }

    /// What a value is the SCReLU of.
    fn screlu(&self, value: &'a str) -> Result<&'a str> {
        let wanted = || format!("'{value}' should be SCReLU: Clip from 0 to 1, then Mul by itself or Pow 2");
        let node = self.maker(value).with_context(wanted)?;
        let clipped = match (node.op_type.as_str(), &node.input[..]) {
            ("Mul", [a, b]) if a == b => a,
            ("Pow", [base, power]) if self.scalar(power)? == 2.0 => base,
            _ => bail!(wanted()),
        };
        let node = self.maker(clipped).filter(|node| node.op_type == "Clip").with_context(wanted)?;
        let bound = |index: usize, name: &str| match node.input.get(index) {
            Some(bound) => self.scalar(bound),
            None => float_attribute(node, name).with_context(wanted),
        };
        let bounds = (bound(1, "min")?, bound(2, "max")?);
        ensure!(bounds == (0.0, 1.0), "Clip '{clipped}' is from {} to {}; 0 to 1 wanted", bounds.0, bounds.1);
        node.input.first().map(String::as_str).with_context(wanted)
    }

    /// The layer that makes a value, and what goes into it.
    fn linear(&self, value: &'a str) -> Result<(Linear, &'a str)> {
        let wanted = || format!("'{value}' should be a layer: Gemm, or MatMul and then Add");
        let node = self.maker(value).with_context(wanted)?;
        let (input, weights, biases, transposed) = match (node.op_type.as_str(), &node.input[..]) {
            ("Gemm", [input, weights, biases]) => {
                let plain = attribute(node, "transA").unwrap_or(0) == 0
                    && float_attribute(node, "alpha").unwrap_or(1.0) == 1.0
                    && float_attribute(node, "beta").unwrap_or(1.0) == 1.0;
                ensure!(plain, "Gemm '{value}': transA is 0, alpha and beta are 1 in a value net");
                (input, weights, biases, attribute(node, "transB").unwrap_or(0) != 0)
            }
            ("Add", [a, b]) => {
                let (product, biases) = if self.constant(a).is_some() { (b, a) } else { (a, b) };
                let [input, weights] = self.operands(product, "MatMul").with_context(wanted)?;
                (input, weights, biases, false)
            }
            _ => bail!(wanted()),
        };
        let (shape, weights) = self.tensor(weights)?;
        let (_, biases) = self.tensor(biases)?;
        let &[rows, columns] = &shape[..] else { bail!("the weights of '{value}' have {} dimensions", shape.len()) };
        let linear = if transposed {
            let column = |column| weights.iter().skip(column).step_by(columns).copied();
            Linear { shape: [columns, rows], weights: (0..columns).flat_map(column).collect(), biases }
        } else {
            Linear { shape: [rows, columns], weights, biases }
        };
        Ok((linear, self.behind_identities(input)))
    }

    /// The operands of the node that makes a value, if it is that operator with as many.
    fn operands<const N: usize>(&self, value: &'a str, operator: &str) -> Result<&'a [String; N]> {
        let node = self.maker(value).filter(|node| node.op_type == operator);
        let operands = node.and_then(|node| node.input.as_slice().try_into().ok());
        operands.with_context(|| format!("'{value}' should be made by {operator} of {N}"))
    }

    fn maker(&self, value: &'a str) -> Option<&'a NodeProto> {
        self.makers.get(self.behind_identities(value)).copied()
    }

    fn constant(&self, value: &'a str) -> Option<&'a TensorProto> {
        self.constants.get(self.behind_identities(value)).copied()
    }

    /// The value that a value is the same as. In a graph that goes round in circles, it stays one of the circle.
    fn behind_identities(&self, mut value: &'a str) -> &'a str {
        for _ in 0..self.makers.len() {
            match self.makers.get(value) {
                Some(node) if node.op_type == "Identity" && node.input.len() == 1 => value = &node.input[0],
                _ => break,
            }
        }
        value
    }

    fn scalar(&self, value: &'a str) -> Result<f32> {
        match &self.tensor(value)?.1[..] {
            &[number] => Ok(number),
            numbers => bail!("constant '{value}' has {} numbers; 1 wanted", numbers.len()),
        }
    }

    /// A constant's dimensions and numbers.
    fn tensor(&self, value: &'a str) -> Result<(Vec<usize>, Vec<f32>)> {
        let constant = self.constant(value).with_context(|| format!("'{value}' should be a constant"))?;
        let files = tract_onnx::onnx().provider;
        let tensor = load_tensor(&*files, constant, None).with_context(|| format!("constant '{value}'"))?;
        let tensor: TractTensor = tensor.cast_to::<f32>()?.into_owned();
        Ok((tensor.shape().to_vec(), tensor.to_plain_array_view::<f32>()?.iter().copied().collect()))
    }
}

fn attribute(node: &NodeProto, name: &str) -> Option<i64> {
    node.attribute.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.i)
}

fn float_attribute(node: &NodeProto, name: &str) -> Option<f32> {
    node.attribute.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.f)
}
