//! A network and a book apart from the program: in flash of their own, and new networks over the serial line.
//!
//! A board sets three parts of its flash aside. `NET` holds the network that plays, and `BOOK` an opening book; both may be
//! written by whatever tool flashes the chip, as they are. [`network`] and [`book`] look at boot whether something usable
//! lies there.
//!
//! The third, as large as `NET`, is where a network that comes over the line is put together. The line `flashnet` of a UCI
//! session begins a transfer of frames ([`Request`], [`Reply`]). Only when all has come and was found to be a value net is
//! its first word written, and the next start, by [`settle`], copies it to where networks play from. Until that is done
//! the old one plays: a board that loses its power at any moment has the old network or the new one.
//!
//! The network in use is never written to, only the other part; so a board may hand out its bytes for good.

mod book;
mod frame;
mod memory;
mod message;
mod ram;
mod receiver;
mod staging;
mod switch;
#[cfg(test)]
mod tests;

pub use book::book;
pub use frame::{CHUNK, Frames, LONGEST_FRAME, encode};
pub use memory::{Memory, StoreError, network, settle};
pub use message::{COMMAND, Reply, Request};
pub use ram::Ram;

use crate::{Platform, Resources};
use switch::Switch;

/// Plays on a line until `quit`, or until the line is closed, or a network came over it, which is put into `staging`.
/// Afterwards the board should start anew.
pub fn run(platform: &mut impl Platform, resources: impl Resources, staging: &mut impl Memory) {
    let mut switch = Switch::new(platform);
    crate::run(&mut switch, resources);
    if switch.is_thrown() {
        receiver::receive(platform, staging);
    }
}
