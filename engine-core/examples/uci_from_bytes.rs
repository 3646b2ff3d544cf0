//! A UCI session driven from bytes: what a board's firmware does, with a text in the place of a serial port.
//!
//!     cargo run -p engine-core --example uci_from_bytes

use std::io::Write;
use std::time::Instant;

use engine_core::nets;
use engine_core::platform::{Platform, Received};
use engine_core::search::Cluster;
use engine_core::uci::{FixedResources, Session};

/// A line on which the next command comes when the engine has nothing left to do.
struct Wire {
    commands: std::slice::Iter<'static, &'static str>,
    command: std::str::Bytes<'static>,
    start: Instant,
}

impl Platform for Wire {
    fn read(&mut self) -> Received {
        match self.command.next() {
            Some(byte) => Received::Byte(byte),
            None if self.commands.len() == 0 => Received::Closed,
            None => Received::Nothing,
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        // A line that nobody reads loses what is said on it.
        let _ = std::io::stdout().write_all(bytes);
    }

    fn micros(&mut self) -> u64 {
        self.start.elapsed().as_micros() as u64
    }

    fn idle(&mut self) {
        // A chip would sleep here until its serial port interrupts.
        self.command = self.commands.next().map_or("", |command| command).bytes();
    }
}

fn main() {
    const COMMANDS: [&str; 4] = ["uci\n", "position startpos moves e2e4 e7e5\n", "go depth 6\n", "quit\n"];
    let memory = vec![Cluster::new(); 4_096];
    let resources = FixedResources::new(&memory).with_network(nets::DEFAULT);
    let mut wire = Wire { commands: COMMANDS.iter(), command: "".bytes(), start: Instant::now() };
    Session::new(resources).run(&mut wire);
}
