//! Knightlight itself, in a thread of ours: the whole of its UCI session, with no process between.

use std::{
    io,
    sync::mpsc::{self, Sender, SyncSender},
    thread,
    time::{Duration, Instant},
};

use firmware::native::{Files, Line};

use super::{
    fault::{Failure, Fault},
    link::{Ear, Event, Heard, Hearing, Link},
};
use crate::stop::Stop;

/// A thread of the same program loses no milliseconds of the clock.
const NO_OVERHEAD: u32 = 0;
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
            firmware::run(&mut Line::new(received, lines_to(sender.clone())), Files::new(NO_OVERHEAD));
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

/// Cuts what the engine writes into lines, and tells the listener of each.
fn lines_to(listener: SyncSender<Event>) -> impl FnMut(&[u8]) {
    let mut said = Vec::new();
    move |bytes| {
        said.extend_from_slice(bytes);
        while let Some(end) = said.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = said.drain(..=end).collect();
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            // Nobody listens any more: the end of the input is about to be seen.
            let _ = listener.send(Event::said(text));
        }
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
        assert!(refused.last().unwrap().contains("'/nowhere/a.net'"), "{refused:?}");
    }

    #[test]
    fn after_quit_it_is_gone() {
        let mut own = Own::start(&Stop::new()).unwrap();
        own.send("quit").unwrap();
        let failure = own.receive(Instant::now() + Duration::from_secs(20)).unwrap_err();
        assert_eq!(failure, Failure::Fault(Fault::Crash("its thread ended".to_owned())));
    }
}
