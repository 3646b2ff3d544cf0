//! The network, in RAM.
//!
//! For boards whose flash is a chip of its own behind four wires and 16 KB of cache, which the program needs for itself: each
//! of the some 500 bytes of the first layer that a node reads would come over the wires. 92 KB of RAM are better spent here
//! than on the hash table, which is still longer than a game's minutes fill.

use engine_core::nets;

/// As the engine wants it: an address that suits every machine.
#[repr(align(32))]
struct Aligned<T>(T);

// SAFETY: all of `.data` has been copied from flash to RAM before anything looks at it.
#[unsafe(link_section = ".data.network")]
static NETWORK: Aligned<[u8; nets::DEFAULT.len()]> = Aligned(*nets::DEFAULT.first_chunk().expect("its own length"));

/// The default network. Only a program that asks for it holds it in RAM.
pub fn network() -> &'static [u8] {
    &NETWORK.0
}
