//! The board's side of a transfer.

use engine_core::uci::{Message, say};

use super::frame::{Frames, encode};
use super::memory::Memory;
use super::message::{COMMAND, Reply, Request};
use super::staging::{Refusal, Staging};
use crate::{Platform, Received};

/// How long the board waits for a frame, in microseconds. Then the other side is gone.
const PATIENCE: u64 = 5_000_000;

/// Takes a network that comes over the line, until the other side leaves or is silent.
pub(super) fn receive(platform: &mut impl Platform, memory: &mut impl Memory) {
    let mut receiver = Receiver::new(memory);
    let mut frames = Frames::default();
    answer(platform, &receiver.status());
    let mut heard_at = platform.micros();
    loop {
        match platform.read() {
            Received::Byte(byte) => match frames.feed(byte) {
                None => {}
                Some(Some(Request::Leave)) => return,
                Some(Some(request)) => {
                    answer(platform, &receiver.take(request));
                    // Flash may have taken its time.
                    heard_at = platform.micros();
                }
                Some(None) => answer(platform, &receiver.status()),
            },
            // No board has an interrupt for a moment that it waits for, so this does not sleep.
            Received::Nothing if platform.micros() - heard_at < PATIENCE => {}
            Received::Nothing => {
                let seconds = PATIENCE / 1_000_000;
                let message = say(format_args!("\ninfo string {COMMAND}: nothing came for {seconds} seconds\n"));
                return platform.write(message.as_bytes());
            }
            Received::Closed => return,
        }
    }
}

fn answer(platform: &mut impl Platform, reply: &Reply<'_>) {
    // Every reply fits: what is refused is said in fewer letters than a frame has.
    if let Ok(frame) = encode(reply) {
        platform.write(&frame);
    }
}

/// How far a transfer is.
#[derive(Debug)]
enum State {
    Waiting,
    Taking,
    Kept,
    Refused(Message),
}

/// Takes requests, and answers each.
#[derive(Debug)]
struct Receiver<'a, M> {
    staging: Staging<'a, M>,
    state: State,
}

impl<'a, M: Memory> Receiver<'a, M> {
    const fn new(memory: &'a mut M) -> Self {
        Self { staging: Staging::new(memory), state: State::Waiting }
    }

    /// What there is to say without having been asked.
    fn status(&self) -> Reply<'_> {
        match &self.state {
            State::Waiting => Reply::Ready { room: self.staging.room() as u32 },
            State::Taking => Reply::Want { offset: self.staging.here() as u32 },
            State::Kept => Reply::Kept,
            State::Refused(why) => Reply::Refused { why },
        }
    }

    fn take(&mut self, request: Request<'_>) -> Reply<'_> {
        let next = match (&self.state, request) {
            // One that is kept is not thrown away again.
            (State::Waiting | State::Taking | State::Refused(_), Request::Begin { bytes, prefix }) => {
                self.staging.begin(bytes as usize, &prefix).map(|()| State::Taking)
            }
            (State::Taking, Request::Data { offset, bytes }) => {
                self.staging.add(offset as usize, bytes).map(|()| State::Taking).map_err(Refusal::from)
            }
            (State::Taking, Request::Finish) => self.staging.finish().map(|()| State::Kept),
            // A repeated request, or one out of turn.
            _ => return self.status(),
        };
        self.state = next.unwrap_or_else(|problem| State::Refused(say(format_args!("{problem}"))));
        self.status()
    }
}
