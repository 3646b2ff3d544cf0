//! Memory and files of a desktop.

use std::fs;

use engine_core::uci::{HashSizes, Message, say};
use firmware::{Cluster, Resources};

/// The size of the hash table, in megabytes: when started, at least, at most.
const HASH_DEFAULT: u32 = 16;
const HASH_MIN: u32 = 1;
const HASH_MAX: u32 = 65_536;

/// What a pipe to a chess program on the same machine, and its scheduler, lose a move.
const PIPE_OVERHEAD: u32 = 10;

/// A hash table on the heap, and a book from a file.
#[derive(Debug)]
pub(crate) struct Files {
    clusters: Vec<Cluster>,
    book: Vec<u8>,
}

impl Files {
    pub(crate) fn new() -> Self {
        Self { clusters: vec![Cluster::EMPTY; clusters_in(HASH_DEFAULT)], book: Vec::new() }
    }
}

const fn clusters_in(megabytes: u32) -> usize {
    ((megabytes as usize) << 20) / size_of::<Cluster>()
}

impl Resources for Files {
    fn clusters(&mut self) -> &mut [Cluster] {
        &mut self.clusters
    }

    fn hash_sizes(&self) -> HashSizes {
        let megabytes = size_of_val(self.clusters.as_slice()) >> 20;
        HashSizes { min: HASH_MIN, max: HASH_MAX, now: megabytes as u32 }
    }

    fn resize_hash(&mut self, megabytes: u32) -> Result<(), Message> {
        let before = self.hash_sizes().now;
        // The old table goes first, so that both need not fit.
        self.clusters = Vec::new();
        let enough = self.clusters.try_reserve_exact(clusters_in(megabytes)).is_ok();
        let given = if enough { megabytes } else { before };
        self.clusters.resize(clusters_in(given), Cluster::EMPTY);
        if enough { Ok(()) } else { Err(say(format_args!("there are no {megabytes} MB of memory; it has {given} MB"))) }
    }

    fn move_overhead(&self) -> u32 {
        PIPE_OVERHEAD
    }

    fn book(&self) -> &[u8] {
        &self.book
    }

    fn load_book(&mut self, path: &str) -> Option<Result<(), Message>> {
        if path.is_empty() {
            self.book = Vec::new();
            return Some(Ok(()));
        }
        let shown = path.escape_debug();
        Some(match fs::read(path) {
            Ok(bytes) if !bytes.is_empty() && bytes.len().is_multiple_of(16) => {
                self.book = bytes;
                Ok(())
            }
            Ok(_) => Err(say(format_args!("'{shown}' is no Polyglot book: not a number of 16-byte entries"))),
            Err(error) => Err(say(format_args!("'{shown}': {error}"))),
        })
    }

    fn load_network(&mut self, path: &str) -> Option<Result<(), Message>> {
        Some(if path.is_empty() {
            Ok(())
        } else {
            Err(say(format_args!("this version knows no networks; the classical evaluation plays on")))
        })
    }
}
