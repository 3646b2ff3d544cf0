//! From trained float weights to the integers that a microcontroller multiplies, and the proof that both say the same.
//!
//! Weights come as safetensors, the trainer's exchange format ([`weights`]), or as an ONNX graph (`onnx`, with the
//! cargo feature of that name). They are a net of a known architecture ([`float_net`]), which is rounded to fixed point
//! ([`fixed`], [`integer_net`], [`calibrate`]) and put in the blob that the engine uses where it lies ([`blob`]). That is a
//! value net; a [`policy`] net goes the same way.
//!
//! Each of the program's commands is a module: [`convert`], [`inspect`], and with ONNX `export_onnx` and `verify`.

pub mod blob;
pub mod calibrate;
pub mod convert;
#[cfg(feature = "onnx")]
pub mod export_onnx;
pub mod fixed;
pub mod float_net;
pub mod inspect;
pub mod integer_net;
#[cfg(feature = "onnx")]
pub mod onnx;
pub mod picture;
pub mod policy;
pub mod positions;
pub mod settings;
pub mod source;
#[cfg(feature = "onnx")]
pub mod verify;
pub mod weights;
pub mod whole;
