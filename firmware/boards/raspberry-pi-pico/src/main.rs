//! Knightlight on the Raspberry Pi Pico.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use embassy_rp::clocks::ClockConfig;
use firmware::FixedResources;

/// The opening book, in flash.
#[cfg(feature = "book")]
static BOOK: &[u8] = include_bytes!(env!("KNIGHTLIGHT_BOOK"));
#[cfg(not(feature = "book"))]
static BOOK: &[u8] = &[];

/// What the maker has certified the chip for, at 1.15 V; the HAL raises the voltage. The flash gets half of it, 100 MHz.
const CORE_HZ: u32 = 200_000_000;

#[entry]
fn main() -> ! {
    let mut board =
        pico_parts::board::start(ClockConfig::system_freq(CORE_HZ).expect("out of the 12 MHz of the crystal"), |_| ());
    let resources = FixedResources::new(hal_parts::memory::hash_table())
        .with_network(hal_parts::network::network())
        .with_policy(engine_core::nets::POLICY_64)
        .with_book(BOOK);
    firmware::greet(&mut board, &resources);
    firmware::run(&mut board, resources);
    // `quit` starts the board anew.
    pico_parts::board::restart()
}
