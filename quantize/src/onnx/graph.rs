//! A net as an ONNX graph.

use engine_core::net::blob::Layer;
use engine_core::net::features::INPUTS;
use engine_core::net::planes;
use prost::Message;
use tract_onnx::pb::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, StringStringEntryProto, TensorProto,
    TensorShapeProto, TypeProto, ValueInfoProto, attribute_proto::AttributeType, tensor_proto::DataType,
    tensor_shape_proto, type_proto,
};

use crate::float_net::{FloatNet, Linear, tensor_name};
use crate::policy::{self, Activation};
use crate::settings::{Settings, Words};
use crate::weights::Metadata;

/// The operator set that the graph is written in, old enough for every reader: Clip has its bounds as inputs since 11.
const OPERATORS: i64 = 17;

/// The file format's version that came with these operators.
const FORMAT: i64 = 8;

/// The name of the side to move's input.
pub const US: &str = "us";

/// The name of the opponent's input.
pub const THEM: &str = "them";

/// The name of the output.
pub const OUT: &str = "out";

/// The name of a policy net's input.
pub const PLANES: &str = "planes";

/// The name of a policy net's output.
pub const LOGITS: &str = "logits";

/// The bounds of Clip.
const ZERO: &str = "zero";
const ONE: &str = "one";

/// The bytes of an ONNX file with a net and what its metadata says.
#[must_use]
pub fn encode(net: &FloatNet, settings: &Settings) -> Vec<u8> {
    with_metadata(model(net), net.metadata(settings))
}

/// The bytes of an ONNX file with a policy net and what its metadata says.
#[must_use]
pub fn encode_policy(net: &policy::FloatNet, words: &Words) -> Vec<u8> {
    with_metadata(policy_model(net), net.metadata(words))
}

fn with_metadata(model: ModelProto, metadata: Metadata) -> Vec<u8> {
    let metadata = metadata.into_iter().map(|(key, value)| StringStringEntryProto { key, value });
    ModelProto { metadata_props: metadata.collect(), ..model }.encode_to_vec()
}

/// The graph of a net.
pub(super) fn model(net: &FloatNet) -> ModelProto {
    let mut nodes = vec![
        linear(Layer::Features, US, "us.sums"),
        linear(Layer::Features, THEM, "them.sums"),
        NodeProto { attribute: vec![whole("axis", 1)], ..node("Concat", &["us.sums", "them.sums"], "sums") },
    ];
    let mut sums = "sums".to_owned();
    for (layer, _) in net.layers().skip(1) {
        let activations = screlu(&sums, &mut nodes);
        sums = match layer {
            Layer::Output => OUT.to_owned(),
            _ => tensor_name(layer) + ".sums",
        };
        nodes.push(linear(layer, &activations, &sums));
    }

    model_of("value", nodes, net.layers(), vec![rows(US, INPUTS), rows(THEM, INPUTS)], rows(OUT, net.output.units))
}

/// The graph of a policy net.
pub(super) fn policy_model(net: &policy::FloatNet) -> ModelProto {
    let mut nodes = Vec::new();
    let mut input = PLANES.to_owned();
    for (layer, _) in net.layers() {
        if layer == Layer::Output {
            nodes.push(linear(layer, &input, LOGITS));
            continue;
        }
        let name = tensor_name(layer);
        let (sums, activations) = (format!("{name}.sums"), format!("{name}.activations"));
        nodes.push(linear(layer, &input, &sums));
        nodes.push(match net.activation {
            Activation::Relu => node("Relu", &[&sums], &activations),
            Activation::ClippedRelu => node("Clip", &[&sums, ZERO, ONE], &activations),
        });
        input = activations;
    }
    let planes = vec![rows(PLANES, planes::INPUTS)];
    model_of("policy", nodes, net.layers(), planes, rows(LOGITS, net.output.units))
}

/// A model of these nodes and the numbers of these layers.
fn model_of<'a>(
    name: &str,
    node: Vec<NodeProto>,
    layers: impl Iterator<Item = (Layer, &'a Linear)>,
    input: Vec<ValueInfoProto>,
    output: ValueInfoProto,
) -> ModelProto {
    let mut initializer = vec![tensor(ZERO, &[], &[0.0]), tensor(ONE, &[], &[1.0])];
    for (layer, linear) in layers {
        let name = tensor_name(layer);
        initializer.push(tensor(&format!("{name}.weight"), &[linear.inputs, linear.units], &linear.weights));
        initializer.push(tensor(&format!("{name}.bias"), &[linear.units], &linear.biases));
    }
    let name = name.into();
    let graph = GraphProto { name, node, initializer, input, output: vec![output], ..GraphProto::default() };
    ModelProto {
        ir_version: FORMAT,
        producer_name: env!("CARGO_PKG_NAME").into(),
        producer_version: env!("CARGO_PKG_VERSION").into(),
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: OPERATORS }],
        graph: Some(graph),
        ..ModelProto::default()
    }
}

fn node(operator: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: operator.into(),
        name: output.into(),
        input: inputs.iter().map(|&input| input.into()).collect(),
        output: vec![output.into()],
        ..NodeProto::default()
    }
}

/// A layer's sums.
fn linear(layer: Layer, input: &str, output: &str) -> NodeProto {
    let name = tensor_name(layer);
    node("Gemm", &[input, &format!("{name}.weight"), &format!("{name}.bias")], output)
}

/// SCReLU of sums, as two nodes; returns the name of what comes out.
fn screlu(sums: &str, nodes: &mut Vec<NodeProto>) -> String {
    let (clipped, squared) = (format!("{sums}.clipped"), format!("{sums}.squared"));
    nodes.push(node("Clip", &[sums, ZERO, ONE], &clipped));
    nodes.push(node("Mul", &[&clipped, &clipped], &squared));
    squared
}

fn whole(name: &str, value: i64) -> AttributeProto {
    AttributeProto { name: name.into(), r#type: AttributeType::Int.into(), i: value, ..AttributeProto::default() }
}

fn tensor(name: &str, dimensions: &[usize], values: &[f32]) -> TensorProto {
    TensorProto {
        name: name.into(),
        dims: dimensions.iter().map(|&dimension| dimension as i64).collect(),
        data_type: DataType::Float.into(),
        raw_data: values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        ..TensorProto::default()
    }
}

/// Any number of rows of so many numbers.
fn rows(name: &str, columns: usize) -> ValueInfoProto {
    use tensor_shape_proto::{Dimension, dimension::Value};
    let dimension = |value| Dimension { value: Some(value), ..Dimension::default() };
    let dim = vec![dimension(Value::DimParam("positions".into())), dimension(Value::DimValue(columns as i64))];
    let shape = Some(TensorShapeProto { dim });
    let tensor = type_proto::Tensor { elem_type: DataType::Float.into(), shape };
    let r#type = Some(TypeProto { value: Some(type_proto::Value::TensorType(tensor)), ..TypeProto::default() });
    ValueInfoProto { name: name.into(), r#type, ..ValueInfoProto::default() }
}
