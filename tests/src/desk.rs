//! An emulated board whose serial port is a pseudo-terminal, as one on the desk is a device.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::emulator::Emulator;

/// A running emulator. It is killed when dropped.
#[derive(Debug)]
pub struct Desk {
    emulator: Child,
    port: String,
}

impl Desk {
    /// The emulated board that keeps networks in flash. As a real one does, it starts anew when it is told to quit. `more`
    /// are arguments for QEMU.
    ///
    /// # Errors
    /// As [`start`](Self::start), and if the board has not been built.
    pub fn with<S: AsRef<OsStr>>(more: &[S]) -> Result<Self> {
        let emulator = Emulator::of("qemu-mps2-an386")?.restarting();
        Self::start(emulator.command("pty").args(more))
    }

    /// Starts an emulator, QEMU with `-serial pty`.
    ///
    /// # Errors
    /// If it does not start, or does not say what its port is called.
    pub fn start(emulator: &mut Command) -> Result<Self> {
        let mut emulator = emulator.stdout(Stdio::piped()).spawn().context("cannot start QEMU")?;
        let said = BufReader::new(emulator.stdout.take().context("no standard output")?);
        let mut desk = Self { emulator, port: String::new() };
        // char device redirected to /dev/pts/3 (label serial0)
        for line in said.lines() {
            if let Some(port) = line?.split_ascii_whitespace().find(|word| word.starts_with("/dev/")) {
                desk.port = port.to_owned();
                return Ok(desk);
            }
        }
        bail!("QEMU does not say which pseudo-terminal the serial port is")
    }

    /// The path of the board's serial port.
    #[must_use]
    pub fn port(&self) -> &str {
        &self.port
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // It may have left already.
        let _ = self.emulator.kill();
        let _ = self.emulator.wait();
    }
}
