//! How much of the files is read, while it goes on.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many bytes, on a terminal; nothing elsewhere.
pub(crate) fn bytes(all: u64) -> ProgressBar {
    let bar = ProgressBar::new(all);
    if let Ok(style) = ProgressStyle::with_template("{elapsed} {wide_bar} {bytes}/{total_bytes} eta {eta}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}
