//! The stack: how much of it there is, and how much was ever used.
//!
//! It is painted before the work begins; where the paint is gone, the stack has been.

use core::ptr;

/// A word that hardly anybody leaves on a stack.
const PAINT: u32 = 0xCCCC_CCCC;

/// Below the frame of `paint`, the bytes that it and an interrupt meanwhile may use.
const IN_USE: usize = 1_024;

// The linker's; their addresses matter, not what is there.
unsafe extern "C" {
    pub(crate) static _stack_start: u32;
    #[cfg_attr(target_arch = "riscv32", link_name = "__estack")]
    static _stack_end: u32;
}

/// The top of the stack, beyond its first word.
fn top() -> *mut u32 {
    (&raw const _stack_start).cast_mut()
}

/// The last word that the stack may grow down to.
pub(crate) fn bottom() -> *mut u32 {
    (&raw const _stack_end).cast_mut()
}

/// The bytes that there are.
#[must_use]
pub fn size() -> usize {
    top().addr() - bottom().addr()
}

/// Paints what is not in use. What is, counts as used ever after.
// In a frame of its own, which lies below all that its caller keeps: inlined, it would paint part of that.
#[inline(never)]
pub fn paint() {
    let here = 0;
    let end = ptr::from_ref(&here).addr() - IN_USE;
    let mut word = bottom();
    while word.addr() < end {
        // SAFETY: between the bottom and the part in use nobody owns the stack's memory.
        unsafe { word.write_volatile(PAINT) };
        word = word.wrapping_add(1);
    }
}

/// The most bytes ever used: from the top down to the lowest word that no longer has its paint.
#[must_use]
pub fn peak() -> usize {
    let mut word = bottom();
    // SAFETY: from the bottom to the top is the stack, all of it readable memory. The words may change while they are
    // read, which volatile reads of whole words allow.
    while word < top() && unsafe { word.read_volatile() } == PAINT {
        word = word.wrapping_add(1);
    }
    top().addr() - word.addr()
}
