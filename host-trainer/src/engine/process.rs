//! A child process spoken to in lines. It never outlives its [`Process`].

use std::{
    io::{self, Write},
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{
    fault::{Failure, Fault},
    link::{Ear, Event, Heard, Hearing, Link, forward},
    spec::EngineSpec,
};
use crate::stop::Stop;

/// How long a child may take to leave after `quit`, or to be seen dead after its pipe closed.
const FAREWELL: Duration = Duration::from_millis(500);

/// A running child.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: ChildStdin,
    ear: Ear,
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
        let (sender, ear) = Ear::new(stop);
        let complaints = sender.clone();
        thread::spawn(move || {
            forward(output, &sender, Event::said);
            // An error means that nobody listens any more.
            let _ = sender.send(Event::Closed);
        });
        thread::spawn(move || forward(errors, &complaints, Event::Complained));
        Ok(Process { child, input, ear })
    }

    /// The child is gone: collects its last words and how it ended.
    fn crash(&mut self) -> Failure {
        let deadline = Instant::now() + FAREWELL;
        self.ear.last_words(deadline);
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
        while matches!(self.ear.listen(deadline), Hearing::Heard(_)) {}
    }
}

impl Link for Process {
    fn send(&mut self, line: &str) -> Result<(), Failure> {
        self.ear.note('>', line);
        // In one piece: two writes would wake some engines twice. It cannot block for long: a child that does not
        // read is given up long before our few lines fill its pipe.
        match self.input.write_all(format!("{line}\n").as_bytes()) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.crash()),
        }
    }

    fn receive(&mut self, deadline: Instant) -> Result<Option<Heard>, Failure> {
        match self.ear.listen(deadline) {
            Hearing::Heard(heard) => Ok(Some(heard)),
            Hearing::Silence => Ok(None),
            Hearing::Closed => Err(self.crash()),
            Hearing::Interrupted => Err(Failure::Interrupted),
        }
    }

    fn transcript(&self) -> Vec<String> {
        self.ear.transcript()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both protocols say `quit`. No use in waiting for a child that is dead or has not kept its word before.
        if !self.ear.closed && !self.ear.stop.is_raised() && self.send("quit").is_ok() {
            self.await_end();
        }
        self.kill();
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
        process.ear.closed = true;
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
        process.ear.stop.raise();
        assert_eq!(process.receive(soon()).unwrap_err(), Failure::Interrupted);
    }
}
