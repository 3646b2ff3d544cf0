//! Sleep that no interrupt slips past: what a Cortex-M has in its instruction `wfe`.

use core::sync::atomic::{AtomicBool, Ordering};
use esp_hal::riscv::asm::wfi;

/// Whether an interrupt has come since the core last slept.
static CAME: AtomicBool = AtomicBool::new(false);

/// Every interrupt that may be waited for says so.
pub fn send() {
    CAME.store(true, Ordering::Release);
}

/// Sleeps until the next interrupt; not at all if one has come since the last time.
pub fn wait() {
    // With interrupts off, one that comes between the look and the sleep waits, and a waiting one ends the sleep.
    critical_section::with(|_| {
        if !CAME.load(Ordering::Acquire) {
            wfi();
        }
        CAME.store(false, Ordering::Release);
    });
}
