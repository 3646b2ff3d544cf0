//! Sends a board a network, which it keeps and plays with from then on.

use std::{
    fs,
    io::{ErrorKind, Read, Write},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use engine_core::net::{
    BlobError,
    blob::{self, PREFIX},
};
use firmware::flash::{CHUNK, COMMAND, Frames, Reply, Request, encode};
use indicatif::{ProgressBar, ProgressStyle};
use serialport::SerialPort;

use crate::{line, ports::Target};

/// How long a board may take to answer `isready`: it may have to start, and to end a search or an old transfer first.
const PATIENCE: Duration = Duration::from_secs(15);
/// How often it is asked meanwhile.
const KNOCK: Duration = Duration::from_millis(500);
/// How long a line is silent when nothing old is on it any more.
const QUIET: Duration = Duration::from_millis(200);
/// How long a part may take there and back; then it is sent again.
const ROUND: Duration = Duration::from_secs(1);
/// How long a chip may take to erase its flash, or to look through a whole network.
const LONG_ROUND: Duration = Duration::from_secs(20);
/// How often a request is sent before the board is given up.
const TRIES: usize = 8;

/// Sends a file to the board on a port, and sees to it that the board plays with it.
pub(crate) fn flash_net(file: &Path, target: Target, baud: u32) -> Result<()> {
    let shown = file.display();
    let blob = fs::read(file).with_context(|| shown.to_string())?;
    let prefix =
        *blob.first_chunk::<PREFIX>().ok_or(BlobError::Short(blob.len())).with_context(|| shown.to_string())?;

    let mut wire = Wire::open(target, baud)?;
    wire.wake()?;
    let room = wire.begin()?;
    println!(
        "sending {shown}, {} bytes, to the board on {}, which has room for {room}",
        blob.len(),
        wire.target.name()
    );
    wire.transfer(&blob, prefix)?;
    wire.tell(&Request::Leave)?;

    println!("the board has checked and kept it, and starts anew");
    let (header, _) = blob::open(&blob).context("the board takes what this program does not")?;
    let wanted = format!("info string network '{}'", header.name.escape_debug());
    let said = wire.network()?;
    ensure!(said.starts_with(&wanted), "the board plays with something else: {said}");
    println!("the board says: {said}");
    Ok(())
}

/// The line to a board, in text and in frames.
struct Wire {
    target: Target,
    baud: u32,
    port: Box<dyn SerialPort>,
    frames: Frames,
}

impl Wire {
    fn open(target: Target, baud: u32) -> Result<Self> {
        let port = line::open(target.name(), baud)?;
        Ok(Self { target, baud, port, frames: Frames::default() })
    }

    /// Opens the port again, if it is there. A board that has its own USB port takes it along when it starts anew.
    fn reopen(&mut self) {
        self.target.follow();
        if let Ok(port) = line::open(self.target.name(), self.baud) {
            self.port = port;
        }
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !bytes.is_empty() {
            match self.port.write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == ErrorKind::TimedOut && Instant::now() < deadline => {}
                Err(error) => return Err(error).with_context(|| format!("the line {}", self.target.name())),
            }
        }
        Ok(())
    }

    /// What has come, once something has; nothing if nothing comes in time.
    fn read(&mut self, deadline: Instant) -> Result<Vec<u8>> {
        let mut buffer = [0; 1_024];
        while Instant::now() < deadline {
            match self.port.read(&mut buffer) {
                Ok(count @ 1..) => return Ok(buffer[..count].to_vec()),
                Ok(_) => bail!("the line {} was closed", self.target.name()),
                Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                Err(error) => return Err(error).with_context(|| format!("the line {}", self.target.name())),
            }
        }
        Ok(Vec::new())
    }

    /// Reads text until it holds a whole line that begins like this; gives the line.
    fn line(&mut self, beginning: &str, deadline: Instant) -> Result<Option<String>> {
        let mut text = Vec::new();
        loop {
            let more = self.read(deadline)?;
            if more.is_empty() {
                return Ok(None);
            }
            text.extend(more);
            let (whole, _) = text.split_at(text.iter().rposition(|&byte| byte == b'\n').unwrap_or_default());
            let whole = String::from_utf8_lossy(whole);
            if let Some(found) = whole.lines().find(|line| line.starts_with(beginning)) {
                return Ok(Some(found.trim_end().to_owned()));
            }
        }
    }

    /// Asks the board whether it is there until it answers, and waits until nothing old is on the line any more. The port
    /// may go and come back meanwhile.
    fn wake(&mut self) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let knocked = self.write(b"\nstop\nisready\n").and_then(|()| self.line("readyok", Instant::now() + KNOCK));
            match knocked {
                Ok(Some(_)) => {
                    while !self.read(Instant::now() + QUIET)?.is_empty() {}
                    return Ok(());
                }
                Ok(None) => {}
                Err(_) => {
                    std::thread::sleep(KNOCK);
                    self.reopen();
                }
            }
        }
        bail!(
            "nothing on {} answers `isready` within {} s at {} baud: is the board's firmware running, and the rate right?",
            self.target.name(),
            PATIENCE.as_secs(),
            self.baud
        )
    }

    /// Begins a transfer; gives the bytes that the board has room for.
    fn begin(&mut self) -> Result<u32> {
        self.write(format!("{COMMAND}\n").as_bytes())?;
        let deadline = Instant::now() + LONG_ROUND;
        let mut text = Vec::new();
        loop {
            let more = self.read(deadline)?;
            ensure!(!more.is_empty(), "the board does not answer `{COMMAND}`");
            for &byte in &more {
                if let Some(Some(Reply::Ready { room })) = self.frames.feed(byte) {
                    return Ok(room);
                }
            }
            text.extend(more);
            ensure!(
                !String::from_utf8_lossy(&text).contains(&format!("unknown command '{COMMAND}'")),
                "the board on {} has no flash set aside for a network that comes over the line",
                self.target.name()
            );
        }
    }

    fn tell(&mut self, request: &Request<'_>) -> Result<()> {
        self.write(&encode(request).context("a request fits a frame")?)
    }

    /// Makes a request until it is answered in a way that `understand` does.
    fn ask<T>(
        &mut self,
        request: &Request<'_>,
        patience: Duration,
        understand: impl Fn(&Reply<'_>) -> Option<T>,
    ) -> Result<T> {
        for _ in 0..TRIES {
            self.tell(request)?;
            let deadline = Instant::now() + patience;
            loop {
                let more = self.read(deadline)?;
                if more.is_empty() {
                    break;
                }
                for byte in more {
                    let Some(Some(reply)) = self.frames.feed(byte) else { continue };
                    if let Reply::Refused { why } = reply {
                        bail!("the board refuses it, and keeps what it has: {why}");
                    }
                    if let Some(understood) = understand(&reply) {
                        return Ok(understood);
                    }
                }
            }
        }
        bail!("the board on {} has stopped answering; it keeps the network that it has", self.target.name())
    }

    /// Sends a whole network.
    fn transfer(&mut self, blob: &[u8], prefix: [u8; PREFIX]) -> Result<()> {
        let bytes = u32::try_from(blob.len()).context("no network is that large")?;
        let wanted = |reply: &Reply<'_>| match *reply {
            Reply::Want { offset } => Some(offset),
            _ => None,
        };
        let bar = ProgressBar::new(bytes.into())
            .with_style(ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {eta} left")?);
        let mut offset = self.ask(&Request::Begin { bytes, prefix }, LONG_ROUND, wanted)?;
        while offset < bytes {
            let rest = blob.get(offset as usize..).context("the board wants what there is not")?;
            let part = Request::Data { offset, bytes: &rest[..rest.len().min(CHUNK)] };
            offset = self.ask(&part, ROUND, wanted)?;
            bar.set_position(offset.into());
        }
        self.ask(&Request::Finish, LONG_ROUND, |reply| (*reply == Reply::Kept).then_some(()))?;
        bar.finish();
        Ok(())
    }

    /// What the board says of its network, once it has started.
    fn network(&mut self) -> Result<String> {
        self.wake()?;
        self.write(b"uci\n")?;
        // It comes behind the options.
        self.line("info string ", Instant::now() + PATIENCE)?.context("the board does not say what it plays with")
    }
}
