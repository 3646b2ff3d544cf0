//! What a desktop gives the engine: memory and files, and a line whose bytes another thread brings.

mod files;
mod line;
pub mod openings;

pub use files::Files;
pub use line::Line;
