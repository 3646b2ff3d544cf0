//! Knightlight on Arm's MPS2 board with a Cortex-M4F, as QEMU emulates it.
#![no_std]
#![no_main]

mod board;
mod clock;
mod failure;
#[cfg(not(feature = "measure"))]
mod flash;
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

/// Plays until the engine is told to quit or has got another network, and then starts anew.
#[cfg(not(feature = "measure"))]
fn work(board: &mut Board, hash: &mut [Cluster]) -> ! {
    use firmware::flash as store;

    // SAFETY: `main` calls this once, and runs once.
    let flash::Flash { mut net, mut staging, book } = unsafe { flash::Flash::take() };
    let settled = store::settle(&mut net, &mut staging);
    let (network, about_network) = store::network(net.into_bytes(), engine_core::nets::DEFAULT);
    let (book, about_book) = store::book(book);
    let book = if book.is_empty() { BOOK } else { book };
    let resources = firmware::FixedResources::new(hash).with_network(network).with_book(book);
    firmware::greet(board, &resources);
    if let Err(problem) = settled {
        firmware::tell(board, &engine_core::uci::say(format_args!("the network that came is not used: {problem}")));
    }
    for complaint in [about_network, about_book].into_iter().flatten() {
        firmware::tell(board, &complaint);
    }
    store::run(board, resources, &mut staging);
    cortex_m::peripheral::SCB::sys_reset()
}

/// Measures what the emulator's `-append` names.
#[cfg(feature = "measure")]
fn work(board: &mut Board, hash: &mut [Cluster]) -> ! {
    measure::run(board, |words| workload::work(words, hash))
}
