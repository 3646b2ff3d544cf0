//! Platforms made of what hardware abstraction layers offer.

use embedded_hal::digital::OutputPin;
use embedded_io::{Read, ReadReady, Write};

use crate::{Platform, Received};

/// A platform over a serial port that implements the traits of `embedded-io`, with a clock and a wait of the board's.
///
/// Receiving is as good as the port's own buffer: one that is not fed by an interrupt or by DMA loses bytes while the
/// engine thinks.
#[derive(Debug)]
pub struct SerialPort<Port, Clock, Wait> {
    port: Port,
    /// Gives microseconds since the start.
    clock: Clock,
    /// Waits until something may have happened.
    wait: Wait,
}

impl<Port, Clock, Wait> SerialPort<Port, Clock, Wait>
where
    Port: Read + ReadReady + Write,
    Clock: FnMut() -> u64,
    Wait: FnMut(),
{
    /// A platform of these three.
    pub const fn new(port: Port, clock: Clock, wait: Wait) -> Self {
        Self { port, clock, wait }
    }
}

impl<Port, Clock, Wait> Platform for SerialPort<Port, Clock, Wait>
where
    Port: Read + ReadReady + Write,
    Clock: FnMut() -> u64,
    Wait: FnMut(),
{
    fn read(&mut self) -> Received {
        let mut byte = [0];
        match self.port.read_ready() {
            Ok(true) => match self.port.read(&mut byte) {
                Ok(1) => Received::Byte(byte[0]),
                // A port that is ready and gives nothing has come to its end.
                Ok(_) => Received::Closed,
                // An error of the line costs a byte, as noise does.
                Err(_) => Received::Nothing,
            },
            _ => Received::Nothing,
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        // A line that cannot take bytes has nobody at its other end.
        let _ = self.port.write_all(bytes);
        if bytes.ends_with(b"\n") {
            let _ = self.port.flush();
        }
    }

    fn micros(&mut self) -> u64 {
        (self.clock)()
    }

    fn idle(&mut self) {
        (self.wait)();
    }
}

/// A platform with a light that burns while the engine thinks.
#[derive(Debug)]
pub struct Lit<P, Light> {
    platform: P,
    light: Light,
}

impl<P: Platform, Light: OutputPin> Lit<P, Light> {
    /// A platform and its light, which is put out.
    pub fn new(platform: P, light: Light) -> Self {
        let mut lit = Self { platform, light };
        lit.thinking(false);
        lit
    }
}

impl<P: Platform, Light: OutputPin> Platform for Lit<P, Light> {
    fn read(&mut self) -> Received {
        self.platform.read()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.platform.write(bytes);
    }

    fn micros(&mut self) -> u64 {
        self.platform.micros()
    }

    fn idle(&mut self) {
        self.platform.idle();
    }

    fn thinking(&mut self, on: bool) {
        // A light that does not burn is no reason not to think.
        let _ = if on { self.light.set_high() } else { self.light.set_low() };
        self.platform.thinking(on);
    }
}

#[cfg(test)]
mod tests {
    #[cfg(not(feature = "native"))]
    extern crate std;

    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::string::String;
    use std::vec::Vec;

    use super::*;

    #[derive(Default)]
    struct Port {
        input: VecDeque<u8>,
        output: Vec<u8>,
    }

    impl embedded_io::ErrorType for Port {
        type Error = Infallible;
    }

    impl Read for Port {
        fn read(&mut self, into: &mut [u8]) -> Result<usize, Infallible> {
            let Some(byte) = self.input.pop_front() else { return Ok(0) };
            into[0] = byte;
            Ok(1)
        }
    }

    impl ReadReady for Port {
        fn read_ready(&mut self) -> Result<bool, Infallible> {
            Ok(!self.input.is_empty())
        }
    }

    impl Write for Port {
        fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
            self.output.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    struct Light<'a>(&'a mut Vec<bool>);

    impl embedded_hal::digital::ErrorType for Light<'_> {
        type Error = Infallible;
    }

    impl OutputPin for Light<'_> {
        fn set_low(&mut self) -> Result<(), Infallible> {
            self.0.push(false);
            Ok(())
        }

        fn set_high(&mut self) -> Result<(), Infallible> {
            self.0.push(true);
            Ok(())
        }
    }

    #[test]
    fn a_session_runs_on_an_embedded_io_port_with_a_light() {
        let mut shone = Vec::new();
        let mut micros = 0;
        let port = Port { input: b"go depth 2\nisready\nquit\n".iter().copied().collect(), ..Port::default() };
        let clock = || {
            micros += 1;
            micros
        };
        let mut platform = Lit::new(SerialPort::new(port, clock, || {}), Light(&mut shone));
        let mut clusters = [crate::Cluster::EMPTY; 64];
        crate::run(&mut platform, crate::FixedResources::new(&mut clusters));
        let said = String::from_utf8(platform.platform.port.output).unwrap();
        assert!(said.contains("bestmove ") && said.contains("readyok"), "{said}");
        assert_eq!(shone, [false, true, false]);
    }
}
