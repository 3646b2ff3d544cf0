//! Knightlight on Arm's MPS3 board with a Cortex-M55, as QEMU emulates it.
#![no_std]
#![no_main]

use cortex_m::Peripherals;
use cortex_m::peripheral::SCB;
use cortex_m_rt::{entry, exception};
use engine_core::nets;
use firmware::adapters::Lit;
use firmware::receive::Queue;
use firmware::{Cluster, FixedResources};
use parts::board::Board;
use parts::cmsdk::Uart;
use parts::light::Light;
use parts::line::{Line, QUEUE_BYTES};
use parts::nvic::Interrupt;
use parts::register::Register;
use parts::systick::SysTick;
use parts::{last_words, run};

/// The hash table: a quarter of a megabyte.
const HASH_CLUSTERS: usize = (256 << 10) / size_of::<Cluster>();
static HASH: [Cluster; HASH_CLUSTERS] = [const { Cluster::new() }; HASH_CLUSTERS];

/// What the peripherals run at.
const UART_HZ: u32 = 25_000_000;
const UART_RECEIVE: Interrupt = Interrupt(33);
// SAFETY: UART 0 of the AN547 image.
const UART: Uart = unsafe { Uart::at(0x5930_3000, UART_RECEIVE) };
static LINE: Line<Uart> = Line::new();

/// What the core runs at.
static CLOCK: SysTick = SysTick::new(32_000_000);

/// LED 0.
// SAFETY: the FPGA's LED register; it touches no memory.
const LIGHT: Light = Light::new(unsafe { Register::at(0x5930_2000) }, 0);

/// The opening book, in flash.
#[cfg(feature = "book")]
static BOOK: &[u8] = include_bytes!(env!("KNIGHTLIGHT_BOOK"));
#[cfg(not(feature = "book"))]
static BOOK: &[u8] = &[];

#[entry]
fn main() -> ! {
    // `entry` makes these the one reference to each static.
    static mut RECEIVED: Queue<QUEUE_BYTES> = Queue::new();
    UART.start(UART_HZ);
    last_words::speak_through(|byte| UART.send(byte));
    if let Some(core) = Peripherals::take() {
        CLOCK.start(core.SYST);
    }
    let board = Lit::new(Board::new(&LINE, UART, RECEIVED, |byte| UART.send(byte), &CLOCK), LIGHT);
    let resources = FixedResources::new(&HASH).with_network(nets::DEFAULT).with_book(BOOK);
    run::run(board, &CLOCK, resources);
    SCB::sys_reset()
}

#[exception]
fn SysTick() {
    CLOCK.on_wrap();
}

#[exception]
unsafe fn DefaultHandler(number: i16) {
    match Interrupt(number) {
        UART_RECEIVE => LINE.on_receive(),
        Interrupt(other) => panic!("interrupt {other} has no handler"),
    }
}
