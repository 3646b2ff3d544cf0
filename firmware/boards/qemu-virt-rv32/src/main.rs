//! Knightlight on QEMU's own RISC-V machine, with 32 bits.
#![no_std]
#![no_main]

mod second;

use engine_core::nets;
use firmware::receive::Queue;
use firmware::{Cluster, FixedResources};
use parts::board::Board;
use parts::line::{Line, QUEUE_BYTES};
use parts::mtime::Mtime;
use parts::ns16550::Uart;
use parts::plic::Plic;
use parts::register::Register;
use parts::{last_words, run};
use riscv::interrupt::Interrupt;
use riscv_rt::{core_interrupt, entry};
use static_cell::ConstStaticCell;

/// The hash table: one megabyte.
const HASH_CLUSTERS: usize = (1 << 20) / size_of::<Cluster>();
static HASH: [Cluster; HASH_CLUSTERS] = [const { Cluster::new() }; HASH_CLUSTERS];

const UART_HZ: u32 = 3_686_400;
const UART_RECEIVE: u32 = 10;
// SAFETY: the machine's UART.
const UART: Uart = unsafe { Uart::at(0x1000_0000) };
static LINE: Line<Uart> = Line::new();
static RECEIVED: ConstStaticCell<Queue<QUEUE_BYTES>> = ConstStaticCell::new(Queue::new());

// SAFETY: the machine's interrupt controller; this core is the only one that it interrupts, in machine mode.
const PLIC: Plic = unsafe { Plic::at(0x0C00_0000) };

static CLOCK: Mtime = Mtime::new(10_000_000);

/// Ends or resets the machine.
// SAFETY: the machine's test finisher; it touches no memory.
const FINISHER: Register = unsafe { Register::at(0x10_0000) };
const FINISHER_RESET: u32 = 0x7777;

/// The opening book, in flash.
#[cfg(feature = "book")]
static BOOK: &[u8] = include_bytes!(env!("KNIGHTLIGHT_BOOK"));
#[cfg(not(feature = "book"))]
static BOOK: &[u8] = &[];

#[entry]
fn main() -> ! {
    UART.start(UART_HZ);
    last_words::speak_through(|byte| UART.send(byte));
    PLIC.start(UART_RECEIVE);
    second::start();
    let board = Board::new(&LINE, UART, RECEIVED.take(), |byte| UART.send(byte), &CLOCK);
    let resources = FixedResources::new(&HASH)
        .with_network(nets::DEFAULT)
        .with_policy(nets::POLICY_64)
        .with_book(BOOK)
        .with_processors(&second::SECOND);
    run::run(board, &CLOCK, resources);
    FINISHER.write(FINISHER_RESET);
    panic!("the machine did not reset itself")
}

#[core_interrupt(Interrupt::MachineExternal)]
fn external() {
    PLIC.serve(|source| match source {
        UART_RECEIVE => LINE.on_receive(),
        other => panic!("interrupt {other} has no handler"),
    });
}
