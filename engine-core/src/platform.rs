//! The seam between the engine and the machine it runs on.

/// What [`Platform::read`] found on the serial line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// The next byte.
    Byte(u8),
    /// Nothing yet; more may come.
    Nothing,
    /// The line is closed and nothing will ever come again (a closed pipe; a board never says so).
    Closed,
}

/// A serial line, a clock and a place to wait: all that the engine asks of a machine.
///
/// The engine is one thread of control. While it searches it calls [`read`](Self::read) and
/// [`micros`](Self::micros) every 128 nodes, so both must return at once.
pub trait Platform {
    /// Takes the next received byte. Never blocks.
    fn read(&mut self) -> Received;

    /// Sends all of `bytes`, waiting for the line where it must.
    fn write(&mut self, bytes: &[u8]);

    /// Microseconds since some fixed moment. Never goes back and does not wrap in the life of the machine.
    fn micros(&mut self) -> u64;

    /// Waits until a byte may have arrived. May return early, for any reason or none.
    fn idle(&mut self);

    /// Called when a search begins (`true`) and when it ends (`false`): the place for a light.
    fn thinking(&mut self, on: bool) {
        let _ = on;
    }
}
