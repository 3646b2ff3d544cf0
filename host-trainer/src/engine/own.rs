//! Knightlight itself, in a thread of ours: the whole of its UCI session, with no process between.

use std::{
    fs, io,
    sync::mpsc::{self, Receiver, Sender, SyncSender, TryRecvError},
    thread,
    time::{Duration, Instant},
};

use engine_core::{
    net::{BlobError, ValueNet},
    nets,
    platform::{Platform, Received},
    search::Cluster,
    uci::{HashSizes, Message, Resources, Session, say},
};
use quantize::blob::Blob;

use super::{
    fault::{Failure, Fault},
    link::{Ear, Event, Heard, Hearing, Link},
};
use crate::stop::Stop;

/// The size of the hash table, in megabytes: when started, at least, at most.
const HASH_DEFAULT: u32 = 16;
const HASH_MIN: u32 = 1;
const HASH_MAX: u32 = 65_536;
/// A search goes as deep as its line is long, and its frames are large in a build that is not optimised.
const STACK_BYTES: usize = 16 << 20;

/// The engine in its thread, which leaves when this is dropped.
#[derive(Debug)]
pub struct Own {
    lines: Option<Sender<Vec<u8>>>,
    ear: Ear,
}

impl Own {
    /// Starts it.
    ///
    /// # Errors
    /// If there can be no further thread.
    pub fn start(stop: &Stop) -> io::Result<Own> {
        let (lines, received) = mpsc::channel();
        let (sender, ear) = Ear::new(stop);
        thread::Builder::new().name("knightlight".to_owned()).stack_size(STACK_BYTES).spawn(move || {
            let mut line = ThreadLine {
                received,
                chunk: Vec::new().into_iter(),
                closed: false,
                said: Vec::new(),
                listener: sender.clone(),
                start: Instant::now(),
            };
            Session::new(Memory::new()).run(&mut line);
            // An error means that nobody listens any more.
            let _ = sender.send(Event::Closed);
        })?;
        Ok(Own { lines: Some(lines), ear })
    }

    fn gone(&mut self) -> Failure {
        self.ear.last_words(Instant::now() + Duration::from_millis(100));
        Fault::Crash("its thread ended".to_owned()).into()
    }
}

impl Link for Own {
    fn send(&mut self, line: &str) -> Result<(), Failure> {
        self.ear.note('>', line);
        let sent = self.lines.as_ref().map(|lines| lines.send(format!("{line}\n").into_bytes()));
        if matches!(sent, Some(Ok(()))) { Ok(()) } else { Err(self.gone()) }
    }

    fn receive(&mut self, deadline: Instant) -> Result<Option<Heard>, Failure> {
        match self.ear.listen(deadline) {
            Hearing::Heard(heard) => Ok(Some(heard)),
            Hearing::Silence => Ok(None),
            Hearing::Closed => Err(self.gone()),
            Hearing::Interrupted => Err(Failure::Interrupted),
        }
    }

    fn transcript(&self) -> Vec<String> {
        self.ear.transcript()
    }
}

/// The engine's end of the line.
struct ThreadLine {
    received: Receiver<Vec<u8>>,
    chunk: std::vec::IntoIter<u8>,
    closed: bool,
    /// What has been written since the last newline.
    said: Vec<u8>,
    listener: SyncSender<Event>,
    start: Instant,
}

impl Platform for ThreadLine {
    fn read(&mut self) -> Received {
        if let Some(byte) = self.chunk.next() {
            return Received::Byte(byte);
        }
        if self.closed {
            return Received::Closed;
        }
        match self.received.try_recv() {
            Ok(chunk) => self.chunk = chunk.into_iter(),
            Err(TryRecvError::Empty) => return Received::Nothing,
            Err(TryRecvError::Disconnected) => self.closed = true,
        }
        self.read()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.said.extend_from_slice(bytes);
        while let Some(end) = self.said.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.said.drain(..=end).collect();
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            // Nobody listens any more: the end of the input is about to be seen.
            let _ = self.listener.send(Event::said(text));
        }
    }

    fn micros(&mut self) -> u64 {
        // Half a million years fit.
        self.start.elapsed().as_micros() as u64
    }

    fn idle(&mut self) {
        match self.received.recv() {
            Ok(chunk) => self.chunk = chunk.into_iter(),
            Err(_) => self.closed = true,
        }
    }
}

