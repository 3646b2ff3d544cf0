//! A board as the engine sees it.

use firmware::receive::{Outlet, Queue};
use firmware::{Platform, Received};

use crate::clock::Clock;
use crate::line::{Line, QUEUE_BYTES, Receiver};
use crate::wfi;

/// A serial line and a clock.
pub struct Board<R: 'static, S, C: 'static> {
    line: &'static Line<R>,
    received: Outlet<'static>,
    send: S,
    clock: &'static C,
}

impl<R: Receiver, S: FnMut(u8), C: Clock> Board<R, S, C> {
    /// A board that receives from a port, through a line and its queue, and sends bytes by `send`, which waits for the
    /// port. Port and clock are started, and their interrupts are answered.
    pub fn new(
        line: &'static Line<R>,
        receiver: R,
        queue: &'static mut Queue<QUEUE_BYTES>,
        send: S,
        clock: &'static C,
    ) -> Self {
        Self { line, received: line.start(receiver, queue), send, clock }
    }
}

impl<R: Receiver, S: FnMut(u8), C: Clock> Platform for Board<R, S, C> {
    fn read(&mut self) -> Received {
        match self.received.take(|| self.line.listen()) {
            Some(byte) => Received::Byte(byte),
            None => Received::Nothing,
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().copied().for_each(&mut self.send);
    }

    fn micros(&mut self) -> u64 {
        self.clock.micros()
    }

    fn idle(&mut self) {
        // With interrupts off no byte can slip in between the look and the sleep; one that comes meanwhile still
        // wakes the core, and is served as soon as they are on again.
        critical_section::with(|_| {
            if self.received.is_empty() {
                wfi();
            }
        });
    }
}
