//! Random games, by shakmaty's rules, and the 960 start positions.

use shakmaty::{CastlingMode, Chess, Position, fen::Fen};

/// A small generator of random numbers (splitmix64): the same games every time.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator that starts from a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `count`.
    pub const fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }
}

/// The back rank of a Chess960 start position, in lower case, by its number below 960.
///
/// Source: Reinhard Scharnagl's numbering, <https://en.wikipedia.org/wiki/Fischer_random_chess_numbering_scheme>.
#[must_use]
pub fn back_rank(number: usize) -> String {
    let mut rank = [' '; 8];
    rank[2 * (number % 4) + 1] = 'b';
    rank[2 * (number / 4 % 4)] = 'b';
    let mut place = |nth: usize, piece: char| {
        let free: Vec<usize> = (0..8).filter(|&file| rank[file] == ' ').collect();
        rank[free[nth]] = piece;
    };
    place(number / 16 % 6, 'q');
    // The pairs of free squares among five that the knights take, in order.
    let knights = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = knights[number / 96];
    place(first, 'n');
    place(second - 1, 'n');
    place(0, 'r');
    place(0, 'k');
    place(0, 'r');
    rank.iter().collect()
}

/// The FEN of a Chess960 start position, by its number below 960.
#[must_use]
pub fn start_fen(number: usize) -> String {
    let rank = back_rank(number);
    format!("{rank}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", rank.to_uppercase())
}

/// Calls `visit` with each position of a random game of at most `plies` plies.
///
/// # Panics
/// If the start position is not one.
pub fn walk(random: &mut Random, number: usize, plies: usize, mut visit: impl FnMut(&Chess)) {
    let fen: Fen = start_fen(number).parse().expect("a start position");
    let mut position: Chess = fen.into_position(CastlingMode::Chess960).expect("a start position");
    for _ in 0..plies {
        visit(&position);
        let moves = position.legal_moves();
        if moves.is_empty() || position.is_insufficient_material() {
            return;
        }
        position.play_unchecked(moves[random.below(moves.len())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_start_is_number_518() {
        assert_eq!(back_rank(518), "rnbqkbnr");
        assert_eq!(back_rank(0), "bbqnnrkr");
        assert_eq!(back_rank(959), "rkrnnqbb");
    }
}
