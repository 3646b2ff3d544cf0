//! Flash that is read where it lies, and the network in it.

use embedded_storage::nor_flash::{NorFlash, NorFlashError, NorFlashErrorKind};
use engine_core::net::blob::{MAGIC, PREFIX, Prefix};
use engine_core::net::{BlobError, ValueNet};
use engine_core::uci::{Message, say};

/// How much is copied at once: as much as the largest flash word, or a multiple of it.
const PIECE: usize = 256;

/// A part of flash that begins with an erase block, ends with one, and is mapped into memory.
pub trait Memory: NorFlash {
    /// All of it, at an address that is a multiple of four.
    fn bytes(&self) -> &[u8];
}

/// Why flash did not take something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It says so.
    #[error("flash: {0}")]
    Flash(NorFlashErrorKind),
    /// It does not say so, but something else is read than was written.
    #[error("flash does not keep what is written to it")]
    Worn,
}

impl StoreError {
    /// The error of a flash.
    pub(super) fn of(error: impl NorFlashError) -> Self {
        Self::Flash(error.kind())
    }
}

/// The value net at the beginning of a part of flash.
///
/// # Errors
/// If there is none, or one that cannot be used.
pub(super) fn value_net(region: &[u8]) -> Result<&[u8], BlobError> {
    let prefix = region.first_chunk::<PREFIX>().ok_or(BlobError::Short(region.len()))?;
    let said = Prefix::read(prefix)?.blob_bytes();
    let blob = region.get(..said).ok_or(BlobError::Length { said, found: region.len() })?;
    ValueNet::load(blob)?;
    Ok(blob)
}

/// The network in a part of flash, or the built-in one if nothing lies there; or if what lies there cannot be used, and
/// then what to say of it.
#[must_use]
pub fn network(region: &'static [u8], built_in: &'static [u8]) -> (&'static [u8], Option<Message>) {
    if !region.starts_with(&MAGIC) {
        return (built_in, None);
    }
    match value_net(region) {
        Ok(blob) => (blob, None),
        Err(problem) => (built_in, Some(say(format_args!("the network in flash is not used: {problem}")))),
    }
}

/// Copies a network that came over the line to where networks play from. To be called at every start, before the network
/// is used.
///
/// The copy can be cut off anywhere: what came stays valid until it is done, and so the next start does it again.
///
/// # Errors
/// If the flash fails.
pub fn settle(net: &mut impl Memory, staging: &mut impl Memory) -> Result<(), StoreError> {
    let Ok(blob) = value_net(staging.bytes()) else { return Ok(()) };
    if !net.bytes().starts_with(blob) {
        copy(blob, net)?;
        if !net.bytes().starts_with(blob) {
            return Err(StoreError::Worn);
        }
    }
    forget(staging)
}

/// Makes sure that no network begins here.
pub(super) fn forget(memory: &mut impl Memory) -> Result<(), StoreError> {
    erase(memory, 1)
}

/// Erases what holds the first `bytes` bytes.
pub(super) fn erase<M: Memory>(memory: &mut M, bytes: usize) -> Result<(), StoreError> {
    let end = bytes.next_multiple_of(M::ERASE_SIZE);
    let end = u32::try_from(end).map_err(|_| StoreError::Flash(NorFlashErrorKind::OutOfBounds))?;
    memory.erase(0, end).map_err(StoreError::of)
}

fn copy(blob: &[u8], memory: &mut impl Memory) -> Result<(), StoreError> {
    erase(memory, blob.len())?;
    for (number, piece) in (0..).zip(blob.chunks(PIECE)) {
        write(memory, number * PIECE as u32, piece)?;
    }
    Ok(())
}

/// Writes at most [`PIECE`] bytes, filled up to whole flash words with what erased flash is.
pub(super) fn write<M: Memory>(memory: &mut M, offset: u32, bytes: &[u8]) -> Result<(), StoreError> {
    const { assert!(PIECE.is_multiple_of(M::WRITE_SIZE)) };
    let mut words = [0xff; PIECE];
    words[..bytes.len()].copy_from_slice(bytes);
    memory.write(offset, &words[..bytes.len().next_multiple_of(M::WRITE_SIZE)]).map_err(StoreError::of)
}
