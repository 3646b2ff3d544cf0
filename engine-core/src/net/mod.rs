//! Int8 networks: what they see, how they are stored, and how they are computed.

pub mod features;
