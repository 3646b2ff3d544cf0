//! The lines that a person types, without ever being deaf to Ctrl-C.

use std::{
    io::{self, BufRead},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use crate::stop::Stop;

/// How often a waiting program looks whether it should stop.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// What waiting for a line came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line, without its end.
    Line(String),
    /// There will be no more.
    Ended,
    /// Someone wants the program to stop.
    Interrupted,
}

/// Lines of a stream, read by a thread of their own.
#[derive(Debug)]
pub struct Lines {
    lines: Receiver<String>,
    stop: Stop,
}

impl Lines {
    /// The lines of standard input.
    #[must_use]
    pub fn of_stdin(stop: &Stop) -> Lines {
        Lines::of(io::BufReader::new(io::stdin()), stop)
    }

    fn of(stream: impl BufRead + Send + 'static, stop: &Stop) -> Lines {
        let (sender, lines) = mpsc::sync_channel(0);
        // Ends with the input, or with the program.
        thread::spawn(move || {
            let mut stream = stream;
            let mut line = Vec::new();
            while stream.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if sender.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Lines { lines, stop: stop.clone() }
    }

    /// Waits for the next line.
    #[must_use]
    pub fn next(&self) -> Input {
        loop {
            if self.stop.is_raised() {
                return Input::Interrupted;
            }
            match self.lines.recv_timeout(STOP_CHECK) {
                Ok(line) => return Input::Line(line),
                Err(RecvTimeoutError::Disconnected) => return Input::Ended,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn lines_come_in_order_until_the_end_or_the_wish_to_stop() {
        let stop = Stop::new();
        let lines = Lines::of(Cursor::new("e4\r\ne5\n"), &stop);
        assert_eq!(lines.next(), Input::Line("e4".to_owned()));
        stop.raise();
        assert_eq!(lines.next(), Input::Interrupted);
        let lines = Lines::of(Cursor::new(b"\xff\n last".to_vec()), &Stop::new());
        assert_eq!(lines.next(), Input::Line("\u{fffd}".to_owned()));
        assert_eq!(lines.next(), Input::Line(" last".to_owned()));
        assert_eq!(lines.next(), Input::Ended);
    }
}
