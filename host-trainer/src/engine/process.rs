//! A child process spoken to in lines, with a deadline on every wait.
//!
//! One thread a pipe reads what the child says and stamps it with the time it came, so that a busy arbiter does not
//! cost an engine its clock. The child never outlives its [`Process`].

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    thread,
    time::{Duration, Instant},
};

use super::{
    fault::{Failure, Fault},
    spec::EngineSpec,
};
use crate::stop::Stop;

/// Lines kept of what went either way, for when something goes wrong.
const TRANSCRIPT_LINES: usize = 20;
/// A longer line is cut, so that an engine gone mad cannot fill our memory.
const LINE_BYTES: u64 = 64 * 1024;
/// Lines read ahead before the child has to wait for us.
const QUEUE_LINES: usize = 4096;
/// How often a waiting thread looks whether it should stop.
const STOP_CHECK: Duration = Duration::from_millis(50);
/// How long a child may take to leave after `quit`, or to be seen dead after its pipe closed.
const FAREWELL: Duration = Duration::from_millis(500);

/// A line that the child wrote to its standard output.
#[derive(Clone, Debug)]
pub struct Heard {
    /// When it was complete.
    pub at: Instant,
    /// The line without its end.
    pub text: String,
}

enum Event {
    Said(Heard),
    Complained(String),
    Closed,
}

/// A running child.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: ChildStdin,
    events: Receiver<Event>,
    transcript: VecDeque<String>,
    /// Its output has ended: no more to be heard.
    closed: bool,
    stop: Stop,
}

impl Process {
    /// Starts the spec's command with pipes on all three of its streams.
    pub fn start(spec: &EngineSpec, stop: &Stop) -> io::Result<Process> {
        let (program, arguments) = spec.command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = &spec.dir {
            command.current_dir(dir);
        }
        // A group of its own: Ctrl-C at the terminal is for us, and a wrapper script dies with what it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);

        let mut child = command.spawn()?;
        let (Some(input), Some(output), Some(errors)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (sender, events) = mpsc::sync_channel(QUEUE_LINES);
        let complaints = sender.clone();
        thread::spawn(move || {
            forward(output, &sender, |text| Event::Said(Heard { at: Instant::now(), text }));
            // An error means that nobody listens any more.
            let _ = sender.send(Event::Closed);
        });
        thread::spawn(move || forward(errors, &complaints, Event::Complained));
        Ok(Process {
            child,
            input,
            events,
            transcript: VecDeque::with_capacity(TRANSCRIPT_LINES),
            closed: false,
            stop: stop.clone(),
        })
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) -> Result<(), Failure> {
        self.note('>', line);
        // In one piece: two writes would wake some engines twice. It cannot block for long: a child that does not
        // read is given up long before our few lines fill its pipe.
        match self.input.write_all(format!("{line}\n").as_bytes()) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.crash()),
        }
    }

    /// Waits for a line until `deadline`; `None` when it passes in silence. What came in time is heard, however late
    /// one asks.
    pub fn receive(&mut self, deadline: Instant) -> Result<Option<Heard>, Failure> {
        loop {
            if self.closed {
                return Err(self.crash());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left.min(STOP_CHECK)) {
                Ok(Event::Said(heard)) => {
                    self.note('<', &heard.text);
                    return Ok(Some(heard));
                }
                Ok(Event::Complained(text)) => self.note('!', &text),
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => self.closed = true,
                Err(RecvTimeoutError::Timeout) if self.stop.is_raised() => return Err(Failure::Interrupted),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// A line that is there already.
    pub fn pending(&mut self) -> Result<Option<Heard>, Failure> {
        self.receive(Instant::now())
    }

    /// The last lines, oldest first: `>` to the child, `<` from it, `!` from its standard error.
    pub fn transcript(&self) -> Vec<String> {
        self.transcript.iter().cloned().collect()
    }

    fn note(&mut self, direction: char, line: &str) {
        tracing::trace!(pid = self.child.id(), "{direction} {line}");
        if self.transcript.len() == TRANSCRIPT_LINES {
            self.transcript.pop_front();
        }
        self.transcript.push_back(format!("{direction} {line}"));
    }

    /// The child is gone: collects its last words and how it ended.
    fn crash(&mut self) -> Failure {
        self.closed = true;
        let deadline = Instant::now() + FAREWELL;
        while let Ok(event) = self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            match event {
                Event::Said(heard) => self.note('<', &heard.text),
                Event::Complained(text) => self.note('!', &text),
                Event::Closed => {}
            }
        }
        while Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(Some(status)) => return Fault::Crash(status.to_string()).into(),
                Ok(None) => thread::sleep(Duration::from_millis(1)),
                Err(_) => break,
            }
        }
        Fault::Crash("closed its pipe and lives on".to_owned()).into()
    }

    /// Kills the child and whatever it started.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // It may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Gives the child a moment to leave by itself once it was told to quit.
    fn await_end(&mut self) {
        let deadline = Instant::now() + FAREWELL;
        while !self.closed && self.receive(deadline).is_ok_and(|heard| heard.is_some()) {}
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both protocols say `quit`. No use in waiting for a child that is dead or has not kept its word before.
        if !self.closed && !self.stop.is_raised() && self.send("quit").is_ok() {
            self.await_end();
        }
        self.kill();
    }
}

/// Sends a pipe's lines on until it ends or nobody listens.
fn forward(pipe: impl Read, sender: &SyncSender<Event>, event: impl Fn(String) -> Event) {
    let mut pipe = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        line.clear();
        match pipe.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
        if sender.send(event(text)).is_err() {
            return;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        let spec =
            EngineSpec { command: vec!["sh".to_owned(), "-c".to_owned(), script.to_owned()], ..EngineSpec::default() };
        Process::start(&spec, &Stop::new()).unwrap()
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[test]
    fn lines_go_both_ways_whatever_their_ending() {
        let mut process = shell(r#"read a; printf "got %s\r\nand more\n" "$a""#);
        process.send("this").unwrap();
        assert_eq!(process.receive(soon()).unwrap().unwrap().text, "got this");
        assert_eq!(process.receive(soon()).unwrap().unwrap().text, "and more");
    }

    #[test]
    fn silence_ends_at_the_deadline() {
        let mut process = shell("read a");
        let heard = process.receive(Instant::now() + Duration::from_millis(20)).unwrap();
        assert!(heard.is_none());
    }

    #[test]
    fn the_last_words_of_a_crash_are_kept() {
        let mut process = shell("echo out; echo dying >&2; exit 3");
        assert_eq!(process.receive(soon()).unwrap().unwrap().text, "out");
        let failure = process.receive(soon()).unwrap_err();
        assert_eq!(failure, Failure::Fault(Fault::Crash("exit status: 3".to_owned())));
        assert!(process.transcript().contains(&"! dying".to_owned()));
    }

    #[test]
    fn a_child_that_will_not_leave_is_killed_with_its_children() {
        let mut process = shell("trap '' TERM INT; sleep 1000 & echo $!; wait; sleep 1000");
        let grandchild = process.receive(soon()).unwrap().unwrap().text;
        process.closed = true;
        drop(process);
        let alive =
            || std::fs::read_to_string(format!("/proc/{grandchild}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        let deadline = soon();
        while alive() {
            assert!(Instant::now() < deadline, "process {grandchild} lives on");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_raised_stop_ends_a_wait() {
        let mut process = shell("read a");
        process.stop.raise();
        assert_eq!(process.receive(soon()).unwrap_err(), Failure::Interrupted);
    }
}
