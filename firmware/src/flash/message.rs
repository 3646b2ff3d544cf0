//! What is said while a network comes over the line, stored with postcard.

use engine_core::net::blob::PREFIX;
use serde::{Deserialize, Serialize};

/// The line of a UCI session that begins a transfer. From then on both sides speak in frames, until the board starts anew.
pub const COMMAND: &str = "flashnet";

/// What the board is told or asked. Each is answered, and may be repeated if the answer does not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request<'a> {
    /// A network of so many bytes is to come, and these are its first.
    Begin {
        /// The bytes of the whole blob.
        bytes: u32,
        /// Its prefix, by which much of what is not wanted is refused at once.
        prefix: [u8; PREFIX],
    },
    /// A part of the blob: as much as a frame holds, but for the last.
    Data {
        /// Where in the blob it begins.
        offset: u32,
        /// What it is.
        bytes: &'a [u8],
    },
    /// Everything has been sent: check it and keep it.
    Finish,
    /// The end. There is no answer: the board starts anew.
    Leave,
}

/// What the board answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply<'a> {
    /// The board waits for a network to begin.
    Ready {
        /// The largest that it has room for, in bytes.
        room: u32,
    },
    /// Everything before this offset is there. Also said when a frame was broken.
    Want {
        /// Where the next part should begin.
        offset: u32,
    },
    /// The network is kept, and plays from the next start on.
    Kept,
    /// The network will not do. Nothing has changed.
    Refused {
        /// What is wrong, for people.
        why: &'a str,
    },
}
