//! Slides for desktops: one multiplication and one look-up in 844 KB of tables, which the build script fills.
//!
//! Source of the idea: Pradyumna Kannan, "Magic Move-Bitboard Generation in Computer Chess";
//! <https://www.chessprogramming.org/Magic_Bitboards>.

use super::kindergarten;
use super::multipliers::{BISHOP_MULTIPLIERS, ROOK_MULTIPLIERS};
use crate::chess::{Bitboard, File, Rank, Square};

struct Magic {
    /// The squares whose occupancy matters: the rays without their last squares.
    mask: u64,
    multiplier: u64,
    /// Where this square's part of the table begins.
    offset: u32,
    /// 64 less the number of squares in the mask.
    shift: u32,
}

impl Magic {
    fn index(&self, occupied: Bitboard) -> usize {
        self.offset as usize + ((occupied.0 & self.mask).wrapping_mul(self.multiplier) >> self.shift) as usize
    }
}

/// The squares of a rank or file of the edge, unless the square stands on that line itself.
const fn edges(square: Square) -> u64 {
    let ranks = Bitboard::rank(Rank::FIRST).0 | Bitboard::rank(Rank::EIGHTH).0;
    let files = Bitboard::file(File::A).0 | Bitboard::file(File::H).0;
    ranks & !Bitboard::rank(square.rank()).0 | files & !Bitboard::file(square.file()).0
}

const fn magics(multipliers: &[u64; 64], bishop: bool) -> [Magic; 64] {
    let mut magics = [const { Magic { mask: 0, multiplier: 0, offset: 0, shift: 0 } }; 64];
    let mut offset = 0;
    let mut index = 0;
    while index < 64 {
        let square = Square::new(index as u8);
        let rays = if bishop {
            kindergarten::bishop(square, Bitboard::EMPTY)
        } else {
            kindergarten::rook(square, Bitboard::EMPTY)
        };
        let mask = rays.0 & !edges(square);
        magics[index] = Magic { mask, multiplier: multipliers[index], offset, shift: 64 - mask.count_ones() };
        offset += 1 << mask.count_ones();
        index += 1;
    }
    magics
}

static BISHOPS: [Magic; 64] = magics(&BISHOP_MULTIPLIERS, true);
static ROOKS: [Magic; 64] = magics(&ROOK_MULTIPLIERS, false);

/// Attack sets as little-endian bytes, starting on a cache line.
#[repr(align(64))]
struct Table<const BYTES: usize>([u8; BYTES]);

impl<const BYTES: usize> Table<BYTES> {
    fn get(&self, index: usize) -> Bitboard {
        let (sets, _) = self.0.as_chunks::<8>();
        Bitboard(u64::from_le_bytes(sets[index]))
    }
}

static BISHOP_ATTACKS: Table<{ 8 * 5_248 }> = Table(*include_bytes!(concat!(env!("OUT_DIR"), "/bishop_attacks.bin")));
static ROOK_ATTACKS: Table<{ 8 * 102_400 }> = Table(*include_bytes!(concat!(env!("OUT_DIR"), "/rook_attacks.bin")));

#[inline]
pub(super) fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    BISHOP_ATTACKS.get(BISHOPS[square.index()].index(occupied))
}

#[inline]
pub(super) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    ROOK_ATTACKS.get(ROOKS[square.index()].index(occupied))
}
