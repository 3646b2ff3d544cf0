//! Knightlight on a Netduino Plus 2 (STM32F405), as QEMU emulates it, by the vendor's HAL as it is.
#![no_std]
#![no_main]

use cortex_m::Peripherals;
use cortex_m::peripheral::{NVIC, SCB};
use cortex_m_rt::{entry, exception};
use engine_core::nets;
use firmware::adapters::Lit;
use firmware::receive::Queue;
use firmware::{Cluster, FixedResources};
use parts::board::Board;
use parts::line::{BAUD, Line, QUEUE_BYTES, Receiver};
use parts::systick::SysTick;
use parts::{last_words, run};
use stm32f4xx_hal::nb;
use stm32f4xx_hal::pac::{self, USART2, interrupt};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc;
use stm32f4xx_hal::serial::{Config, Rx, RxListen};

/// The hash table: 32 kilobytes.
const HASH_CLUSTERS: usize = (32 << 10) / size_of::<Cluster>();
static HASH: [Cluster; HASH_CLUSTERS] = [const { Cluster::new() }; HASH_CLUSTERS];

static LINE: Line<Port> = Line::new();

/// What QEMU's core runs at, whatever the program makes of the clocks.
static CLOCK: SysTick = SysTick::new(168_000_000);

/// The opening book, in flash.
#[cfg(feature = "book")]
static BOOK: &[u8] = include_bytes!(env!("KNIGHTLIGHT_BOOK"));
#[cfg(not(feature = "book"))]
static BOOK: &[u8] = &[];

#[entry]
fn main() -> ! {
    // `entry` makes these the one reference to each static.
    static mut RECEIVED: Queue<QUEUE_BYTES> = Queue::new();
    let (Some(core), Some(chip)) = (Peripherals::take(), pac::Peripherals::take()) else {
        unreachable!("main is entered once");
    };
    // The internal oscillator: QEMU never reports the others ready.
    let mut rcc = chip.RCC.freeze(rcc::Config::hsi());
    let pins = chip.GPIOA.split(&mut rcc);
    let config = Config::default().baudrate(BAUD.bps());
    let Ok(serial) = chip.USART2.serial((pins.pa2, pins.pa3), config, &mut rcc) else {
        unreachable!("16 MHz can be divided to {BAUD} baud");
    };
    let (mut sender, receiver) = serial.split();
    last_words::speak_through(send);
    CLOCK.start(core.SYST);
    // SAFETY: no critical section here relies on a masked device: they all turn interrupts off.
    unsafe { NVIC::unmask(pac::Interrupt::USART2) };
    let send = move |byte| {
        // Sending cannot fail.
        let _ = nb::block!(sender.write(byte));
    };
    let board = Board::new(&LINE, Port(receiver), RECEIVED, send, &CLOCK);
    let board = Lit::new(board, pins.pa10.into_push_pull_output());
    let resources = FixedResources::new(&HASH).with_network(nets::DEFAULT).with_policy(nets::POLICY_64).with_book(BOOK);
    run::run(board, &CLOCK, resources);
    SCB::sys_reset()
}

/// The receiving half of the serial port.
struct Port(Rx<USART2>);

impl Receiver for Port {
    fn receive(&mut self) -> Option<u8> {
        loop {
            match self.0.read() {
                Ok(byte) => return Some(byte),
                Err(nb::Error::WouldBlock) => return None,
                // Noise costs a byte; the error is cleared by reading it.
                Err(nb::Error::Other(_)) => {}
            }
        }
    }

    fn listen(&mut self, on: bool) {
        if on { self.0.listen() } else { self.0.unlisten() }
    }
}

/// Sends a byte when nobody else does any more.
fn send(byte: u8) {
    // SAFETY: the program has come to its end.
    let usart = unsafe { USART2::steal() };
    while usart.sr().read().txe().bit_is_clear() {}
    usart.dr().write(|w| w.dr().set(byte.into()));
}

#[interrupt]
fn USART2() {
    LINE.on_receive();
}

#[exception]
fn SysTick() {
    CLOCK.on_wrap();
}
