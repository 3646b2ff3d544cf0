//! When all is lost: one line on the serial port that a chess program shows, then silence.

use core::cell::Cell;
use core::fmt::{self, Write};
use core::panic::PanicInfo;

use critical_section::Mutex;

/// Sends a byte in any state of the program.
static SEND: Mutex<Cell<Option<fn(u8)>>> = Mutex::new(Cell::new(None));

/// From now on a panic or a fault is told of by `send`, which waits for the port and nothing else.
pub fn speak_through(send: fn(u8)) {
    critical_section::with(|cs| SEND.borrow(cs).set(Some(send)));
}

struct LastWords(Option<fn(u8)>);

impl Write for LastWords {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if let Some(send) = self.0 {
            text.bytes().for_each(send);
        }
        Ok(())
    }
}

/// Says the line with interrupts off, and stops.
fn die(line: fmt::Arguments<'_>) -> ! {
    critical_section::with(|cs| {
        // Sending cannot fail.
        let _ = writeln!(LastWords(SEND.borrow(cs).get()), "\ninfo string panic: {line}");
        halt()
    })
}

#[cfg(feature = "measure")]
fn halt() -> ! {
    semihosting::process::exit(1)
}

#[cfg(not(feature = "measure"))]
fn halt() -> ! {
    loop {
        crate::wfi();
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    match info.location() {
        Some(place) => die(format_args!("{}:{}: {}", place.file(), place.line(), info.message())),
        None => die(format_args!("{}", info.message())),
    }
}

/// Takes the whole stack anew, for there may be none left, and tells of the fault.
#[cfg(target_arch = "arm")]
#[unsafe(naked)]
// SAFETY: the name is the one that cortex-m-rt has in its vectors.
#[unsafe(export_name = "HardFault")]
unsafe extern "C" fn hard_fault() -> ! {
    core::arch::naked_asm!(
        "mrs r0, MSP",
        "ldr r1, 0f",
        "msr MSP, r1",
        "ldr r1, 1f",
        "bx r1",
        ".align 2",
        "0: .word {top}",
        "1: .word {tell}",
        top = sym crate::stack::_stack_start,
        tell = sym tell_of_fault,
    )
}

/// The processor has left what it was doing at `frame`, unless the stack was full.
#[cfg(target_arch = "arm")]
extern "C" fn tell_of_fault(frame: *const cortex_m_rt::ExceptionFrame) -> ! {
    if frame.addr() < crate::stack::bottom().addr() {
        die(format_args!("stack overflow"))
    }
    // SAFETY: the processor has put it on the stack, of which only the top has been taken anew.
    let pc = unsafe { (*frame).pc() };
    die(format_args!("hard fault at {pc:#010x}"))
}

/// Every exception that has no handler of its own; there are no others here.
#[cfg(target_arch = "riscv32")]
// SAFETY: the name and the type are those that riscv-rt asks for.
#[unsafe(export_name = "ExceptionHandler")]
extern "C" fn exception(_: &riscv_rt::TrapFrame) -> ! {
    let (cause, pc) = (riscv::register::mcause::read().code(), riscv::register::mepc::read());
    die(format_args!("exception {cause} at {pc:#010x}"))
}
