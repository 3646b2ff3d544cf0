//! What a machine lends the engine besides a line and a clock: memory, a book, files.

use core::fmt::{self, Write};

use crate::net::{BlobError, MoveOrder, PolicyNet, ValueNet};
use crate::search::Cluster;

use super::options::HashSizes;

/// A short text for the user.
pub type Message = heapless::String<112>;

/// A [`Message`] from format arguments; what does not fit is left out.
#[must_use]
pub fn say(text: fmt::Arguments<'_>) -> Message {
    struct Cutting<'a>(&'a mut Message);
    impl Write for Cutting<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            text.chars().try_for_each(|c| self.0.push(c)).map_err(|_| fmt::Error)
        }
    }
    let mut message = Message::new();
    // An error means that the text was cut, which is what is wanted.
    let _ = Cutting(&mut message).write_fmt(text);
    message
}

/// The processors of a machine.
pub trait Processors {
    /// How many can search at once, this one among them.
    fn count(&self) -> usize;

    /// Does `work` on this processor, and on as many others as there are, `helpers` at most, `help` with the number of each
    /// from 0. Ends when all have ended.
    fn alongside<T>(&self, helpers: usize, help: impl Fn(usize) + Sync, work: impl FnOnce() -> T) -> T;
}

/// One processor, as most microcontrollers have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Processors for Alone {
    fn count(&self) -> usize {
        1
    }

    fn alongside<T>(&self, _helpers: usize, _help: impl Fn(usize) + Sync, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// Memory for the hash table, an opening book, and where there are files, ways to load them.
pub trait Resources {
    /// The memory of the hash table.
    fn clusters(&self) -> &[Cluster];

    /// The sizes that `Hash` may be set to. Where memory is fixed, all are the same, and at least 1 megabyte, which is
    /// what the protocol can say.
    fn hash_sizes(&self) -> HashSizes;

    /// Changes the size of the hash table, which forgets what it knew.
    ///
    /// # Errors
    /// If there is no such memory. The table then has the size it had.
    fn resize_hash(&mut self, megabytes: u32) -> Result<(), Message>;

    /// What searches.
    fn processors(&self) -> &impl Processors {
        &Alone
    }

    /// The milliseconds of the clock that a move may lose on the way between the chess program and the engine, unless
    /// the option `Move Overhead` says otherwise.
    fn move_overhead(&self) -> u32;

    /// The bytes of a Polyglot book; empty for none.
    fn book(&self) -> &[u8];

    /// Loads a book; an empty path unloads it. `None` if this machine has no files.
    fn load_book(&mut self, path: &str) -> Option<Result<(), Message>> {
        let _ = path;
        None
    }

    /// The network that judges positions; `None` if there is none, and the hand-written evaluation has to do.
    ///
    /// # Errors
    /// If there is one that cannot be used.
    fn network(&self) -> Result<Option<ValueNet<'static>>, BlobError>;

    /// Loads a network; an empty path goes back to the built-in one. `None` if this machine has no files. If it cannot
    /// be loaded, the network stays what it was.
    fn load_network(&mut self, path: &str) -> Option<Result<(), Message>> {
        let _ = path;
        None
    }

    /// The network that chooses moves in the mode `Policy`; `None` if there is none.
    ///
    /// # Errors
    /// If there is one that cannot be used.
    fn policy(&self) -> Result<Option<PolicyNet<'static>>, BlobError> {
        Ok(None)
    }

    /// Loads a policy net; an empty path goes back to the built-in one, if any. `None` if this machine has no files. If
    /// it cannot be loaded, the policy net stays what it was.
    fn load_policy(&mut self, path: &str) -> Option<Result<(), Message>> {
        let _ = path;
        None
    }

    /// The model that orders moves; `None` if there is none.
    fn move_order(&self) -> Option<MoveOrder<'static>> {
        None
    }

    /// Loads a model that orders moves; an empty path unloads it. `None` if this machine has no files. If it cannot be
    /// loaded, the order stays what it was.
    fn load_move_order(&mut self, path: &str) -> Option<Result<(), Message>> {
        let _ = path;
        None
    }
}

/// What a serial line loses a move: at 115,200 baud the last `info` and `bestmove` take 20 milliseconds, and a
/// USB bridge as much again.
const SERIAL_OVERHEAD: u32 = 50;

/// The resources of a machine without files: memory that was set aside, and perhaps a book and a network in flash.
#[derive(Debug)]
pub struct FixedResources<'a, P = Alone> {
    clusters: &'a [Cluster],
    book: &'a [u8],
    network: Result<Option<ValueNet<'static>>, BlobError>,
    policy: Result<Option<PolicyNet<'static>>, BlobError>,
    processors: P,
}

impl<'a> FixedResources<'a> {
    /// This memory, with no book and no network of either kind, and one processor.
    #[must_use]
    pub const fn new(clusters: &'a [Cluster]) -> Self {
        Self { clusters, book: &[], network: Ok(None), policy: Ok(None), processors: Alone }
    }

    /// Searches with these processors.
    #[must_use]
    pub fn with_processors<P: Processors>(self, processors: P) -> FixedResources<'a, P> {
        let Self { clusters, book, network, policy, processors: Alone } = self;
        FixedResources { clusters, book, network, policy, processors }
    }
}

impl<'a, P> FixedResources<'a, P> {
    /// Adds a Polyglot book.
    #[must_use]
    pub const fn with_book(mut self, book: &'a [u8]) -> Self {
        self.book = book;
        self
    }

    /// Adds the network in a blob, which must begin at an address that is a multiple of four. One that cannot be used is
    /// told of, and the hand-written evaluation plays.
    #[must_use]
    pub fn with_network(mut self, blob: &'static [u8]) -> Self {
        self.network = ValueNet::load(blob).map(Some);
        self
    }

    /// Adds the policy net in a blob, which must begin at an address that is a multiple of four. One that cannot be used
    /// is told of, and the search plays.
    #[must_use]
    pub fn with_policy(mut self, blob: &'static [u8]) -> Self {
        self.policy = PolicyNet::load(blob).map(Some);
        self
    }
}

impl<P: Processors> Resources for FixedResources<'_, P> {
    fn processors(&self) -> &impl Processors {
        &self.processors
    }

    fn clusters(&self) -> &[Cluster] {
        self.clusters
    }

    fn hash_sizes(&self) -> HashSizes {
        let megabytes = (size_of_val(self.clusters) >> 20).max(1) as u32;
        HashSizes { min: megabytes, max: megabytes, now: megabytes }
    }

    fn resize_hash(&mut self, _: u32) -> Result<(), Message> {
        Err(say(format_args!("the hash table has {} KB here, and no more", size_of_val(self.clusters) >> 10)))
    }

    fn move_overhead(&self) -> u32 {
        SERIAL_OVERHEAD
    }

    fn book(&self) -> &[u8] {
        self.book
    }

    fn network(&self) -> Result<Option<ValueNet<'static>>, BlobError> {
        self.network.clone()
    }

    fn policy(&self) -> Result<Option<PolicyNet<'static>>, BlobError> {
        self.policy.clone()
    }
}
