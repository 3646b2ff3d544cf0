//! The part of flash in which a network that comes over the line is put together.

use engine_core::net::BlobError;
use engine_core::net::blob::{MAGIC, PREFIX, Prefix};

use super::frame::CHUNK;
use super::memory::{self, Memory, StoreError};

/// Why a network was not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    /// It is no network for this program.
    #[error("{0}")]
    Blob(#[from] BlobError),
    /// It is too large for this board.
    #[error("it has {bytes} bytes, and there is room for {room}")]
    Room { bytes: usize, room: usize },
    /// The flash fails.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// A network that is being put together: its first chunk in memory, the rest in flash.
#[derive(Debug)]
pub(super) struct Staging<'a, M> {
    memory: &'a mut M,
    /// How long it will be.
    bytes: usize,
    /// How much of it is here.
    here: usize,
    /// Its beginning. Where flash does not begin with it there is no network.
    front: heapless::Vec<u8, CHUNK>,
}

impl<'a, M: Memory> Staging<'a, M> {
    /// Nothing yet.
    pub(super) const fn new(memory: &'a mut M) -> Self {
        Self { memory, bytes: 0, here: 0, front: heapless::Vec::new() }
    }

    /// How large a network may be.
    pub(super) fn room(&self) -> usize {
        self.memory.capacity()
    }

    /// How much of the network is here.
    pub(super) const fn here(&self) -> usize {
        self.here
    }

    /// Makes ready for a network of so many bytes that begins like this.
    pub(super) fn begin(&mut self, bytes: usize, prefix: &[u8; PREFIX]) -> Result<(), Refusal> {
        let said = Prefix::read(prefix)?.blob_bytes();
        if said != bytes {
            return Err(BlobError::Length { said, found: bytes }.into());
        }
        let room = self.room();
        if bytes > room {
            return Err(Refusal::Room { bytes, room });
        }
        memory::erase(self.memory, bytes)?;
        (self.bytes, self.here) = (bytes, 0);
        self.front.clear();
        Ok(())
    }

    /// Adds the next part: a whole chunk, or what is left. Any other part is passed over, as one that came twice.
    pub(super) fn add(&mut self, offset: usize, part: &[u8]) -> Result<(), StoreError> {
        if offset != self.here || part.len() != CHUNK.min(self.bytes - self.here) {
            return Ok(());
        }
        if self.here > 0 {
            memory::write(self.memory, self.here as u32, part)?;
        } else {
            // It is as long as a chunk at most.
            let _ = self.front.extend_from_slice(part);
        }
        self.here += part.len();
        Ok(())
    }

    /// Keeps the network, if it is whole and can play.
    pub(super) fn finish(&mut self) -> Result<(), Refusal> {
        if self.here < self.bytes || self.bytes == 0 {
            return Err(BlobError::Length { said: self.bytes, found: self.here }.into());
        }
        // The first word last: up to then nothing begins here.
        let (word, rest) = self.front.split_at(M::WRITE_SIZE.max(MAGIC.len()).min(self.front.len()));
        memory::write(self.memory, word.len() as u32, rest)?;
        memory::write(self.memory, 0, word)?;
        if let Err(problem) = memory::value_net(self.memory.bytes()) {
            memory::forget(self.memory)?;
            return Err(problem.into());
        }
        Ok(())
    }
}
