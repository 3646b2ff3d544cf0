//! The board as the engine sees it: wiring, no logic.

use crate::port::Port;
use embassy_nrf::buffered_uarte::{self, BufferedUarte};
use embassy_nrf::config::{Config, HfclkSource, LfclkSource};
use embassy_nrf::gpio::{Level, Output, OutputDrive};
use embassy_nrf::uarte::{self, Baudrate};
use embassy_nrf::wdt::{self, HaltConfig, SleepConfig, Watchdog};
use embassy_nrf::{bind_interrupts, pac, peripherals};
use embassy_time::Instant;
use firmware::Platform;
use firmware::adapters::{ActiveLow, Lit, SerialPort, Watched};
use static_cell::ConstStaticCell;

/// How long the engine may ask nothing before the board starts anew, in ticks of 32,768 Hz. Asleep, the watchdog waits.
const PATIENCE: u32 = 8 * 32_768;

/// What may come while the engine cannot look: the line has no flow control. It looks every few hundredths of a second
/// while it searches and at once while it waits, but its longest answer, to `uci`, is 1,336 bytes, and until they are
/// sent as many may come. DMA fills one half while the other is read.
static RECEIVED: ConstStaticCell<[u8; 4096]> = ConstStaticCell::new([0; 4096]);
/// The lines of a search, on their way out while it goes on.
static TO_SEND: ConstStaticCell<[u8; 512]> = ConstStaticCell::new([0; 512]);

bind_interrupts!(struct Interrupts {
    UARTE0 => buffered_uarte::InterruptHandler<peripherals::UARTE0>;
});

/// Starts the board's devices. Called once.
pub fn start() -> impl Platform {
    let mut config = Config::default();
    // The board has both crystals. The core runs at 64 MHz from either source; the crystal's is exact.
    config.hfclk_source = HfclkSource::ExternalXtal;
    config.lfclk_source = LfclkSource::ExternalXtal;
    let chip = embassy_nrf::init(config);
    // Flash takes two wait states, which the cache for instructions spares most of them. The HAL leaves it off.
    pac::NVMC.icachecnf().write(|register| register.set_cacheen(true));

    let mut line = uarte::Config::default();
    line.baudrate = Baudrate::Baud115200;
    let (received, to_send) = (RECEIVED.take(), TO_SEND.take());
    let uart = BufferedUarte::new(
        chip.UARTE0,
        chip.TIMER0,
        chip.PPI_CH0,
        chip.PPI_CH1,
        chip.PPI_GROUP0,
        chip.P0_08,
        chip.P0_06,
        Interrupts,
        line,
        received,
        to_send,
    );

    let mut rules = wdt::Config::default();
    rules.timeout_ticks = PATIENCE;
    rules.action_during_sleep = SleepConfig::Pause;
    rules.action_during_debug_halt = HaltConfig::Pause;
    // A restart by software leaves it running, by the same rules.
    let Ok((_, [mut watchdog])) = Watchdog::try_new(chip.WDT, rules) else { panic!("a watchdog by other rules") };

    // Every interrupt leaves an event behind, so one that comes between the last look and the sleep ends the sleep at
    // once.
    let port = SerialPort::new(Port(uart), || Instant::now().as_micros(), cortex_m::asm::wfe);
    // LED 1 is between supply and pin.
    let light = ActiveLow::new(Output::new(chip.P0_13, Level::High, OutputDrive::Standard));
    Lit::new(Watched::new(port, move || watchdog.pet()), light)
}
