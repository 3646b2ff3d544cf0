//! Platforms made of what hardware abstraction layers offer.

use embedded_hal::digital::{self, OutputPin};
use embedded_io::{Error, ErrorKind, Read, ReadReady, Write};

use crate::{Platform, Received};

/// A platform over a serial port that implements the traits of `embedded-io`, with a clock and a wait of the board's.
///
/// Receiving is as good as the port's own buffer: one that is not fed by an interrupt or by DMA loses bytes while the
/// engine thinks. Sending is, too: nothing is flushed, so what a port keeps to send by itself costs no thinking.
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
    }

    fn micros(&mut self) -> u64 {
        (self.clock)()
    }

    fn idle(&mut self) {
        (self.wait)();
    }
}

/// Two serial ports as one: what comes on either is heard, and the one that spoke last is answered. Until one has
/// spoken, both are.
///
/// Two that speak at once garble each other's lines.
#[derive(Debug)]
pub struct TwoPorts<A, B> {
    first: A,
    second: B,
    spoke_last: Option<Spoke>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spoke {
    First,
    Second,
}

impl<A, B> TwoPorts<A, B> {
    /// The two ports as one.
    pub const fn new(first: A, second: B) -> Self {
        Self { first, second, spoke_last: None }
    }
}

impl<A, B> embedded_io::ErrorType for TwoPorts<A, B> {
    type Error = ErrorKind;
}

impl<A: Read + ReadReady, B: Read + ReadReady> TwoPorts<A, B> {
    fn ready(&mut self) -> Option<Spoke> {
        // An error of one is no reason not to hear the other.
        if self.first.read_ready().unwrap_or(false) {
            Some(Spoke::First)
        } else if self.second.read_ready().unwrap_or(false) {
            Some(Spoke::Second)
        } else {
            None
        }
    }
}

impl<A: Read + ReadReady, B: Read + ReadReady> ReadReady for TwoPorts<A, B> {
    fn read_ready(&mut self) -> Result<bool, ErrorKind> {
        Ok(self.ready().is_some())
    }
}

impl<A: Read + ReadReady, B: Read + ReadReady> Read for TwoPorts<A, B> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, ErrorKind> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(spoke) = self.ready() else { continue };
            self.spoke_last = Some(spoke);
            return match spoke {
                Spoke::First => self.first.read(into).map_err(|error| error.kind()),
                Spoke::Second => self.second.read(into).map_err(|error| error.kind()),
            };
        }
    }
}

impl<A: Write, B: Write> Write for TwoPorts<A, B> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        match self.spoke_last {
            Some(Spoke::First) => self.first.write(bytes).map_err(|error| error.kind()),
            Some(Spoke::Second) => self.second.write(bytes).map_err(|error| error.kind()),
            None => {
                // Whether anybody listens is not known of either, so neither's error says anything.
                let _ = self.first.write_all(bytes);
                let _ = self.second.write_all(bytes);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        let (first, second) = (self.first.flush(), self.second.flush());
        first.map_err(|error| error.kind()).and(second.map_err(|error| error.kind()))
    }
}

/// A platform whose watchdog is fed whenever the engine asks anything of it, which it does every 128 nodes of a search
/// and whenever it has nothing to do.
///
/// `idle` has to come back before the watchdog bites, whether a byte has come or not.
#[derive(Debug)]
pub struct Watched<P, Feed> {
    platform: P,
    feed: Feed,
}

impl<P: Platform, Feed: FnMut()> Watched<P, Feed> {
    /// A platform, and what feeds its watchdog.
    pub const fn new(platform: P, feed: Feed) -> Self {
        Self { platform, feed }
    }
}

impl<P: Platform, Feed: FnMut()> Platform for Watched<P, Feed> {
    fn read(&mut self) -> Received {
        (self.feed)();
        self.platform.read()
    }

    fn write(&mut self, bytes: &[u8]) {
        (self.feed)();
        self.platform.write(bytes);
    }

    fn micros(&mut self) -> u64 {
        // A search behind which a command waits reads no more, but still looks at the clock.
        (self.feed)();
        self.platform.micros()
    }

    fn idle(&mut self) {
        (self.feed)();
        self.platform.idle();
    }

    fn thinking(&mut self, on: bool) {
        self.platform.thinking(on);
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

/// An output that is on when its pin is low: a light between supply and pin.
#[derive(Debug)]
pub struct ActiveLow<Pin>(Pin);

impl<Pin: OutputPin> ActiveLow<Pin> {
    /// The output at a pin.
    pub const fn new(pin: Pin) -> Self {
        Self(pin)
    }
}

impl<Pin: OutputPin> digital::ErrorType for ActiveLow<Pin> {
    type Error = Pin::Error;
}

impl<Pin: OutputPin> OutputPin for ActiveLow<Pin> {
    fn set_low(&mut self) -> Result<(), Pin::Error> {
        self.0.set_high()
    }

    fn set_high(&mut self) -> Result<(), Pin::Error> {
        self.0.set_low()
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

    impl digital::ErrorType for Light<'_> {
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
        let clusters = [const { crate::Cluster::new() }; 64];
        crate::run(&mut platform, crate::FixedResources::new(&clusters));
        let said = String::from_utf8(platform.platform.port.output).unwrap();
        assert!(said.contains("bestmove ") && said.contains("readyok"), "{said}");
        assert_eq!(shone, [false, true, false]);
    }

    #[test]
    fn of_two_ports_the_one_that_spoke_last_is_answered() {
        let port = |input: &[u8]| Port { input: input.iter().copied().collect(), ..Port::default() };
        let mut ports = TwoPorts::new(port(b"1"), port(b"2"));
        let mut byte = [0];
        ports.write_all(b"all ").unwrap();
        ports.read_exact(&mut byte).unwrap();
        ports.write_all(&byte).unwrap();
        ports.read_exact(&mut byte).unwrap();
        ports.write_all(&byte).unwrap();
        assert!(!ports.read_ready().unwrap());
        assert_eq!((&*ports.first.output, &*ports.second.output), (&b"all 1"[..], &b"all 2"[..]));
    }

    #[test]
    fn a_watchdog_is_fed_by_all_that_the_engine_asks() {
        let mut meals = 0;
        let port = Port { input: b"a".iter().copied().collect(), ..Port::default() };
        let mut platform = Watched::new(SerialPort::new(port, || 7, || {}), || meals += 1);
        assert_eq!(platform.read(), Received::Byte(b'a'));
        assert_eq!(platform.micros(), 7);
        platform.write(b"b");
        platform.idle();
        drop(platform);
        assert_eq!(meals, 4);
    }

    #[test]
    fn a_light_between_supply_and_pin_burns_when_the_pin_is_low() {
        let mut shone = Vec::new();
        let mut platform = Lit::new(SerialPort::new(Port::default(), || 0, || {}), ActiveLow::new(Light(&mut shone)));
        platform.thinking(true);
        drop(platform);
        assert_eq!(shone, [true, false]);
    }
}
