//! The engine in this process with the memory of a board, which a board is held to where the native program has no
//! option for it: its hash table counts in megabytes.

use engine_core::nets;
use engine_core::platform::{Platform, Received};
use engine_core::search::Cluster;
use engine_core::uci::{FixedResources, Session};

/// A session that a board's must equal, but for what depends on time.
#[derive(Debug)]
pub struct Twin(Session<FixedResources<'static>>);

impl Twin {
    /// A session with a hash table of this many bytes, which stay in memory as long as the test runs.
    #[must_use]
    pub fn new(hash_bytes: usize) -> Self {
        let clusters = vec![Cluster::new(); hash_bytes / size_of::<Cluster>()].leak();
        Self(Session::new(FixedResources::new(clusters).with_network(nets::DEFAULT).with_policy(nets::POLICY_64)))
    }

    /// Says lines to it, and gives those that it answers with, once it has nothing more to do.
    pub fn say(&mut self, lines: &[&str]) -> Vec<String> {
        let mut script = Script { said: (lines.join("\n") + "\n").into_bytes().into_iter(), answered: Vec::new() };
        self.0.run(&mut script);
        String::from_utf8_lossy(&script.answered).lines().map(str::to_owned).collect()
    }
}

/// A line that says what is written down, and closes.
struct Script {
    said: std::vec::IntoIter<u8>,
    answered: Vec<u8>,
}

impl Platform for Script {
    fn read(&mut self) -> Received {
        self.said.next().map_or(Received::Closed, Received::Byte)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.answered.extend_from_slice(bytes);
    }

    fn micros(&mut self) -> u64 {
        0
    }

    fn idle(&mut self) {}
}
