//! The board as the engine sees it: wiring, no logic.

use crate::clocks;
use embassy_stm32::gpio::{Level, Output, Pull, Speed};
use embassy_stm32::usart::{self, BufferedUart};
use embassy_stm32::wdg::IndependentWatchdog;
use embassy_stm32::{Config, bind_interrupts, peripherals};
use embassy_time::Instant;
use firmware::Platform;
use firmware::adapters::{Lit, SerialPort, Watched};
use static_cell::ConstStaticCell;

/// How long the engine may ask nothing before the board starts anew. The watchdog's own clock may be a third off.
const PATIENCE_US: u32 = 8_000_000;

/// What may come while the engine cannot look: the line has no flow control. It looks every few milliseconds while it
/// searches and at once while it waits, but its longest answer, to `uci`, is 1,336 bytes, and until they are sent as many
/// may come.
static RECEIVED: ConstStaticCell<[u8; 2048]> = ConstStaticCell::new([0; 2048]);
/// The lines of a search, on their way out while it goes on.
static TO_SEND: ConstStaticCell<[u8; 512]> = ConstStaticCell::new([0; 512]);

bind_interrupts!(struct Interrupts {
    USART3 => usart::BufferedInterruptHandler<peripherals::USART3>;
});

/// Starts the board's devices. Called once.
pub fn start() -> impl Platform {
    let mut config = Config::default();
    config.rcc = clocks::full_speed();
    let chip = embassy_stm32::init(config);
    // No device reads or writes memory by itself, so nothing can disagree with the data cache.
    let mut core = cortex_m::Peripherals::take().expect("nobody else takes them");
    core.SCB.enable_icache();
    core.SCB.enable_dcache(&mut core.CPUID);

    let mut line = usart::Config::default();
    line.baudrate = 115_200;
    line.rx_pull = Pull::Up;
    let (received, to_send) = (RECEIVED.take(), TO_SEND.take());
    let uart = BufferedUart::new(chip.USART3, chip.PD9, chip.PD8, to_send, received, Interrupts, line)
        .expect("115,200 baud out of 100 MHz");

    let mut watchdog = IndependentWatchdog::new(chip.IWDG1, PATIENCE_US);
    watchdog.unleash();

    // Every interrupt leaves an event behind, so one that comes between the last look and the sleep ends the sleep at
    // once. The clock's timer interrupts 30 times a second, far more often than the watchdog needs.
    let port = SerialPort::new(uart, || Instant::now().as_micros(), cortex_m::asm::wfe);
    Lit::new(Watched::new(port, move || watchdog.pet()), Output::new(chip.PB0, Level::Low, Speed::Low))
}
