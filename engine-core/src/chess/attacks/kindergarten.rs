//! Slides for small flash: kindergarten bitboards, 1.5 KB of tables, all arithmetic in 32-bit halves.
//!
//! A diagonal has one square a file, so its occupancy folds by one multiplication into a byte, which a table of
//! first-rank attacks turns into the byte of attacked files; another multiplication spreads that byte over the
//! ranks, and the diagonal's mask cuts it out. Ranks need no folding; files fold through one nibble a half.
//! Source: Gerd Isenberg, <https://www.chessprogramming.org/Kindergarten_Bitboards>.

use super::lines::DIAGONALS;
use crate::chess::{Bitboard, Square};

/// Attacked files (as a byte) of a slider on a file, given the occupancy of the six inner files.
static FIRST_RANK: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let occupied = inner << 1;
            let mut reached = 0;
            let mut east = file + 1;
            while east < 8 {
                reached |= 1 << east;
                if occupied >> east & 1 != 0 {
                    break;
                }
                east += 1;
            }
            let mut west = file;
            while west > 0 {
                west -= 1;
                reached |= 1 << west;
                if occupied >> west & 1 != 0 {
                    break;
                }
            }
            table[file][inner] = reached;
            inner += 1;
        }
        file += 1;
    }
    table
};

/// Puts a byte, or a bit, into each of the four ranks of a half board.
const EACH_RANK: u32 = 0x0101_0101;
/// Gathers the bits 0, 8, 16, 24 into bits 24 to 27.
const GATHER: u32 = 0x0102_0408;
/// Spreads the bits 0 to 3 to bits 0, 8, 16, 24 (and leaves others between, to be masked).
const SPREAD: u32 = 0x0020_4081;

/// The files a slider attacks along a diagonal, spread over all ranks and cut out by the diagonal.
const fn along(square: Square, occupied: u64, diagonal: u64) -> u64 {
    let taken = occupied & diagonal;
    let inner = (taken as u32 | (taken >> 32) as u32).wrapping_mul(EACH_RANK) >> 25 & 63;
    let files = (FIRST_RANK[square.file().index()][inner as usize] as u32).wrapping_mul(EACH_RANK);
    (files as u64 | (files as u64) << 32) & diagonal
}

pub(super) const fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let [diagonal, anti_diagonal] = DIAGONALS[square.index()];
    Bitboard(along(square, occupied.0, diagonal.0) | along(square, occupied.0, anti_diagonal.0))
}

/// The occupancy of a file in half a board, as a nibble.
const fn gather(half: u32, file: usize) -> u32 {
    (half >> file & EACH_RANK).wrapping_mul(GATHER) >> 24 & 15
}

/// A nibble as squares of a file in half a board.
const fn spread(nibble: u32, file: usize) -> u32 {
    (nibble.wrapping_mul(SPREAD) & EACH_RANK) << file
}

pub(super) const fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let file = square.file().index();
    let rank = square.rank().index();

    let inner = occupied.0 >> (8 * rank + 1) & 63;
    let row = (FIRST_RANK[file][inner as usize] as u64) << (8 * rank);

    let inner = (gather(occupied.0 as u32, file) | gather((occupied.0 >> 32) as u32, file) << 4) >> 1 & 63;
    let ranks = FIRST_RANK[rank][inner as usize] as u32;
    let column = spread(ranks & 15, file) as u64 | (spread(ranks >> 4, file) as u64) << 32;
    Bitboard(row | column)
}
