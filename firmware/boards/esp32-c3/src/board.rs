//! The board as the engine sees it: wiring, no logic.

use crate::{event, uart, usb_serial};
use core::cell::RefCell;
use critical_section::Mutex;
use esp_hal::Blocking;
use esp_hal::clock::CpuClock;
use esp_hal::gpio::{Level, Output, OutputConfig};
use esp_hal::time::{Duration, Instant};
use esp_hal::timer::PeriodicTimer;
use esp_hal::timer::systimer::SystemTimer;
use esp_hal::timer::timg::{MwdtStage, TimerGroup};
use esp_hal::uart::Uart;
use firmware::Platform;
use firmware::adapters::{ActiveLow, Lit, SerialPort, TwoPorts, Watched};

/// How long the engine may ask nothing before the board starts anew.
const PATIENCE: Duration = Duration::from_secs(8);

/// How often the core wakes, whatever comes: often enough for the watchdog.
const WAKE: Duration = Duration::from_millis(100);

static WAKER: Mutex<RefCell<Option<PeriodicTimer<'static, Blocking>>>> = Mutex::new(RefCell::new(None));

#[esp_hal::handler]
fn on_wake() {
    critical_section::with(|cs| {
        if let Some(waker) = WAKER.borrow_ref_mut(cs).as_mut() {
            waker.clear_interrupt();
        }
    });
    event::send();
}

/// Starts the board's devices. Called once.
pub fn start() -> impl Platform {
    let chip = esp_hal::init(esp_hal::Config::default().with_cpu_clock(CpuClock::max()));

    let mut waker = PeriodicTimer::new(SystemTimer::new(chip.SYSTIMER).alarm0);
    waker.set_interrupt_handler(on_wake);
    critical_section::with(|cs| {
        waker.start(WAKE).expect("52 bits hold it");
        waker.listen();
        WAKER.replace(cs, Some(waker));
    });

    let usb = usb_serial::Port::new(chip.USB_DEVICE);
    let uart = Uart::new(chip.UART0, uart::config())
        .expect("115,200 baud out of 80 MHz")
        .with_rx(chip.GPIO20)
        .with_tx(chip.GPIO21);

    let mut watchdog = TimerGroup::new(chip.TIMG0).wdt;
    watchdog.set_timeout(MwdtStage::Stage0, PATIENCE);
    watchdog.enable();

    let ports = TwoPorts::new(usb, uart::Port::new(uart));
    let port = SerialPort::new(ports, || Instant::now().duration_since_epoch().as_micros(), event::wait);
    let light = ActiveLow::new(Output::new(chip.GPIO8, Level::High, OutputConfig::default()));
    Lit::new(Watched::new(port, move || watchdog.feed()), light)
}
