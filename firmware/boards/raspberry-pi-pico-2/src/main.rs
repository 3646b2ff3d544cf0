//! Knightlight on the Raspberry Pi Pico 2.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use embassy_rp::clocks::ClockConfig;
use embassy_rp::multicore::{Stack, spawn_core1};
use firmware::FixedResources;
use firmware::second::Second;
use static_cell::ConstStaticCell;

/// The opening book, in flash.
#[cfg(feature = "book")]
static BOOK: &[u8] = include_bytes!(env!("KNIGHTLIGHT_BOOK"));
#[cfg(not(feature = "book"))]
static BOOK: &[u8] = &[];

/// The crystal. The HAL makes 150 MHz of it, what the chip is specified for.
const CRYSTAL_HZ: u32 = 12_000_000;

/// The second core, which helps to search. An event ends its sleep, even one that comes before it.
static SECOND: Second = Second::new(cortex_m::asm::sev, cortex_m::asm::wfe);
/// As much as the first has.
static SECOND_STACK: ConstStaticCell<Stack<{ 112 << 10 }>> = ConstStaticCell::new(Stack::new());

#[entry]
fn main() -> ! {
    let mut board = pico_parts::board::start(ClockConfig::crystal(CRYSTAL_HZ), |core| {
        spawn_core1(core, SECOND_STACK.take(), || SECOND.serve());
    });
    let resources = FixedResources::new(hal_parts::memory::hash_table())
        .with_network(hal_parts::network::network())
        .with_policy(engine_core::nets::POLICY_64)
        .with_book(BOOK)
        .with_processors(&SECOND);
    firmware::greet(&mut board, &resources);
    firmware::run(&mut board, resources);
    // `quit` starts the board anew.
    pico_parts::board::restart()
}
