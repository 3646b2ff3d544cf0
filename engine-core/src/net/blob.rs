//! The file and flash format of a network, described in `docs/blob.md`.
//!
//! ```text
//! 0   magic "KLNN"
//! 4   u16 format version
//! 6   u16 bytes of the header
//! 8   u32 bytes of the weights
//! 12  u32 CRC-32 of all that follows
//! 16  header (postcard), then zeros up to a multiple of 16
//!     weights
//! ```
//! Numbers are little-endian. The weights are used where they lie: a blob must begin at an address that is a multiple
//! of four.

use super::header::{Header, ShapeError};
use crc::{CRC_32_ISO_HDLC, Crc};

/// The first four bytes.
pub const MAGIC: [u8; 4] = *b"KLNN";

/// The version of the format that this code writes and reads.
pub const VERSION: u16 = 1;

/// The bytes before the header.
pub const PREFIX: usize = 16;

/// Weights begin at a multiple of this.
pub const ALIGNMENT: usize = 16;

/// The longest header.
pub const MAX_HEADER: usize = 1024;

/// The checksum: that of zip and PNG.
pub static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// Why a blob cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum BlobError {
    /// Not even the prefix is there.
    #[error("{0} bytes are no network: it has {PREFIX} before its header")]
    Short(usize),
    /// Something else than a network.
    #[error("magic is {0:02x?}, not \"KLNN\": this is no network")]
    Magic([u8; 4]),
    /// A format from another time.
    #[error("format version is {0}; this program reads version {VERSION}")]
    Version(u16),
    /// Cut off, or something was put behind it.
    #[error("length is {found} bytes, but the prefix says {said}")]
    Length { said: usize, found: usize },
    /// Damaged.
    #[error("checksum is {found:08x}, but the prefix says {said:08x}: the network is damaged")]
    Checksum { said: u32, found: u32 },
    /// The header is no header.
    #[error("the header cannot be read")]
    Header,
    /// A network for another use.
    #[error("this is a {found}; a {wanted} is wanted here")]
    Model { wanted: &'static str, found: &'static str },
    /// Header and weights do not fit together.
    #[error("the weights have {found} bytes, but a network of this shape has {wanted}")]
    Weights { wanted: usize, found: usize },
    /// The blob lies at an odd address.
    #[error("the network must begin at an address that is a multiple of 4")]
    Alignment,
    /// A field of the header is out of its range.
    #[error("header: {0}")]
    Shape(ShapeError),
    /// A coordinate of a centre is out of its range.
    #[error("coordinate {coordinate} of centre {centre} is {value}: -{most} to {most} wanted")]
    Coordinate { centre: usize, coordinate: usize, value: i16, most: i16 },
    /// The sums of a layer could exceed what they are kept in.
    #[error("{layer}: unit {unit} could overflow {bits}-bit sums")]
    Overflow { layer: Layer, unit: usize, bits: u32 },
}

// By hand: the message says it all, so it has no source whose message would say it again.
impl From<ShapeError> for BlobError {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

/// A layer, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The first layer.
    Features,
    /// A dense layer, counted from 0.
    Dense(usize),
    /// The output.
    Output,
}

impl core::fmt::Display for Layer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Features => f.write_str("first layer"),
            Self::Dense(index) => write!(f, "dense layer {index}"),
            Self::Output => f.write_str("output"),
        }
    }
}

/// What stands before the header, where all of it is as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    header_bytes: usize,
    weight_bytes: usize,
    checksum: u32,
}

impl Prefix {
    /// Reads the first bytes of a blob.
    ///
    /// # Errors
    /// If they are those of something else, or of another version.
    pub fn read(prefix: &[u8; PREFIX]) -> Result<Self, BlobError> {
        let [m0, m1, m2, m3, v0, v1, h0, h1, w0, w1, w2, w3, c0, c1, c2, c3] = *prefix;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(BlobError::Magic([m0, m1, m2, m3]));
        }
        let version = u16::from_le_bytes([v0, v1]);
        if version != VERSION {
            return Err(BlobError::Version(version));
        }
        Ok(Self {
            header_bytes: usize::from(u16::from_le_bytes([h0, h1])),
            weight_bytes: u32::from_le_bytes([w0, w1, w2, w3]) as usize,
            checksum: u32::from_le_bytes([c0, c1, c2, c3]),
        })
    }

    /// The bytes of the whole blob: in flash of its own nothing else says how long it is.
    #[must_use]
    pub const fn blob_bytes(&self) -> usize {
        weights_offset(self.header_bytes).saturating_add(self.weight_bytes)
    }
}

/// A blob taken apart: its header, and the bytes of its weights.
///
/// # Errors
/// If it is not whole, not of this version, or damaged.
pub fn open(blob: &[u8]) -> Result<(Header<'_>, &[u8]), BlobError> {
    let Some((prefix, body)) = blob.split_first_chunk::<PREFIX>() else { return Err(BlobError::Short(blob.len())) };
    let prefix = Prefix::read(prefix)?;
    let said = prefix.blob_bytes();
    if said != blob.len() {
        return Err(BlobError::Length { said, found: blob.len() });
    }
    let (said, found) = (prefix.checksum, CRC.checksum(body));
    if said != found {
        return Err(BlobError::Checksum { said, found });
    }
    let header = body.get(..prefix.header_bytes).ok_or(BlobError::Header)?;
    let header = postcard::from_bytes(header).map_err(|_| BlobError::Header)?;
    let weights = blob.get(weights_offset(prefix.header_bytes)..).ok_or(BlobError::Header)?;
    Ok((header, weights))
}

/// Where the weights begin, after a header of so many bytes.
const fn weights_offset(header_bytes: usize) -> usize {
    (PREFIX + header_bytes).next_multiple_of(ALIGNMENT)
}

/// What stands before the weights of a blob: prefix, header and zeros. The weights are only read, for the checksum.
///
/// # Errors
/// [`BlobError::Header`] if the header takes more than [`MAX_HEADER`] bytes.
pub fn front(header: &Header<'_>, weights: &[u8]) -> Result<heapless::Vec<u8, { PREFIX + MAX_HEADER }>, BlobError> {
    let mut encoded = [0; MAX_HEADER - ALIGNMENT];
    let encoded = postcard::to_slice(header, &mut encoded).map_err(|_| BlobError::Header)?;
    let weights_at = weights_offset(encoded.len());

    let mut front = heapless::Vec::new();
    let filled = front.resize(weights_at, 0);
    debug_assert!(filled.is_ok(), "the buffer of the header leaves room for the prefix and the zeros");
    front[PREFIX..PREFIX + encoded.len()].copy_from_slice(encoded);
    let mut digest = CRC.digest();
    digest.update(&front[PREFIX..]);
    digest.update(weights);
    front[..4].copy_from_slice(&MAGIC);
    front[4..6].copy_from_slice(&VERSION.to_le_bytes());
    front[6..8].copy_from_slice(&(encoded.len() as u16).to_le_bytes());
    front[8..12].copy_from_slice(&(weights.len() as u32).to_le_bytes());
    front[12..PREFIX].copy_from_slice(&digest.finalize().to_le_bytes());
    Ok(front)
}
