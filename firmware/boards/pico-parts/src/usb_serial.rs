//! A serial port over USB: the class that every system has a driver for (CDC-ACM).
//!
//! Packets come and go in an interrupt while the engine thinks, through two pipes. When the pipe for what comes is full
//! the computer has to wait, as USB provides, so nothing is lost and the pipe may be small.

use core::convert::Infallible;
use cortex_m::asm::wfe;
use embassy_futures::join::join3;
use embassy_rp::peripherals::USB;
use embassy_rp::usb::Driver;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::pipe::Pipe;
use embassy_time::{Duration, Instant};
use embassy_usb::class::cdc_acm::{CdcAcmClass, Receiver, Sender, State};
use embassy_usb::{Builder, Config};
use embedded_io::{ErrorType, Read, ReadReady, Write};

/// The most that a bulk packet of a full-speed device holds.
const PACKET: usize = 64;

/// How long a full pipe is waited for. A computer that takes nothing for that long has no program that reads.
const PATIENCE: Duration = Duration::from_millis(500);

/// The line between the engine and the USB interrupt. Lives in a `static`.
pub struct Line {
    received: Pipe<CriticalSectionRawMutex, 256>,
    to_send: Pipe<CriticalSectionRawMutex, 1024>,
}

/// The engine's end of a [`Line`].
pub struct Port<'a> {
    line: &'a Line,
    /// Nobody takes what is sent: it is dropped as soon as the pipe is full.
    unheard: bool,
}

impl Line {
    /// A line with nothing on it.
    pub const fn new() -> Self {
        Self { received: Pipe::new(), to_send: Pipe::new() }
    }

    /// The engine's end. There is one.
    pub const fn port(&self) -> Port<'_> {
        Port { line: self, unheard: false }
    }

    /// Sends what there is room for, at once.
    pub fn try_send(&self, bytes: &[u8]) -> usize {
        self.to_send.try_write(bytes).unwrap_or(0)
    }

    /// The USB device, with this line as its serial port. Runs for ever.
    pub async fn run(&self, usb: Driver<'_, USB>) {
        let (mut configuration, mut capabilities, mut control) = ([0; 256], [0; 32], [0; PACKET]);
        let mut state = State::new();
        let mut builder =
            Builder::new(usb, description(), &mut configuration, &mut capabilities, &mut [], &mut control);
        let class = CdcAcmClass::new(&mut builder, &mut state, PACKET as u16);
        let (sender, receiver) = class.split();
        let mut device = builder.build();
        join3(device.run(), self.send(sender), self.receive(receiver)).await;
    }

    async fn send<'d>(&self, mut to: Sender<'d, Driver<'d, USB>>) {
        let mut packet = [0; PACKET];
        loop {
            to.wait_connection().await;
            loop {
                let length = self.to_send.read(&mut packet).await;
                // A full packet tells the computer that more follows; an empty one that nothing does.
                let is_over = length < PACKET || !self.to_send.is_empty();
                if to.write_packet(&packet[..length]).await.is_err()
                    || (!is_over && to.write_packet(&[]).await.is_err())
                {
                    break;
                }
            }
        }
    }

    async fn receive<'d>(&self, mut from: Receiver<'d, Driver<'d, USB>>) {
        let mut packet = [0; PACKET];
        loop {
            from.wait_connection().await;
            while let Ok(length) = from.read_packet(&mut packet).await {
                self.received.write_all(&packet[..length]).await;
            }
        }
    }
}

impl Default for Line {
    fn default() -> Self {
        Self::new()
    }
}

/// What the computer is told of the device.
fn description() -> Config<'static> {
    // pid.codes keeps this number for tests and private use; a product needs its own.
    let mut config = Config::new(0x1209, 0x0001);
    config.manufacturer = Some("Knightlight");
    config.product = Some("Knightlight chess engine");
    config
}

impl ErrorType for Port<'_> {
    type Error = Infallible;
}

impl ReadReady for Port<'_> {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        Ok(!self.line.received.is_empty())
    }
}

impl Read for Port<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Infallible> {
        loop {
            match self.line.received.try_read(into) {
                Ok(length) => return Ok(length),
                Err(_) => wfe(),
            }
        }
    }
}

impl Write for Port<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let start = Instant::now();
        loop {
            if let Ok(length) = self.line.to_send.try_write(bytes) {
                self.unheard = false;
                return Ok(length);
            }
            if self.unheard || start.elapsed() > PATIENCE {
                self.unheard = true;
                return Ok(bytes.len());
            }
            wfe();
        }
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        // Whatever is in the pipe is on its way.
        Ok(())
    }
}
