//! Knightlight on Arm's MPS2 board with a Cortex-M4F, as QEMU emulates it.
#![no_std]
#![no_main]

mod flash;

use cortex_m::peripheral::SCB;
use cortex_m_rt::{entry, exception};
use engine_core::nets;
use firmware::adapters::Lit;
use firmware::receive::Queue;
use firmware::{Cluster, FixedResources};
use parts::board::Board;
use parts::cmsdk::{Timer, Uart};
use parts::light::Light;
use parts::line::{Line, QUEUE_BYTES};
use parts::nvic::Interrupt;
use parts::register::Register;
use parts::{last_words, run};

/// What the core and its peripherals run at.
const CLOCK_HZ: u32 = 25_000_000;

/// The hash table: one megabyte.
const HASH_CLUSTERS: usize = (1 << 20) / size_of::<Cluster>();
static HASH: [Cluster; HASH_CLUSTERS] = [const { Cluster::new() }; HASH_CLUSTERS];

const UART_RECEIVE: Interrupt = Interrupt(0);
// SAFETY: UART 0 of the AN386 image.
const UART: Uart = unsafe { Uart::at(0x4000_4000, UART_RECEIVE) };
static LINE: Line<Uart> = Line::new();

const TIMER_WRAP: Interrupt = Interrupt(8);
// SAFETY: timer 0 of the AN386 image.
static TIMER: Timer = unsafe { Timer::at(0x4000_0000, CLOCK_HZ) };

/// LED 0.
// SAFETY: the FPGA's LED register; it touches no memory.
const LIGHT: Light = Light::new(unsafe { Register::at(0x4002_8000) }, 0);

/// The opening book, in flash.
#[cfg(feature = "book")]
static BOOK: &[u8] = include_bytes!(env!("KNIGHTLIGHT_BOOK"));
#[cfg(not(feature = "book"))]
static BOOK: &[u8] = &[];

#[entry]
fn main() -> ! {
    // `entry` makes these the one reference to each static.
    static mut RECEIVED: Queue<QUEUE_BYTES> = Queue::new();
    UART.start(CLOCK_HZ);
    last_words::speak_through(|byte| UART.send(byte));
    TIMER.start();
    TIMER_WRAP.unmask();
    let board = Lit::new(Board::new(&LINE, UART, RECEIVED, |byte| UART.send(byte), &TIMER), LIGHT);
    // SAFETY: `main` runs once.
    let flash = unsafe { flash::take() };
    run::run_from(flash, board, &TIMER, FixedResources::new(&HASH).with_policy(nets::POLICY_64).with_book(BOOK));
    SCB::sys_reset()
}

#[exception]
unsafe fn DefaultHandler(number: i16) {
    match Interrupt(number) {
        UART_RECEIVE => LINE.on_receive(),
        TIMER_WRAP => TIMER.on_wrap(),
        Interrupt(other) => panic!("interrupt {other} has no handler"),
    }
}
