//! The hash table: whatever memory is left.
//!
//! A board's `memory.x` keeps the lowest memory for the stack, so that one that grows too far leaves memory and faults
//! instead of eating variables. Then come the variables, and from `_hash_start` to `_hash_end` the table. (The ESP32-C3 has
//! its stack at the top, with a watchpoint at its end.)

use core::cell::Cell;
use core::slice;
use critical_section::Mutex;
use firmware::Cluster;

unsafe extern "C" {
    /// The bounds of the table: their addresses are the values.
    static mut _hash_start: u8;
    static mut _hash_end: u8;
}

static GIVEN: Mutex<Cell<bool>> = Mutex::new(Cell::new(false));

/// The memory between `_hash_start` and `_hash_end` of `memory.x`, as an empty table.
///
/// # Panics
/// If it has been given before.
pub fn hash_table() -> &'static [Cluster] {
    let given = critical_section::with(|cs| GIVEN.borrow(cs).replace(true));
    assert!(!given, "the hash table's memory is given once");
    let (start, end) = (&raw mut _hash_start, &raw mut _hash_end);
    let start = start.map_addr(|address| address.next_multiple_of(align_of::<Cluster>())).cast::<Cluster>();
    let clusters = end.addr().saturating_sub(start.addr()) / size_of::<Cluster>();
    for index in 0..clusters {
        // SAFETY: by the linker script this is memory that holds no variable and no stack, and this function alone
        // gives it, once. `start` is aligned, and the cluster ends at or before `end`.
        unsafe { start.add(index).write(Cluster::new()) };
    }
    // SAFETY: as above, and every cluster has been written.
    unsafe { slice::from_raw_parts(start, clusters) }
}
