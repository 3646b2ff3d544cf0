//! The board as the engine sees it: wiring, no logic.

use crate::usb_serial::Line;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;
use embassy_rp::clocks::ClockConfig;
use embassy_rp::config::Config;
use embassy_rp::executor::InterruptExecutor;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::interrupt::{InterruptExt, Priority};
use embassy_rp::peripherals::{CORE1, UART0, USB};
use embassy_rp::uart::{self, BufferedInterruptHandler, BufferedUart};
use embassy_rp::watchdog::Watchdog;
use embassy_rp::{Peri, bind_interrupts, interrupt, pac, usb};
use embassy_time::{Duration, Instant};
use firmware::Platform;
use firmware::adapters::{Lit, SerialPort, TwoPorts, Watched};
use static_cell::ConstStaticCell;

/// How long the engine may ask nothing before the board starts anew.
const PATIENCE: Duration = Duration::from_secs(8);

/// What may come on the UART while the engine cannot look: it has no flow control. It looks every few hundredths of a
/// second while it searches and at once while it waits, but its longest answer, to `uci`, is 1,336 bytes, and until they
/// are sent as many may come.
static RECEIVED: ConstStaticCell<[u8; 2048]> = ConstStaticCell::new([0; 2048]);
/// The lines of a search, on their way out while it goes on.
static TO_SEND: ConstStaticCell<[u8; 512]> = ConstStaticCell::new([0; 512]);

/// The USB serial port, which last words go to as well.
pub(crate) static USB_LINE: Line = Line::new();

/// Runs the USB device beside the engine: in an interrupt that nothing else uses.
static BESIDE: InterruptExecutor = InterruptExecutor::new();

bind_interrupts!(struct Interrupts {
    UART0_IRQ => BufferedInterruptHandler<UART0>;
    USBCTRL_IRQ => usb::InterruptHandler<USB>;
});

#[embassy_executor::task]
async fn usb_device(usb: Peri<'static, USB>) {
    USB_LINE.run(usb::Driver::new(usb, Interrupts)).await;
}

#[interrupt]
unsafe fn SWI_IRQ_0() {
    // SAFETY: this is the interrupt that the executor was started with, which alone unmasks it.
    unsafe { BESIDE.on_interrupt() }
}

/// Wakes the core, 9 times a second and more: often enough for the watchdog and for a USB line that nobody hears.
#[exception]
fn SysTick() {}

/// Starts the board's devices with these clocks, and the second core by `start_second`. Called once.
pub fn start(clocks: ClockConfig, start_second: impl FnOnce(Peri<'static, CORE1>)) -> impl Platform {
    let chip = embassy_rp::init(Config::new(clocks));
    start_second(chip.CORE1);

    interrupt::SWI_IRQ_0.set_priority(Priority::P3);
    let usb = usb_device(chip.USB).expect("the first of its kind");
    BESIDE.start(interrupt::SWI_IRQ_0).spawn(usb);

    let mut line = uart::Config::default();
    line.baudrate = 115_200;
    let (received, to_send) = (RECEIVED.take(), TO_SEND.take());
    let uart = BufferedUart::new(chip.UART0, chip.PIN_0, chip.PIN_1, Interrupts, to_send, received, line);
    // With nothing connected to GP1 its level would be chance, and noise would come as bytes.
    pac::PADS_BANK0.gpio(1).modify(|pad| pad.set_pue(true));

    let mut systick = cortex_m::Peripherals::take().expect("nobody else takes them").SYST;
    systick.set_clock_source(SystClkSource::Core);
    systick.set_reload(0x00FF_FFFF);
    systick.clear_current();
    systick.enable_counter();
    systick.enable_interrupt();

    let mut watchdog = Watchdog::new(chip.WATCHDOG);
    watchdog.pause_on_debug(true);
    watchdog.start(PATIENCE);

    // Every interrupt leaves an event behind, so one that comes between the last look and the sleep ends the sleep at
    // once.
    let ports = TwoPorts::new(USB_LINE.port(), uart);
    let port = SerialPort::new(ports, || Instant::now().as_micros(), cortex_m::asm::wfe);
    Lit::new(Watched::new(port, move || watchdog.feed(PATIENCE)), Output::new(chip.PIN_25, Level::Low))
}

/// Starts the board anew, with all its devices.
pub fn restart() -> ! {
    pac::WATCHDOG.ctrl().modify(|register| register.set_trigger(true));
    loop {
        cortex_m::asm::nop();
    }
}
