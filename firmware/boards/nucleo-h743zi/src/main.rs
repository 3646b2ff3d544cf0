//! Knightlight on ST's Nucleo-H743ZI.
#![no_std]
#![no_main]

mod board;
mod clocks;
mod failure;

use cortex_m_rt::entry;
use engine_core::nets;
use firmware::FixedResources;

/// The opening book, in flash.
#[cfg(feature = "book")]
static BOOK: &[u8] = include_bytes!(env!("KNIGHTLIGHT_BOOK"));
#[cfg(not(feature = "book"))]
static BOOK: &[u8] = &[];

#[entry]
fn main() -> ! {
    let mut board = board::start();
    let resources = FixedResources::new(hal_parts::memory::hash_table())
        .with_network(nets::DEFAULT)
        .with_policy(nets::POLICY_64)
        .with_book(BOOK);
    firmware::greet(&mut board, &resources);
    firmware::run(&mut board, resources);
    // `quit` starts the board anew.
    cortex_m::peripheral::SCB::sys_reset()
}
