//! An engine at the other end of a serial line: a board on the desk, or an emulated one behind a pseudo-terminal.

use std::{
    io::{self, Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use serialport::SerialPort;

use super::{
    fault::{Failure, Fault},
    link::{Ear, Event, Heard, Hearing, Link, forward},
};
use crate::stop::Stop;

/// How often a thread that waits for the port looks whether it should leave.
const PORT_CHECK: Duration = Duration::from_millis(100);
/// How long a board may refuse to take bytes before it is given up.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);
/// How often a board that does not answer is asked again: opening the port restarts some, and what comes meanwhile is
/// lost.
const KNOCK: Duration = Duration::from_millis(500);

/// An open serial port with a UCI engine behind it.
#[derive(Debug)]
pub struct Serial {
    path: String,
    port: Box<dyn SerialPort>,
    ear: Ear,
    hung_up: Arc<AtomicBool>,
}

impl Serial {
    /// Opens a port (eight bits, no parity, one stop bit, no flow control) and waits for a sign of life.
    ///
    /// # Errors
    /// If the port cannot be opened, or nothing behind it answers `isready` within `patience`.
    pub fn open(path: &str, baud: u32, patience: Duration, stop: &Stop) -> anyhow::Result<Serial> {
        let port = serialport::new(path, baud).timeout(PORT_CHECK).open().with_context(|| {
            format!("cannot open the serial port {path} (is it there, may you use it, does another program hold it?)")
        })?;
        let hung_up = Arc::new(AtomicBool::new(false));
        let (sender, ear) = Ear::new(stop);
        let listening = Listening { port: port.try_clone().context(path.to_owned())?, hung_up: Arc::clone(&hung_up) };
        thread::spawn(move || {
            forward(listening, &sender, Event::said);
            // An error means that nobody listens any more.
            let _ = sender.send(Event::Closed);
        });
        let mut serial = Serial { path: path.to_owned(), port, ear, hung_up };
        serial.wake(patience).with_context(|| format!("{path} at {baud} baud"))?;
        Ok(serial)
    }

    /// Asks until there is an answer. A line that someone left half written is ended first, and a search is stopped.
    fn wake(&mut self, patience: Duration) -> anyhow::Result<()> {
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            self.send("\nstop\nisready")?;
            let knock = Instant::now() + KNOCK;
            while let Some(heard) = self.receive(knock)? {
                if heard.text.trim() == "readyok" {
                    return Ok(());
                }
            }
        }
        bail!(
            "nothing there answers `isready` within {} s: is the board's firmware running, and the rate right?",
            patience.as_secs_f64()
        )
    }

    fn gone(&mut self) -> Failure {
        self.ear.last_words(Instant::now() + PORT_CHECK);
        Fault::Crash(format!("the line {} was closed", self.path)).into()
    }
}

impl Link for Serial {
    fn send(&mut self, line: &str) -> Result<(), Failure> {
        self.ear.note('>', line);
        let mut writer = Persistent { port: self.port.as_mut(), deadline: Instant::now() + WRITE_PATIENCE };
        let sent = writer.write_all(format!("{line}\n").as_bytes());
        sent.map_err(|_| self.gone())
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

impl Drop for Serial {
    fn drop(&mut self) {
        // A board is left running, but not thinking: `quit` would restart it.
        let _ = self.send("stop");
        self.hung_up.store(true, Ordering::Relaxed);
    }
}

/// The reading end: waits as long as it takes, until the port is hung up.
struct Listening {
    port: Box<dyn SerialPort>,
    hung_up: Arc<AtomicBool>,
}

impl Read for Listening {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.port.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut && !self.hung_up.load(Ordering::Relaxed) => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut => return Ok(0),
                read => return read,
            }
        }
    }
}

/// The writing end: a board that thinks may be slow to take bytes.
struct Persistent<'a> {
    port: &'a mut dyn SerialPort,
    deadline: Instant,
}

impl Write for Persistent<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.port.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut && Instant::now() < self.deadline => {}
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{BufRead, BufReader};

    use serialport::TTYPort;

    use super::*;

    /// A board that begins to listen when it is asked for the third time.
    fn sleepy_board(master: TTYPort) -> thread::JoinHandle<()> {
        thread::spawn(move || {
            let mut answers = master.try_clone_native().unwrap();
            let mut asked = 0;
            for line in BufReader::new(master).lines().map_while(Result::ok) {
                match line.as_str() {
                    "isready" => {
                        asked += 1;
                        if asked >= 3 {
                            answers.write_all(b"noise\r\nreadyok\r\n").unwrap();
                        }
                    }
                    "ping" => answers.write_all(b"pong\r\n").unwrap(),
                    "quit" => return,
                    _ => {}
                }
            }
        })
    }

    #[test]
    fn a_board_that_wakes_late_is_heard() {
        let (mut master, slave) = TTYPort::pair().unwrap();
        master.set_timeout(Duration::from_secs(20)).unwrap();
        let path = slave.name().unwrap();
        let board = sleepy_board(master);
        let mut serial = Serial::open(&path, 115_200, Duration::from_secs(10), &Stop::new()).unwrap();
        serial.send("ping").unwrap();
        let heard = serial.receive(Instant::now() + Duration::from_secs(10)).unwrap();
        assert_eq!(heard.unwrap().text, "pong");
        serial.send("quit").unwrap();
        board.join().unwrap();
        assert!(serial.receive(Instant::now() + Duration::from_secs(10)).is_err(), "the board is gone");
    }

    #[test]
    fn what_is_no_port_or_does_not_answer_is_said() {
        let fault = |path: &str| {
            let error = Serial::open(path, 115_200, Duration::from_millis(50), &Stop::new()).unwrap_err();
            format!("{error:#}")
        };
        assert!(fault("/nowhere/tty").starts_with("cannot open the serial port /nowhere/tty"));
        let (_master, slave) = TTYPort::pair().unwrap();
        let path = slave.name().unwrap();
        assert!(fault(&path).contains("nothing there answers `isready`"), "{}", fault(&path));
    }
}
