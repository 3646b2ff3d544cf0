//! Frames: a message, its CRC-32, both stuffed by COBS so that a zero is the end and nothing else.
//!
//! COBS costs a byte in 254. Source: Cheshire and Baker, "Consistent overhead byte stuffing", 1999.

use engine_core::net::blob::CRC;
use postcard::ser_flavors::{Cobs, Slice, crc::CrcModifier};
use serde::{Deserialize, Serialize};

/// The bytes of a network that a frame carries.
pub const CHUNK: usize = 256;

/// The longest frame: a chunk, what stands before it, its CRC, what COBS adds, and a zero on either side.
pub const LONGEST_FRAME: usize = CHUNK + 32;

/// The frame of a message. It begins with a zero too, which ends whatever stood on the line before.
///
/// # Errors
/// If the message is longer than a frame can be.
pub fn encode<T: Serialize>(message: &T) -> Result<heapless::Vec<u8, LONGEST_FRAME>, postcard::Error> {
    let mut frame = heapless::Vec::new();
    // There is room for a frame of any length, cut to that of this one below.
    let _ = frame.resize(LONGEST_FRAME, 0);
    let stuffing = Cobs::try_new(Slice::new(&mut frame[1..]))?;
    let used = postcard::serialize_with_flavor(message, CrcModifier::new(stuffing, CRC.digest()))?.len();
    frame.truncate(1 + used);
    Ok(frame)
}

/// Cuts a stream of bytes into frames.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: heapless::Vec<u8, LONGEST_FRAME>,
    /// Whether bytes had to be dropped.
    too_long: bool,
    /// The frame that was given out lies in `bytes` until the next byte comes.
    given: bool,
}

impl Frames {
    /// Takes a byte. Where it ends a frame, gives the message, or `None` for one that is broken.
    pub fn feed<'a, T: Deserialize<'a>>(&'a mut self, byte: u8) -> Option<Option<T>> {
        if core::mem::take(&mut self.given) {
            self.bytes.clear();
            self.too_long = false;
        }
        if byte != 0 {
            self.too_long |= self.bytes.push(byte).is_err();
            return None;
        }
        if self.bytes.is_empty() {
            // Between two frames.
            return None;
        }
        self.given = true;
        if self.too_long {
            return Some(None);
        }
        let message = cobs::decode_in_place(&mut self.bytes)
            .ok()
            .and_then(|length| postcard::de_flavors::crc::from_bytes_u32(self.bytes.get(..length)?, CRC.digest()).ok());
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::{Reply, Request};

    fn decode<'a, T: Deserialize<'a>>(frames: &'a mut Frames, bytes: &[u8]) -> Option<T> {
        let (&last, rest) = bytes.split_last().unwrap();
        for &byte in rest {
            assert!(frames.feed::<u8>(byte).flatten().is_none());
        }
        frames.feed(last).flatten()
    }

    #[test]
    fn a_message_passes_behind_anything() {
        let bytes: [u8; CHUNK] = core::array::from_fn(|index| (index % 251) as u8);
        let message = Request::Data { offset: u32::MAX, bytes: &bytes };
        let frame = encode(&message).unwrap();
        let mut frames = Frames::default();
        // A line of text, and one that is longer than a frame.
        for text in [b"info string\n".as_slice(), &[b'x'; 2 * LONGEST_FRAME]] {
            assert!(text.iter().all(|&byte| frames.feed::<Request<'_>>(byte).is_none()));
            assert_eq!(frames.feed::<Request<'_>>(0), Some(None));
            assert_eq!(decode(&mut frames, &frame), Some(message));
        }
    }

    #[test]
    fn a_damaged_frame_is_no_message() {
        let frame = encode(&Reply::Refused { why: "the network is damaged" }).unwrap();
        for at in 1..frame.len() - 1 {
            for bit in 0..8 {
                let mut damaged = frame.clone();
                damaged[at] ^= 1 << bit;
                let mut frames = Frames::default();
                let heard =
                    damaged.iter().find_map(|&byte| frames.feed::<Reply<'_>>(byte).map(|reply| reply.is_some()));
                assert_ne!(heard, Some(true), "byte {at}, bit {bit}");
            }
        }
    }
}
