//! Int8 networks: what they see, how they are stored, and how they are computed.
//!
//! A network is a blob ([`blob`]) that says its own shape ([`header`]) and is used where it lies, in flash or in a
//! file's memory. [`ValueNet`] judges positions, [`PolicyNet`] chooses moves, [`MoveOrder`] says which moves to try
//! first. Uses [`chess`](crate::chess) and nothing else.

mod accumulator;
pub mod blob;
pub mod features;
pub mod header;
mod kernels;
mod layers;
pub mod move_order;
pub mod move_planes;
pub mod planes;
mod policy;
mod refresh;
mod softmax;
mod value;

pub(crate) use accumulator::Accumulators;
pub use blob::BlobError;
pub use kernels::all_agree as kernels_agree;
pub use move_order::MoveOrder;
pub use policy::{LOGIT_ONE, PolicyNet, Preference, Preferences};
pub use value::ValueNet;
