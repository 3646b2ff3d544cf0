//! A whole transfer on memory that fails when the test wants it to, and on a line that does.

extern crate std;

use core::cell::Cell;
use std::collections::VecDeque;
use std::string::String;
use std::vec;
use std::vec::Vec;

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};
use engine_core::net::blob::{self, PREFIX};
use engine_core::net::header::{Header, Model, ValueShape};

use super::memory::{Memory, settle, value_net};
use super::receiver::receive;
use super::staging::Staging;
use super::{CHUNK, Frames, Ram, Reply, Request, encode};
use crate::{Platform, Received};

/// Room for the smallest network.
const REGION: usize = 4 * Ram::ERASE_SIZE;

/// The smallest network, whose weights are all zero.
fn network(name: &str) -> Vec<u8> {
    let shape = ValueShape { width: 16, dense: heapless::Vec::new(), buckets: 1, qa: 255, qb: 64, scale: 400 };
    let weights = vec![0; shape.weight_bytes()];
    let header = Header { name, record: "", model: Model::Value(shape) };
    [blob::front(&header, &weights).unwrap().as_slice(), &weights].concat()
}

/// Flash that begins at a multiple of four.
#[repr(align(4))]
struct Region([u8; REGION]);

impl Region {
    fn with(blob: &[u8]) -> Self {
        let mut region = Self([0xff; REGION]);
        region.0[..blob.len()].copy_from_slice(blob);
        region
    }
}

/// Power that goes after so many words or blocks; the last of them is done by half. Once it has gone, flash is dead.
struct Power(Cell<usize>);

/// Flash that is written in words of `WORD` bytes for as long as there is power.
struct Cut<'a, const WORD: usize> {
    flash: Ram<'a>,
    power: &'a Power,
}

enum Step {
    Whole,
    Half,
}

impl<const WORD: usize> Cut<'_, WORD> {
    fn step(&self) -> Result<Step, NorFlashErrorKind> {
        let left = self.power.0.get().checked_sub(1).ok_or(NorFlashErrorKind::Other)?;
        self.power.0.set(left);
        Ok(if left > 0 { Step::Whole } else { Step::Half })
    }
}

impl<const WORD: usize> ErrorType for Cut<'_, WORD> {
    type Error = NorFlashErrorKind;
}

impl<const WORD: usize> ReadNorFlash for Cut<'_, WORD> {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        self.flash.read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.flash.capacity()
    }
}

impl<const WORD: usize> NorFlash for Cut<'_, WORD> {
    const WRITE_SIZE: usize = WORD;
    const ERASE_SIZE: usize = Ram::ERASE_SIZE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        for block in (from..to).step_by(Self::ERASE_SIZE) {
            match self.step()? {
                Step::Whole => self.flash.erase(block, block + Self::ERASE_SIZE as u32)?,
                // Some cells have become ones and others not yet.
                Step::Half => self.flash.0[block as usize..]
                    .iter_mut()
                    .take(Self::ERASE_SIZE)
                    .step_by(2)
                    .for_each(|cell| *cell = 0xff),
            }
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        for (number, word) in bytes.chunks(WORD).enumerate() {
            // Nothing is written twice: chips that keep check bits beside each word do not allow it.
            let at = offset as usize + number * WORD;
            assert!(self.bytes()[at..][..WORD].iter().all(|&byte| byte == 0xff), "{at:#x} is not erased");
            match self.step()? {
                Step::Whole => self.flash.write(at as u32, word)?,
                Step::Half => {
                    let half: Vec<u8> = word.iter().map(|byte| byte | 0xf0).collect();
                    self.flash.write(at as u32, &half)?;
                }
            }
        }
        Ok(())
    }
}

impl<const WORD: usize> Memory for Cut<'_, WORD> {
    fn bytes(&self) -> &[u8] {
        self.flash.bytes()
    }
}

/// A board's life from the arrival of a network to its next start, or to the end of its power.
struct Life {
    net: Region,
    staging: Region,
    /// Whether the board has said that it keeps the network.
    kept: bool,
    /// What the power was not needed for.
    left: usize,
}

impl Life {
    /// Puts a network together.
    fn send<const WORD: usize>(&mut self, blob: &[u8], power: usize) {
        let power = Power(Cell::new(power));
        let mut memory = Cut::<WORD> { flash: Ram::new(&mut self.staging.0), power: &power };
        let mut staging = Staging::new(&mut memory);
        let prefix = blob.first_chunk::<PREFIX>().unwrap();
        let sent = staging.begin(blob.len(), prefix).is_ok()
            && blob.chunks(CHUNK).enumerate().all(|(number, part)| staging.add(number * CHUNK, part).is_ok());
        self.kept = sent && staging.finish().is_ok();
        self.left = power.0.get();
    }

    /// Starts.
    fn start<const WORD: usize>(&mut self, power: usize) {
        let power = Power(Cell::new(power));
        let mut net = Cut::<WORD> { flash: Ram::new(&mut self.net.0), power: &power };
        let mut staging = Cut::<WORD> { flash: Ram::new(&mut self.staging.0), power: &power };
        let _ = settle(&mut net, &mut staging);
        self.left = power.0.get();
    }
}

