//! The second core, where QEMU was started with `-smp 2`.

use core::arch::global_asm;

use firmware::second::Second;
use parts::register::Register;

/// Where the second core's software interrupt is raised: 1, and lowered: 0.
// SAFETY: the interrupt controller of the cores; it touches no memory.
const DOORBELL: Register = unsafe { Register::at(0x0200_0004) };

/// The second core, woken by its doorbell.
pub static SECOND: Second = Second::new(ring, doze);

/// As much as the first core has at its deepest, and half as much again.
const STACK_BYTES: usize = 128 << 10;

#[repr(align(16))]
struct Stack(#[expect(dead_code, reason = "the second core's alone")] [u8; STACK_BYTES]);

static mut STACK: Stack = Stack([0; STACK_BYTES]);

/// Lets the second core begin, once memory is what the program expects of it.
pub fn start() {
    ring();
}

fn ring() {
    DOORBELL.write(1);
}

/// Sleeps until the doorbell rings. Interrupts stay off here: the bell ends the sleep, and no more.
fn doze() {
    riscv::asm::wfi();
    DOORBELL.write(0);
}

extern "C" fn serve() -> ! {
    SECOND.serve()
}

// `riscv-rt` asks this on each core, with its number in `a0`, whether it is the one that prepares memory. The second core
// sleeps until that is done, and goes its own way.
global_asm!(
    ".section .text._mp_hook",
    ".global _mp_hook",
    "_mp_hook:",
    "beqz a0, 2f",
    "csrwi mie, 8",
    "1:",
    "wfi",
    "csrr t0, mip",
    "andi t0, t0, 8",
    "beqz t0, 1b",
    "la sp, {stack}",
    "li t0, {bytes}",
    "add sp, sp, t0",
    "tail {serve}",
    "2:",
    "li a0, 1",
    "ret",
    stack = sym STACK,
    bytes = const STACK_BYTES,
    serve = sym serve,
);
