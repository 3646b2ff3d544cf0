//! Memory and files of a desktop.

use std::fs;
use std::num::NonZero;
use std::thread;

use engine_core::net::{BlobError, MoveOrder, PolicyNet, ValueNet};
use engine_core::nets;
use engine_core::search::MAX_HELPERS;
use engine_core::uci::{HashSizes, Message, Processors, say};

use crate::{Cluster, Resources};

/// The size of the hash table, in megabytes: when started, at least, at most.
const HASH_DEFAULT: u32 = 16;
const HASH_MIN: u32 = 1;
const HASH_MAX: u32 = 65_536;

/// A hash table on the heap, networks built in or from files, and perhaps a book and an order of moves from files.
#[derive(Debug)]
pub struct Files {
    clusters: Vec<Cluster>,
    book: Vec<u8>,
    network: Result<Option<ValueNet<'static>>, BlobError>,
    policy: Result<Option<PolicyNet<'static>>, BlobError>,
    move_order: Option<MoveOrder<'static>>,
    move_overhead: u32,
}

impl Files {
    /// What there is at the start, for a line that loses so many milliseconds a move.
    #[must_use]
    pub fn new(move_overhead: u32) -> Self {
        Self {
            clusters: vec![Cluster::new(); clusters_in(HASH_DEFAULT)],
            book: Vec::new(),
            network: built_in(),
            policy: built_in_policy(),
            move_order: None,
            move_overhead,
        }
    }
}

/// As many threads as run at once.
struct Threads;

impl Processors for Threads {
    fn count(&self) -> usize {
        thread::available_parallelism().map_or(1, NonZero::get).min(1 + MAX_HELPERS)
    }

    fn alongside<T>(&self, helpers: usize, help: impl Fn(usize) + Sync, work: impl FnOnce() -> T) -> T {
        let help = &help;
        thread::scope(|scope| {
            for number in 0..helpers {
                // Where the system gives no thread there is one helper less.
                let _ = thread::Builder::new().spawn_scoped(scope, move || help(number));
            }
            work()
        })
    }
}

/// The network that comes with the program.
#[cfg(not(feature = "eval-file"))]
pub(super) static NETWORK: &[u8] = nets::DEFAULT;
#[cfg(feature = "eval-file")]
pub(super) static NETWORK: &[u8] = {
    static FILE: &nets::Aligned<[u8]> = &nets::Aligned(*include_bytes!(env!("KNIGHTLIGHT_EVALFILE")));
    &FILE.0
};

fn built_in() -> Result<Option<ValueNet<'static>>, BlobError> {
    ValueNet::load(NETWORK).map(Some)
}

/// The policy net that comes with the program.
fn built_in_policy() -> Result<Option<PolicyNet<'static>>, BlobError> {
    PolicyNet::load(nets::POLICY_64).map(Some)
}

const fn clusters_in(megabytes: u32) -> usize {
    ((megabytes as usize) << 20) / size_of::<Cluster>()
}

/// The network in a file. It stays in memory for as long as the program runs, as a search may use it at any time.
fn read<N>(
    path: &str,
    check: impl Fn(&[u8]) -> Result<(), BlobError>,
    load: impl Fn(&'static [u8]) -> Result<N, BlobError>,
) -> Result<N, Message> {
    let shown = path.escape_debug();
    let bytes = fs::read(path).map_err(|error| say(format_args!("'{shown}': {error}")))?;
    let mut words = vec![0u64; bytes.len().div_ceil(size_of::<u64>())];
    bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(&bytes);
    check(&bytemuck::cast_slice(&words)[..bytes.len()])
        .and_then(|()| load(&bytemuck::cast_slice(words.leak())[..bytes.len()]))
        .map_err(|error| say(format_args!("'{shown}': {error}")))
}

impl Resources for Files {
    fn clusters(&self) -> &[Cluster] {
        &self.clusters
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
        self.clusters.resize(clusters_in(given), Cluster::new());
        if enough { Ok(()) } else { Err(say(format_args!("there are no {megabytes} MB of memory; it has {given} MB"))) }
    }

    fn processors(&self) -> &impl Processors {
        &Threads
    }

    fn move_overhead(&self) -> u32 {
        self.move_overhead
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

    fn network(&self) -> Result<Option<ValueNet<'static>>, BlobError> {
        self.network.clone()
    }

    fn load_network(&mut self, path: &str) -> Option<Result<(), Message>> {
        if path.is_empty() {
            self.network = built_in();
            return Some(Ok(()));
        }
        let loaded = read(path, |blob| ValueNet::load(blob).map(drop), ValueNet::load);
        Some(loaded.map(|network| self.network = Ok(Some(network))))
    }

    fn policy(&self) -> Result<Option<PolicyNet<'static>>, BlobError> {
        self.policy.clone()
    }

    fn load_policy(&mut self, path: &str) -> Option<Result<(), Message>> {
        if path.is_empty() {
            self.policy = built_in_policy();
            return Some(Ok(()));
        }
        let loaded = read(path, |blob| PolicyNet::load(blob).map(drop), PolicyNet::load);
        Some(loaded.map(|policy| self.policy = Ok(Some(policy))))
    }

    fn move_order(&self) -> Option<MoveOrder<'static>> {
        self.move_order
    }

    fn load_move_order(&mut self, path: &str) -> Option<Result<(), Message>> {
        if path.is_empty() {
            self.move_order = None;
            return Some(Ok(()));
        }
        let loaded = read(path, |blob| MoveOrder::load(blob).map(drop), MoveOrder::load);
        Some(loaded.map(|model| self.move_order = Some(model)))
    }
}
