//! Knightlight on {{board}}.
#![no_std]
#![no_main]

mod board;
mod failure;
mod uart;

use cortex_m_rt::entry;
use engine_core::nets;
use firmware::FixedResources;

#[entry]
fn main() -> ! {
    let mut board = board::start();
    let resources = FixedResources::new(hal_parts::memory::hash_table()).with_network(nets::DEFAULT);
    firmware::greet(&mut board, &resources);
    firmware::run(&mut board, resources);
    // `quit` starts the board anew.
    cortex_m::peripheral::SCB::sys_reset()
}
