//! Talking to the emulator itself. Without `-semihosting-config enable=on` every one of these faults.

use cortex_m_semihosting::{debug, nr, syscall1};

/// The words after the program's own name: what `-append` gave. `None` when they do not fit or are not UTF-8.
pub fn command_line(buffer: &mut [u8]) -> Option<&str> {
    /// What the call takes: the buffer, and its length in and the text's length out.
    #[repr(C)]
    struct Block {
        buffer: usize,
        length: usize,
    }
    let mut block = Block { buffer: buffer.as_mut_ptr().expose_provenance(), length: buffer.len() };
    // SAFETY: the block describes `buffer`, which nothing else holds. The host writes at most `length` bytes into it,
    // and the length of what it wrote into the block.
    let failed = unsafe { syscall1(nr::GET_CMDLINE, (&raw mut block).expose_provenance()) } != 0;
    if failed {
        return None;
    }
    let line = str::from_utf8(buffer.get(..block.length)?).ok()?.trim_end_matches('\0');
    Some(line.split_once(' ').map_or("", |(_program, words)| words.trim()))
}

/// Ends the emulator.
pub fn exit(success: bool) -> ! {
    debug::exit(if success { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {
        cortex_m::asm::wfi();
    }
}
