//! Knightlight on Arm's MPS2 board with a Cortex-M4F, as QEMU emulates it.
#![no_std]
#![no_main]

mod board;
mod clock;
mod failure;
mod interrupts;
#[cfg(feature = "measure")]
mod measure;
mod registers;
#[cfg(feature = "measure")]
mod semihosting;
mod uart;

use board::Board;
use cortex_m_rt::entry;
use firmware::receive::Queue;

/// What the core and its peripherals run at.
const CLOCK_HZ: u32 = 25_000_000;

#[entry]
fn main() -> ! {
    // `entry` makes this the one reference to a static.
    static mut RECEIVED: Queue<{ uart::QUEUE_BYTES }> = Queue::new();
    let mut board = Board::start(RECEIVED);
    #[cfg(feature = "measure")]
    measure::run(&mut board, |_board, _words| {});
    #[cfg(not(feature = "measure"))]
    echo(&mut board);
    // The engine has been told to quit: start anew.
    #[cfg(not(feature = "measure"))]
    cortex_m::peripheral::SCB::sys_reset()
}

/// Stands in for the engine's run loop: sends back what it receives, until a `quit`.
#[cfg(not(feature = "measure"))]
fn echo(board: &mut Board) {
    use engine_core::platform::{Platform, Received};
    let mut last = [0; 5];
    while last != *b"quit\n" {
        match board.read() {
            Received::Byte(byte) => {
                board.write(&[byte]);
                last.rotate_left(1);
                last[4] = byte;
            }
            Received::Nothing => board.idle(),
            Received::Closed => return,
        }
        if last == *b"time\n" {
            let mut digits = [b'0'; 17];
            let mut micros = board.micros();
            for digit in digits[..16].iter_mut().rev() {
                *digit += (micros % 10) as u8;
                micros /= 10;
            }
            digits[16] = b'\n';
            board.write(&digits);
            last = [0; 5];
        }
        if last == *b"fail\n" {
            panic!("asked to");
        }
    }
}
