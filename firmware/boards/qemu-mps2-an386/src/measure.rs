//! Counts what a piece of work costs: instructions, by a clock that `-icount shift=8` ties to them, and stack, by the
//! paint that start-up left on it.

use crate::board::Board;
use crate::semihosting;
use cortex_m_semihosting::hprintln;

/// One instruction lasts 2^8 nanoseconds under `-icount shift=8`, a tick of the clock 40.
const NANOSECONDS_PER_TICK: u64 = 40;
const INSTRUCTION_SHIFT: u32 = 8;

/// Runs `work` with the words of the emulator's `-append`, prints how many nodes it says it searched and what that
/// cost, and ends the emulator.
pub fn run(board: &Board, work: impl FnOnce(&str) -> u64) -> ! {
    let mut buffer = [0; 256];
    let Some(words) = semihosting::command_line(&mut buffer) else {
        hprintln!("the command line is longer than 256 bytes, or not UTF-8");
        semihosting::exit(false);
    };
    let (reading, ()) = ticks_of(board, || ());
    let (ticks, nodes) = ticks_of(board, || work(words));
    let instructions = ((ticks - reading) * NANOSECONDS_PER_TICK) >> INSTRUCTION_SHIFT;
    hprintln!("nodes {}", nodes);
    hprintln!("instructions {}", instructions);
    hprintln!("instructions per node {}", instructions / nodes.max(1));
    hprintln!("stack {}", stack_peak());
    semihosting::exit(true);
}

fn ticks_of<T>(board: &Board, work: impl FnOnce() -> T) -> (u64, T) {
    let start = board.clock().ticks();
    let result = work();
    (board.clock().ticks() - start, result)
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
