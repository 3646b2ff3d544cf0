//! Any bytes on the line: a session must live through them. (Under a fuzzer its searches are cut short.)
#![no_main]

use engine_core::platform::{Platform, Received};
use engine_core::search::Cluster;
use engine_core::uci::{FixedResources, Session};
use libfuzzer_sys::fuzz_target;

struct Line<'a> {
    input: &'a [u8],
    micros: u64,
}

impl Platform for Line<'_> {
    fn read(&mut self) -> Received {
        let Some((&byte, rest)) = self.input.split_first() else { return Received::Closed };
        self.input = rest;
        Received::Byte(byte)
    }

    fn write(&mut self, bytes: &[u8]) {
        assert!(str::from_utf8(bytes).is_ok_and(|text| text.chars().all(|c| c == '\n' || !c.is_control())));
    }

    fn micros(&mut self) -> u64 {
        self.micros += 50;
        self.micros
    }

    fn idle(&mut self) {}
}

fuzz_target!(|input: &[u8]| {
    let clusters = [const { Cluster::new() }; 64];
    Session::new(FixedResources::new(&clusters)).run(&mut Line { input, micros: 0 });
});
