//! Counts what a piece of work costs: instructions, by a clock that `-icount shift=8` ties to them, and stack.

use semihosting::experimental::env;
use semihosting::{println, process};

use crate::clock::Clock;
use crate::stack;

/// The bytes that the emulator's `-append` may have, with the program's path before them.
const COMMAND_LINE_BYTES: usize = 512;

/// One instruction lasts 2^8 nanoseconds under `-icount shift=8`.
const INSTRUCTIONS_PER_SECOND: u64 = 1_000_000_000 >> 8;

/// Does the work that `-append` names by a word and perhaps a number, prints how many nodes it says it searched and
/// what that cost, and ends the emulator.
pub fn run(clock: &impl Clock, work: impl FnOnce(Option<&str>, Option<u32>) -> u64) -> ! {
    let arguments = env::args::<COMMAND_LINE_BYTES>().expect("a command line of up to 512 bytes");
    let mut words = (&arguments).skip(1).map(|word| word.expect("UTF-8"));
    let (command, number) = (words.next(), words.next().map(|number| number.parse().expect("a number")));
    let (reading, ()) = ticks_of(clock, || ());
    let (ticks, nodes) = ticks_of(clock, || work(command, number));
    let instructions = (ticks - reading) * INSTRUCTIONS_PER_SECOND / u64::from(clock.hz());
    println!("nodes {nodes}");
    println!("instructions {instructions}");
    println!("instructions per node {}", instructions / nodes.max(1));
    println!("stack {}", stack::peak());
    process::exit(0)
}

fn ticks_of<T>(clock: &impl Clock, work: impl FnOnce() -> T) -> (u64, T) {
    let start = clock.ticks();
    let result = work();
    (clock.ticks() - start, result)
}
