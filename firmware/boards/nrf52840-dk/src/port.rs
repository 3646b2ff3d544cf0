//! The HAL's serial port, which waits by `async` alone, as one that is asked.

use core::convert::Infallible;
use core::task::Poll;
use cortex_m::asm::wfe;
use embassy_futures::poll_once;
use embassy_nrf::buffered_uarte::BufferedUarte;
use embedded_io::{ErrorType, Read, ReadReady, Write};

/// A serial port that DMA fills and empties.
pub struct Port(pub BufferedUarte<'static>);

impl ErrorType for Port {
    type Error = Infallible;
}

impl ReadReady for Port {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        // Asked once, it says so where bytes were lost; what came after them is there all the same.
        Ok(matches!(poll_once(self.0.fill_buf()), Poll::Ready(Ok(_))))
    }
}

impl Read for Port {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Infallible> {
        loop {
            match poll_once(self.0.read(into)) {
                Poll::Ready(Ok(length)) => return Ok(length),
                _ => wfe(),
            }
        }
    }
}

impl Write for Port {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        loop {
            match self.0.try_write(bytes) {
                Ok(0) | Err(_) if !bytes.is_empty() => wfe(),
                result => return Ok(result.unwrap_or(0)),
            }
        }
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        while poll_once(self.0.flush()).is_pending() {
            wfe();
        }
        Ok(())
    }
}