/// A hash table on the heap, a book from a file, and a network built in or from a file.
#[derive(Debug)]
struct Memory {
    clusters: Vec<Cluster>,
    book: Vec<u8>,
    network: Result<Option<ValueNet<'static>>, BlobError>,
}

impl Memory {
    fn new() -> Memory {
        let network = ValueNet::load(nets::DEFAULT).map(Some);
        Memory { clusters: vec![Cluster::EMPTY; clusters_in(HASH_DEFAULT)], book: Vec::new(), network }
    }
}

const fn clusters_in(megabytes: u32) -> usize {
    ((megabytes as usize) << 20) / size_of::<Cluster>()
}

impl Resources for Memory {
    fn clusters(&mut self) -> &mut [Cluster] {
        &mut self.clusters
    }

    fn hash_sizes(&self) -> HashSizes {
        let megabytes = size_of_val(self.clusters.as_slice()) >> 20;
        HashSizes { min: HASH_MIN, max: HASH_MAX, now: megabytes as u32 }
    }

    fn resize_hash(&mut self, megabytes: u32) -> Result<(), Message> {
        let mut clusters = Vec::new();
        if clusters.try_reserve_exact(clusters_in(megabytes)).is_err() {
            return Err(say(format_args!("there are no {megabytes} MB of memory")));
        }
        clusters.resize(clusters_in(megabytes), Cluster::EMPTY);
        self.clusters = clusters;
        Ok(())
    }

    fn move_overhead(&self) -> u32 {
        0
    }

    fn book(&self) -> &[u8] {
        &self.book
    }

    fn load_book(&mut self, path: &str) -> Option<Result<(), Message>> {
        let book = if path.is_empty() { Ok(Vec::new()) } else { fs::read(path) };
        Some(match book {
            Ok(book) if book.len().is_multiple_of(16) => {
                self.book = book;
                Ok(())
            }
            Ok(_) => Err(say(format_args!("'{path}' is no Polyglot book: not a number of 16-byte entries"))),
            Err(error) => Err(say(format_args!("'{path}': {error}"))),
        })
    }

    fn network(&self) -> Result<Option<ValueNet<'static>>, BlobError> {
        self.network.clone()
    }

    fn load_network(&mut self, path: &str) -> Option<Result<(), Message>> {
        if path.is_empty() {
            self.network = ValueNet::load(nets::DEFAULT).map(Some);
            return Some(Ok(()));
        }
        Some(match Blob::read(path.as_ref()) {
            Ok(blob) => {
                // It stays in memory for as long as the program runs, as a search may use it at any time.
                self.network = ValueNet::load(Box::leak(Box::new(blob)).bytes()).map(Some);
                Ok(())
            }
            Err(error) => Err(say(format_args!("{:#}", anyhow::Error::from(error)))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(own: &mut Own, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let heard = own.receive(Instant::now() + Duration::from_secs(20)).unwrap().expect("an answer");
            lines.push(heard.text);
            if lines.last().is_some_and(|line| line.starts_with(beginning)) {
                return lines;
            }
        }
    }

    #[test]
    fn it_is_the_engine_that_a_process_is() {
        let mut own = Own::start(&Stop::new()).unwrap();
        own.send("uci").unwrap();
        let hello = until(&mut own, "uciok");
        assert!(hello[0].starts_with("id name Knightlight"), "{hello:?}");
        own.send("position startpos moves e2e4").unwrap();
        own.send("go depth 2").unwrap();
        assert!(until(&mut own, "bestmove").iter().any(|line| line.contains("score cp")));
        own.send("go infinite").unwrap();
        own.send("stop").unwrap();
        until(&mut own, "bestmove");
        own.send("setoption name EvalFile value /nowhere/a.net").unwrap();
        let refused = until(&mut own, "info string EvalFile");
        assert!(refused.last().unwrap().contains("cannot read /nowhere/a.net"), "{refused:?}");
    }

    #[test]
    fn after_quit_it_is_gone() {
        let mut own = Own::start(&Stop::new()).unwrap();
        own.send("quit").unwrap();
        let failure = own.receive(Instant::now() + Duration::from_secs(20)).unwrap_err();
        assert_eq!(failure, Failure::Fault(Fault::Crash("its thread ended".to_owned())));
    }
}
