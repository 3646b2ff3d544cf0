//! The wish to stop early, shared by every thread that waits for an engine.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Exit status of a run that was interrupted, as shells report SIGINT (128 + 2).
pub const INTERRUPTED: u8 = 130;

/// A flag that is raised once and never lowered. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that is not raised.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Asks everyone who watches the flag to finish.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone has asked to finish.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Raises the flag on Ctrl-C, and on the signals that ask a process to end. A second one ends the program
    /// at once: the engines then meet the end of their input.
    pub fn on_signal(&self) -> Result<(), ctrlc::Error> {
        let flag = Arc::clone(&self.0);
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED.into());
            }
        })
    }
}
