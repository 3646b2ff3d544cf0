//! Knightlight on Arm's MPS2 board with a Cortex-M4F, as QEMU emulates it.
#![no_std]
#![no_main]

mod board;
mod clock;
mod failure;
mod interrupts;
#[cfg(feature = "measure")]
mod measure;
mod registers;
#[cfg(feature = "measure")]
mod semihosting;
mod uart;
#[cfg(feature = "measure")]
mod workload;

use board::Board;
use cortex_m_rt::entry;
use firmware::Cluster;
use firmware::receive::Queue;

/// What the core and its peripherals run at.
const CLOCK_HZ: u32 = 25_000_000;

/// The hash table: one megabyte.
const HASH_CLUSTERS: usize = (1 << 20) / size_of::<Cluster>();

#[entry]
fn main() -> ! {
    // `entry` makes these the one reference to each static.
    static mut RECEIVED: Queue<{ uart::QUEUE_BYTES }> = Queue::new();
    static mut HASH: [Cluster; HASH_CLUSTERS] = [Cluster::EMPTY; HASH_CLUSTERS];
    let mut board = Board::start(RECEIVED);
    work(&mut board, HASH)
}

/// The opening book, in flash.
#[cfg(all(feature = "book", not(feature = "measure")))]
static BOOK: &[u8] = include_bytes!(env!("KNIGHTLIGHT_BOOK"));
#[cfg(not(any(feature = "book", feature = "measure")))]
static BOOK: &[u8] = &[];

/// Plays until the engine is told to quit, and then starts anew.
#[cfg(not(feature = "measure"))]
fn work(board: &mut Board, hash: &mut [Cluster]) -> ! {
    let resources = firmware::FixedResources::new(hash).with_network(engine_core::nets::DEFAULT).with_book(BOOK);
    firmware::greet(board, &resources);
    firmware::run(board, resources);
    cortex_m::peripheral::SCB::sys_reset()
}

/// Measures what the emulator's `-append` names.
#[cfg(feature = "measure")]
fn work(board: &mut Board, hash: &mut [Cluster]) -> ! {
    measure::run(board, |words| workload::work(words, hash))
}
