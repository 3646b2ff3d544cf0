//! Knightlight on Stellaris' LM3S6965 evaluation board (Cortex-M3), as QEMU emulates it.
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
use parts::light::Light;
use parts::line::{Line, QUEUE_BYTES};
use parts::nvic::Interrupt;
use parts::pl011::Uart;
use parts::register::Register;
use parts::systick::SysTick;
use parts::{last_words, run};

/// What the core and its peripherals run at after a reset: by the internal oscillator, divided by its default.
const CLOCK_HZ: u32 = 12_500_000;

/// The hash table: four kilobytes.
const HASH_CLUSTERS: usize = (4 << 10) / size_of::<Cluster>();
static HASH: [Cluster; HASH_CLUSTERS] = [const { Cluster::new() }; HASH_CLUSTERS];

const UART_RECEIVE: Interrupt = Interrupt(5);
// SAFETY: UART 0 of the chip.
const UART: Uart = unsafe { Uart::at(0x4000_C000, UART_RECEIVE) };
static LINE: Line<Uart> = Line::new();

static CLOCK: SysTick = SysTick::new(CLOCK_HZ);

/// The status light, on pin 0 of port F, through the address that changes this pin alone.
// SAFETY: the port's data register; it touches no memory.
const LIGHT: Light = Light::new(unsafe { Register::at(0x4002_5004) }, 0);

/// The opening book, in flash.
#[cfg(feature = "book")]
static BOOK: &[u8] = include_bytes!(env!("KNIGHTLIGHT_BOOK"));
#[cfg(not(feature = "book"))]
static BOOK: &[u8] = &[];

#[entry]
fn main() -> ! {
    // `entry` makes these the one reference to each static.
    static mut RECEIVED: Queue<QUEUE_BYTES> = Queue::new();
    connect();
    UART.start(CLOCK_HZ);
    last_words::speak_through(|byte| UART.send(byte));
    if let Some(core) = Peripherals::take() {
        CLOCK.start(core.SYST);
    }
    let board = Lit::new(Board::new(&LINE, UART, RECEIVED, |byte| UART.send(byte), &CLOCK), LIGHT);
    let resources = FixedResources::new(&HASH).with_network(nets::DEFAULT).with_book(BOOK);
    run::run(board, &CLOCK, resources);
    SCB::sys_reset()
}

/// Turns on what is used, and gives the UART its pins and the light its own.
fn connect() {
    const UARTS: usize = 0x400F_E104;
    const PORTS: usize = 0x400F_E108;
    const PORT_A: usize = 0x4000_4000;
    const PORT_F: usize = 0x4002_5000;
    const DIRECTION: usize = 0x400;
    const ALTERNATE: usize = 0x420;
    const DIGITAL: usize = 0x51C;
    let connections = [
        (UARTS, 1 << 0),
        (PORTS, 1 << 0 | 1 << 5),
        (PORT_A + ALTERNATE, 0b11),
        (PORT_A + DIGITAL, 0b11),
        (PORT_F + DIRECTION, 1 << 0),
        (PORT_F + DIGITAL, 1 << 0),
    ];
    for (address, bits) in connections {
        // SAFETY: registers of the chip's system control and of its ports; they touch no memory.
        let register = unsafe { Register::<u32>::at(address) };
        register.write(register.read() | bits);
    }
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
