//! A cable between a program and a board's serial port that can be pulled and put back, and counts what passes.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serialport::TTYPort;

/// How often a waiting thread looks whether there is something to carry, or nobody to carry it to any more.
const LOOK: Duration = Duration::from_millis(2);

/// A cable. While it is in, the program finds a port under [`path`](Self::path).
#[derive(Debug)]
pub struct Cable {
    path: PathBuf,
    board: TTYPort,
    ends: Arc<Ends>,
    from_program: Option<JoinHandle<()>>,
}

/// What the threads share.
#[derive(Debug, Default)]
struct Ends {
    /// The program's end, while the cable is in. What the board says at other times is lost.
    program: Mutex<Option<File>>,
    is_in: AtomicBool,
    to_board: AtomicU64,
    to_program: AtomicU64,
    /// Of so many bytes one is lost, in either direction; 0 for none.
    loses: AtomicU64,
}

impl Cable {
    /// A cable to a board's port, put in.
    ///
    /// # Errors
    /// If the board's port cannot be opened, or there are no pseudo-terminals.
    pub fn new(board: &str, path: &Path) -> Result<Self> {
        let open = || serialport::new(board, 115_200).timeout(LOOK).open_native();
        let board = open().with_context(|| board.to_owned())?;
        let ends = Arc::new(Ends::default());
        let (listening, shared) = (board.try_clone_native()?, Arc::clone(&ends));
        thread::spawn(move || carry_to_program(listening, &shared));
        let mut cable = Self { path: path.to_owned(), board, ends, from_program: None };
        cable.put_in()?;
        Ok(cable)
    }

    /// What the program's end is called.
    #[must_use]
    pub fn path(&self) -> &str {
        self.path.to_str().unwrap_or_default()
    }

    /// The bytes that have passed: to the board, and to the program.
    #[must_use]
    pub fn passed(&self) -> (u64, u64) {
        (self.ends.to_board.load(Ordering::SeqCst), self.ends.to_program.load(Ordering::SeqCst))
    }

    /// From now on, of so many bytes one is lost in either direction.
    pub fn lose_one_of(&self, bytes: u64) {
        self.ends.loses.store(bytes, Ordering::SeqCst);
    }

    /// Pulls the cable, if it is in: the program's port is gone.
    ///
    /// # Panics
    /// If a thread that carried bytes did.
    pub fn pull(&mut self) {
        let Some(thread) = self.from_program.take() else { return };
        // Whoever looks for the port while this one goes must not find it.
        let _ = fs::remove_file(&self.path);
        self.ends.is_in.store(false, Ordering::SeqCst);
        thread.join().expect("bytes were carried without a panic");
        *self.ends.program.lock().expect("nobody panicked") = None;
    }

    /// Puts it back.
    ///
    /// # Errors
    /// If there are no pseudo-terminals.
    ///
    /// # Panics
    /// If a thread that carried bytes did.
    pub fn put_in(&mut self) -> Result<()> {
        // Not one of the serial port's own pairs: a program that is started later would inherit it, and never see it go.
        let end = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&end)?;
        unlockpt(&end)?;
        fcntl_setfl(&end, OFlags::RDWR | OFlags::NONBLOCK)?;
        let port = ptsname(&end, Vec::new())?.into_string()?;
        let end = File::from(end);
        self.ends.is_in.store(true, Ordering::SeqCst);
        *self.ends.program.lock().expect("nobody panicked") = Some(end.try_clone()?);
        let (board, shared) = (self.board.try_clone_native()?, Arc::clone(&self.ends));
        self.from_program = Some(thread::spawn(move || carry_to_board(end, board, &shared)));
        symlink(port, &self.path)?;
        Ok(())
    }
}

impl Ends {
    /// Counts bytes, and gives those that are not lost.
    fn kept(&self, bytes: &[u8], counter: &AtomicU64) -> Vec<u8> {
        let loses = self.loses.load(Ordering::SeqCst);
        let before = counter.fetch_add(bytes.len() as u64, Ordering::SeqCst);
        let numbered = (before + 1..).zip(bytes);
        numbered.filter(|(number, _)| loses == 0 || number % loses != 0).map(|(_, &byte)| byte).collect()
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.pull();
    }
}

/// Carries what the program says, while the cable is in.
fn carry_to_board(mut program: File, mut board: TTYPort, ends: &Ends) {
    let mut buffer = [0; 4_096];
    while ends.is_in.load(Ordering::SeqCst) {
        match program.read(&mut buffer) {
            Ok(count) => {
                let kept = ends.kept(&buffer[..count], &ends.to_board);
                write_while(&mut board, &kept, || ends.is_in.load(Ordering::SeqCst));
            }
            // It says nothing, or has not opened its port, or has closed it.
            Err(_) => thread::sleep(LOOK),
        }
    }
}

/// Carries what the board says, for as long as there is one.
fn carry_to_program(mut board: TTYPort, ends: &Ends) {
    let mut buffer = [0; 4_096];
    loop {
        match board.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                if let Some(program) = ends.program.lock().expect("nobody panicked").as_mut() {
                    let kept = ends.kept(&buffer[..count], &ends.to_program);
                    write_while(program, &kept, || ends.is_in.load(Ordering::SeqCst));
                }
            }
            Err(error) if error.kind() == ErrorKind::TimedOut => {}
            Err(_) => return,
        }
    }
}

/// Writes all, however long the other side takes, while there is somebody to write to.
fn write_while(port: &mut impl Write, mut bytes: &[u8], goes_on: impl Fn() -> bool) {
    while !bytes.is_empty() && goes_on() {
        match port.write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == ErrorKind::TimedOut => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(LOOK),
            Err(_) => return,
        }
    }
}
