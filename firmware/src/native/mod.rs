//! What a desktop gives the engine.

mod files;
mod stdio;

pub(crate) use files::Files;
pub(crate) use stdio::Stdio;
