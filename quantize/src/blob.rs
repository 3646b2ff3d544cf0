//! A blob in memory, where the engine can use it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use engine_core::net::blob::{self, PREFIX};
use engine_core::net::header::{Header, Model};
use engine_core::net::{BlobError, MoveOrder, PolicyNet, ValueNet};
use thiserror::Error;

/// Why there is no blob.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read {path}")]
    File { path: PathBuf, source: io::Error },
    /// The file holds no network that the engine can use.
    #[error("{path} is no network that the engine can use")]
    Blob { path: PathBuf, source: BlobError },
}

/// The bytes of a network, at an address that is a multiple of four, as the engine wants them. That it loads has been
/// looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    words: Vec<u32>,
    length: usize,
}

impl Blob {
    /// A blob of these bytes.
    ///
    /// # Errors
    /// What the engine has against it.
    pub fn new(bytes: &[u8]) -> Result<Self, BlobError> {
        let mut words = vec![0; bytes.len().div_ceil(size_of::<u32>())];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        let blob = Self { words, length: bytes.len() };
        match blob.header()?.model {
            Model::Value(_) => ValueNet::load(blob.bytes()).map(drop)?,
            Model::Policy(_) => PolicyNet::load(blob.bytes()).map(drop)?,
            Model::MoveOrder(_) => MoveOrder::load(blob.bytes()).map(drop)?,
        }
        Ok(blob)
    }

    /// The blob in a file.
    ///
    /// # Errors
    /// If the file cannot be read, or the engine cannot use it.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let bytes = fs::read(path).map_err(|source| ReadError::File { path: path.to_owned(), source })?;
        Self::new(&bytes).map_err(|source| ReadError::Blob { path: path.to_owned(), source })
    }

    /// All of it.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }

    /// What it says of itself.
    ///
    /// # Errors
    /// None that [`Blob::new`] has not had.
    pub fn header(&self) -> Result<Header<'_>, BlobError> {
        Ok(blob::open(self.bytes())?.0)
    }

    /// The value net in it.
    ///
    /// # Errors
    /// If it is a policy net.
    pub fn net(&self) -> Result<ValueNet<'_>, BlobError> {
        ValueNet::load(self.bytes())
    }

    /// The policy net in it.
    ///
    /// # Errors
    /// If it is a value net.
    pub fn policy(&self) -> Result<PolicyNet<'_>, BlobError> {
        PolicyNet::load(self.bytes())
    }

    /// The checksum that its prefix says.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        match self.bytes().first_chunk::<PREFIX>() {
            Some(&[.., a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
            None => 0,
        }
    }
}
