//! When all is lost: one line that a chess program shows, and a light that a person sees.

use core::fmt::Write;
use core::panic::PanicInfo;

/// How long the light of a panic is on, and how long it is off, in milliseconds: too fast for thinking.
pub const BLINK_MS: u32 = 100;

/// Says a panic on a line that works in any state of the program.
pub fn say_panic(line: &mut impl Write, info: &PanicInfo<'_>) {
    // A line that does not work has nobody to hear of it.
    let _ = match info.location() {
        Some(place) => write!(line, "\ninfo string panic: {}:{}: {}\n", place.file(), place.line(), info.message()),
        None => writeln!(line, "\ninfo string panic: {}", info.message()),
    };
}

/// Says at which instruction the processor faulted.
pub fn say_hard_fault(line: &mut impl Write, at: u32) {
    // As above.
    let _ = writeln!(line, "\ninfo string panic: hard fault at {at:#010x}");
}

/// Blinks for ever, which is until the watchdog starts the board anew: nobody feeds it any more.
///
/// `light` sets the light, `wait_ms` waits without the help of interrupts.
pub fn blink(mut light: impl FnMut(bool), mut wait_ms: impl FnMut(u32)) -> ! {
    let mut on = false;
    loop {
        on = !on;
        light(on);
        wait_ms(BLINK_MS);
    }
}
