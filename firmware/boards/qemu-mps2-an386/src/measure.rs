//! Counts what a piece of work costs: instructions, by a clock that `-icount shift=8` ties to them, and stack, by the
//! paint that start-up left on it.

use crate::board::Board;
use crate::semihosting;
use cortex_m_semihosting::hprintln;

/// One instruction lasts 2^8 nanoseconds under `-icount shift=8`, a tick of the clock 40.
const NANOSECONDS_PER_TICK: u64 = 40;
const INSTRUCTION_SHIFT: u32 = 8;

/// Runs `work` with the words of the emulator's `-append`, prints what it cost and ends the emulator.
pub fn run(board: &mut Board, work: impl FnOnce(&mut Board, &str)) -> ! {
    let mut buffer = [0; 256];
    let Some(words) = semihosting::command_line(&mut buffer) else {
        hprintln!("the command line is longer than 256 bytes, or not UTF-8");
        semihosting::exit(false);
    };
    let reading = ticks_of(board, |_| ());
    let ticks = ticks_of(board, |board| work(board, words)) - reading;
    hprintln!("instructions {}", (ticks * NANOSECONDS_PER_TICK) >> INSTRUCTION_SHIFT);
    hprintln!("stack {}", stack_peak());
    semihosting::exit(true);
}

fn ticks_of(board: &mut Board, work: impl FnOnce(&mut Board)) -> u64 {
    let start = board.clock().ticks();
    work(board);
    board.clock().ticks() - start
}

/// The most bytes of stack ever used: from the top down to the lowest word that no longer has its paint.
fn stack_peak() -> usize {
    unsafe extern "C" {
        static _stack_start: u32;
        static _stack_end: u32;
    }
    let (top, bottom) = (&raw const _stack_start, &raw const _stack_end);
    let mut word = bottom;
    // SAFETY: from `bottom` to `top` is the stack, all of it readable memory. The words may change while they are
    // read, which volatile reads of whole words allow.
    while word < top && unsafe { word.read_volatile() } == cortex_m_rt::STACK_PAINT_VALUE {
        word = word.wrapping_add(1);
    }
    top.addr() - word.addr()
}