/// Cuts the power at every step of a transfer, and at every step of the start that follows.
fn whenever_the_power_goes<const WORD: usize>() {
    const FOREVER: usize = usize::MAX;
    let (old, new) = (network("old"), network("new"));
    let life = || Life { net: Region::with(&old), staging: Region([0; REGION]), kept: false, left: 0 };
    let plays = |life: &Life| value_net(&life.net.0).expect("there is always a network").to_vec();

    let mut whole = life();
    whole.send::<WORD>(&new, FOREVER);
    let sending = FOREVER - whole.left;
    whole.start::<WORD>(FOREVER);
    let starting = FOREVER - whole.left;
    assert!(whole.kept && plays(&whole) == new);

    for power in 0..=sending {
        let mut life = life();
        life.send::<WORD>(&new, power);
        assert!(!life.kept && plays(&life) == old, "power {power}");
        life.start::<WORD>(FOREVER);
        assert_eq!(plays(&life), old, "power {power}");
    }
    for first in 0..=starting {
        // And once more as it starts again: at one moment each, as all pairs are too many.
        let second = first * 7_919 % (starting + 1);
        let mut life = life();
        life.send::<WORD>(&new, FOREVER);
        for power in [first, second, FOREVER] {
            life.start::<WORD>(power);
        }
        assert_eq!(plays(&life), new, "power {first}, {second}");
    }
}

#[test]
fn the_old_network_or_the_new_one_plays_whenever_the_power_goes() {
    whenever_the_power_goes::<4>();
    whenever_the_power_goes::<32>();
}

/// A line that says what it is told to and is silent then, and a clock that runs while it is.
#[derive(Default)]
struct Script {
    input: VecDeque<u8>,
    output: Vec<u8>,
    micros: u64,
}

impl Script {
    fn say(&mut self, request: &Request<'_>) {
        self.input.extend(&encode(request).unwrap());
    }

    /// What was answered in frames, as text, but for what is the same as before.
    fn replies(&self) -> Vec<String> {
        let mut frames = Frames::default();
        let mut replies = Vec::new();
        for &byte in &self.output {
            if let Some(Some(reply)) = frames.feed::<Reply<'_>>(byte) {
                replies.push(std::format!("{reply:?}"));
            }
        }
        replies
    }
}

impl Platform for Script {
    fn read(&mut self) -> Received {
        if let Some(byte) = self.input.pop_front() {
            return Received::Byte(byte);
        }
        self.micros += 1_000;
        Received::Nothing
    }

    fn write(&mut self, bytes: &[u8]) {
        self.output.extend(bytes);
    }

    fn micros(&mut self) -> u64 {
        self.micros
    }

    fn idle(&mut self) {}
}

#[test]
fn what_is_damaged_lost_or_said_twice_is_made_good() {
    let blob = network("new");
    let begin = Request::Begin { bytes: blob.len() as u32, prefix: *blob.first_chunk().unwrap() };
    let part = |number: usize| {
        let offset = number * CHUNK;
        Request::Data { offset: offset as u32, bytes: &blob[offset..blob.len().min(offset + CHUNK)] }
    };
    let parts = blob.len().div_ceil(CHUNK);
    let mut line = Script::default();
    line.say(&part(0));
    line.say(&begin);
    line.say(&part(0));
    line.say(&part(0));
    line.say(&part(2));
    let mut damaged = encode(&part(1)).unwrap();
    damaged[20] ^= 0x40;
    line.input.extend(&damaged);
    line.say(&Request::Finish);
    let mut staging = Region([0; REGION]);
    receive(&mut line, &mut Ram::new(&mut staging.0));
    let ready = std::format!("{:?}", Reply::Ready { room: REGION as u32 });
    let want = |number: usize| std::format!("{:?}", Reply::Want { offset: (number * CHUNK) as u32 });
    let refused = "length is 256 bytes";
    let replies = line.replies();
    assert_eq!(replies[..7], [ready.clone(), ready, want(0), want(1), want(1), want(1), want(1)]);
    assert!(replies[7].contains(refused), "{replies:?}");
    assert!(line.output.ends_with(b"info string flashnet: nothing came for 5 seconds\n"));
    assert!((5_000_000..6_000_000).contains(&line.micros));

    let mut line = Script::default();
    line.say(&begin);
    (0..parts).for_each(|number| line.say(&part(number)));
    // The answer was lost, and the question comes again.
    line.say(&Request::Finish);
    line.say(&Request::Finish);
    line.say(&begin);
    line.say(&Request::Leave);
    receive(&mut line, &mut Ram::new(&mut staging.0));
    assert_eq!(line.replies()[parts + 2..], ["Kept", "Kept", "Kept"]);
    assert_eq!(value_net(&staging.0), Ok(&blob[..]));
    assert_eq!(line.micros, 0, "it left when told");
}

#[test]
fn a_session_hears_every_line_but_the_one_that_is_not_for_it() {
    let mut line = Script::default();
    line.input.extend(b"flashne\nflashnet 1\nd flashnet\r\nflashflashnet\nisready\nflashnet\r\nisready\n");
    let clusters = [const { crate::Cluster::new() }; 4];
    let mut staging = Region([0; REGION]);
    super::run(&mut line, crate::FixedResources::new(&clusters), &mut Ram::new(&mut staging.0));
    let said = String::from_utf8_lossy(&line.output).into_owned();
    for word in ["flashne", "flashnet", "flashflashnet"] {
        assert!(said.contains(&std::format!("unknown command '{word}'")), "{said}");
    }
    assert_eq!(
        (said.matches("unknown").count(), said.matches("Fen: ").count(), said.matches("readyok").count()),
        (3, 1, 1)
    );
    assert_eq!(line.replies().len(), 1, "ready, and no frame came");
}
