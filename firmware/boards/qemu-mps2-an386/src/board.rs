//! The board as the engine sees it: wiring, no logic.

use crate::CLOCK_HZ;
use crate::clock::Clock;
use crate::registers::Register;
use crate::uart::{QUEUE_BYTES, Uart};
use engine_core::platform::{Platform, Received};
use firmware::receive::Queue;

/// The board's lights; the lowest bit is LED 0.
// SAFETY: the FPGA's LED register; it touches no memory.
const LEDS: Register = unsafe { Register::at(0x4002_8000) };
const THINKING: u32 = 1 << 0;

/// The serial port, the clock and the light.
pub struct Board {
    uart: Uart,
    clock: Clock,
}

impl Board {
    /// Starts the board's devices. Called once: the queue can be given only once.
    pub fn start(queue: &'static mut Queue<QUEUE_BYTES>) -> Self {
        LEDS.write(0);
        Self { uart: Uart::start(queue, CLOCK_HZ), clock: Clock::start() }
    }

    /// The clock, finer than microseconds.
    #[cfg(feature = "measure")]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }
}

impl Platform for Board {
    fn read(&mut self) -> Received {
        match self.uart.read() {
            Some(byte) => Received::Byte(byte),
            None => Received::Nothing,
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.uart.write(bytes);
    }

    fn micros(&mut self) -> u64 {
        self.clock.micros()
    }

    fn idle(&mut self) {
        // With interrupts off no byte can slip in between the look and the sleep; one that comes meanwhile still
        // wakes the core, and is served as soon as they are on again.
        cortex_m::interrupt::free(|_| {
            if self.uart.is_empty() {
                cortex_m::asm::wfi();
            }
        });
    }

    fn thinking(&mut self, on: bool) {
        LEDS.write(if on { THINKING } else { 0 });
    }
}
