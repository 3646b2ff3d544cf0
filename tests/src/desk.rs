//! An emulated board whose serial port is a pseudo-terminal, as one on the desk is a device.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// A running emulator. It is killed when dropped.
#[derive(Debug)]
pub struct Desk {
    emulator: Child,
    port: String,
}

impl Desk {
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
