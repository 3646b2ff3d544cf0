//! The blob of a model, in memory where the engine can use it.

use std::{fs, path::Path};

use anyhow::Context;
use engine_core::net::{
    BlobError, MoveOrder, blob,
    header::{Header, Model, MoveOrderShape},
};
use quantize::whole;

/// The bytes of a model, aligned as the engine wants them. That it loads has been looked at.
#[derive(Clone, Debug)]
pub(super) struct Blob {
    words: Vec<u64>,
    length: usize,
}

impl Blob {
    /// The model of this shape with these weights.
    pub(super) fn new(name: &str, record: &str, shape: MoveOrderShape, weights: &[u8]) -> anyhow::Result<Blob> {
        let header = Header { name, record, model: Model::MoveOrder(shape) };
        let front = blob::front(&header, weights).context("the name or the record is too long")?;
        Ok(Blob::of(&[&front, weights].concat())?)
    }

    /// The model in a file.
    pub(super) fn read(path: &Path) -> anyhow::Result<Blob> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Blob::of(&bytes).with_context(|| format!("{} is no model that the engine can use", path.display()))
    }

    fn of(bytes: &[u8]) -> Result<Blob, BlobError> {
        let mut words = vec![0; bytes.len().div_ceil(size_of::<u64>())];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        let blob = Blob { words, length: bytes.len() };
        blob.model()?;
        Ok(blob)
    }

    /// The model.
    ///
    /// # Errors
    /// None, once the blob is made.
    pub(super) fn model(&self) -> Result<MoveOrder<'_>, BlobError> {
        MoveOrder::load(self.bytes())
    }

    fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }

    /// Writes it, whole or not at all. Says how many bytes it has.
    pub(super) fn write(&self, path: &Path) -> anyhow::Result<usize> {
        whole::write(path, self.bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(self.length)
    }
}
