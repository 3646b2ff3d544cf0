//! Knightlight on boards with Espressif's ESP32-C3.
#![no_std]
#![no_main]

mod board;
mod event;
mod failure;
mod uart;
mod usb_serial;

use engine_core::nets;
use firmware::FixedResources;

// What the boot loader looks for: that this is a program.
esp_bootloader_esp_idf::esp_app_desc!();

/// The opening book, in flash.
#[cfg(feature = "book")]
static BOOK: &[u8] = include_bytes!(env!("KNIGHTLIGHT_BOOK"));
#[cfg(not(feature = "book"))]
static BOOK: &[u8] = &[];

#[esp_hal::main]
fn main() -> ! {
    let mut board = board::start();
    let resources = FixedResources::new(hal_parts::memory::hash_table())
        .with_network(hal_parts::network::network())
        .with_policy(nets::POLICY_64)
        .with_book(BOOK);
    firmware::greet(&mut board, &resources);
    firmware::run(&mut board, resources);
    // `quit` starts the board anew.
    esp_hal::system::software_reset()
}
