//! Policy nets: in floats, in integers, and how far those are apart.

mod float_net;
mod integer_net;
#[cfg(feature = "onnx")]
pub mod verify;

pub use float_net::{Activation, FloatNet};
pub use integer_net::{IntegerNet, Scaled};
