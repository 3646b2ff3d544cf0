//! The parts of the program's memory that are flash of their own: for a network, for one that comes over the line, and for
//! a book. `memory.x` says where they are.

use core::slice;
use firmware::flash::Ram;
use parts::run::Flash;

/// Takes the parts.
///
/// # Safety
/// This is called once.
pub unsafe fn take() -> Flash {
    unsafe extern "C" {
        static mut _net: u8;
        static _net_bytes: u8;
        static mut _staging: u8;
        static _staging_bytes: u8;
        static _book: u8;
        static _book_bytes: u8;
    }
    // A symbol's address is its value.
    let (net_bytes, staging_bytes, book_bytes) =
        ((&raw const _net_bytes).addr(), (&raw const _staging_bytes).addr(), (&raw const _book_bytes).addr());
    // SAFETY: the linker puts nothing into these parts of memory, so that nobody else refers to them, and bytes are
    // valid whatever they are.
    unsafe {
        Flash {
            net: Ram::new(slice::from_raw_parts_mut(&raw mut _net, net_bytes)),
            staging: Ram::new(slice::from_raw_parts_mut(&raw mut _staging, staging_bytes)),
            book: slice::from_raw_parts(&raw const _book, book_bytes),
        }
    }
}
