//! A UCI client: talks to a program, native or in an emulator, over its standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::program::program;

/// A program that speaks UCI. It is killed when dropped.
#[derive(Debug)]
pub struct Client {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// How long an answer may take.
    patience: Duration,
}

impl Client {
    /// Starts a program.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(command: &mut Command, patience: Duration) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?);
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line.trim_end().to_owned()).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, input, lines, patience })
    }

    /// The native engine, built if need be.
    ///
    /// # Errors
    /// If it does not build or start.
    pub fn native() -> Result<Self> {
        Self::start(&mut Command::new(program("knightlight")?), Duration::from_secs(60))
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// If the program does not take them.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.input.write_all(bytes)?;
        Ok(self.input.flush()?)
    }

    /// Sends a line.
    ///
    /// # Errors
    /// If the program does not take it.
    pub fn send(&mut self, line: &str) -> Result<()> {
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    /// The next line; `None` when the program has closed its output.
    ///
    /// # Errors
    /// If none comes in time.
    pub fn line(&mut self) -> Result<Option<String>> {
        match self.lines.recv_timeout(self.patience) {
            Ok(line) => Ok(Some(line)),
            Err(mpsc::RecvTimeoutError::Disconnected) => Ok(None),
            Err(mpsc::RecvTimeoutError::Timeout) => bail!("no line in {:?}", self.patience),
        }
    }

    /// Reads up to the line that begins with `beginning`, and gives all of them.
    ///
    /// # Errors
    /// If it does not come in time, or the program leaves.
    pub fn until(&mut self, beginning: &str) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        loop {
            match self.line().with_context(|| format!("waiting for '{beginning}' after {lines:?}"))? {
                Some(line) => lines.push(line),
                None => bail!("the program left instead of saying '{beginning}', after {lines:?}"),
            }
            if lines.last().is_some_and(|line| line.starts_with(beginning)) {
                return Ok(lines);
            }
        }
    }

    /// Sends a line and reads up to the answer.
    ///
    /// # Errors
    /// As [`send`](Self::send) and [`until`](Self::until).
    pub fn ask(&mut self, line: &str, answer: &str) -> Result<Vec<String>> {
        self.send(line)?;
        self.until(answer)
    }

    /// Searches; gives the lines up to `bestmove`.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn go(&mut self, position: &str, go: &str) -> Result<Vec<String>> {
        self.send(position)?;
        self.ask(go, "bestmove")
    }

    /// Waits until the program has left by itself.
    ///
    /// # Errors
    /// If it does not leave in time, or not well.
    pub fn wait(mut self) -> Result<()> {
        let deadline = Instant::now() + self.patience;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                return if status.success() { Ok(()) } else { bail!("the program left with {status}") };
            }
            thread::sleep(Duration::from_millis(5));
        }
        bail!("the program did not leave in {:?}", self.patience)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have left already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The value after a word of a line such as `info depth 3 nodes 121`.
#[must_use]
pub fn value<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let mut words = line.split_ascii_whitespace();
    words.find(|&found| found == word)?;
    words.next()
}

/// The lines of a search without what depends on time.
#[must_use]
pub fn timeless(lines: &[String]) -> Vec<String> {
    let timed = ["nps", "time"];
    let strip = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        let kept = words.iter().enumerate().filter(|&(index, word)| {
            !timed.contains(word) && index.checked_sub(1).is_none_or(|before| !timed.contains(&words[before]))
        });
        kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    };
    lines.iter().map(strip).collect()
}
