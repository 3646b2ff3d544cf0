//! Opening books in the Polyglot format, read in place.
//!
//! A book is a sorted array of 16-byte entries: the position's key (the board's own), a move, a weight and a number
//! that is not used. Source: "Polyglot book format" by Michel Van den Bergh, <http://hgm.nubati.net/book_format.html>.

use crate::chess::{Board, MAX_MOVES, Move, Role, Square};

/// The bytes of an entry.
const ENTRY: usize = 16;

/// A book over bytes that stay where they are, in a file's buffer or in flash.
#[derive(Clone, Copy, Debug)]
pub struct Book<'a> {
    entries: &'a [[u8; ENTRY]],
}

impl<'a> Book<'a> {
    /// A book over the bytes of a Polyglot file. Bytes after the last whole entry are not looked at; a book without
    /// entries knows no moves.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { entries: bytes.as_chunks::<ENTRY>().0 }
    }

    /// How many entries the book holds.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the book holds nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The moves that the book knows here, with their weights. A move that is not legal (the key of another position
    /// happens to be the same) is left out.
    pub fn moves<'b>(&self, board: &'b Board) -> impl Iterator<Item = (Move, u16)> + use<'a, 'b> {
        let key = board.key();
        let first = self.entries.partition_point(|entry| entry_key(entry) < key);
        let entries = self.entries.get(first..).unwrap_or_default();
        // A book may be damaged, or made to do harm: no position has more moves than this.
        let of_position = entries.iter().take(MAX_MOVES).take_while(move |entry| entry_key(entry) == key);
        of_position.filter_map(move |entry| {
            let [.., move_high, move_low, weight_high, weight_low, _, _, _, _] = *entry;
            let mv = decode(board, u16::from_be_bytes([move_high, move_low]))?;
            Some((mv, u16::from_be_bytes([weight_high, weight_low])))
        })
    }

    /// The move of the greatest weight that the book knows here, the first of several; none without a weight.
    #[must_use]
    pub fn best(&self, board: &Board) -> Option<Move> {
        let heavier = |best: Option<(Move, u16)>, (mv, weight)| {
            if weight > best.map_or(0, |(_, weight)| weight) { Some((mv, weight)) } else { best }
        };
        self.moves(board).fold(None, heavier).map(|(mv, _)| mv)
    }

    /// One of the moves that the book knows here, each as likely as its weight, decided by `random` alone: the same
    /// number always picks the same move.
    #[must_use]
    pub fn pick(&self, board: &Board, random: u32) -> Option<Move> {
        let total: u32 = self.moves(board).map(|(_, weight)| u32::from(weight)).sum();
        // Scaled, not divided: the same on every machine, and no remainder's bias.
        let mut left = (u64::from(random) * u64::from(total)) >> 32;
        self.moves(board).find_map(|(mv, weight)| {
            let chosen = left < u64::from(weight);
            left = left.saturating_sub(u64::from(weight));
            chosen.then_some(mv)
        })
    }
}

fn entry_key(&[a, b, c, d, e, f, g, h, ..]: &[u8; ENTRY]) -> u64 {
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Reads to (6 bits), from (6), promotion (3), if the move is legal here.
fn decode(board: &Board, bits: u16) -> Option<Move> {
    let to = Square::new((bits & 63) as u8);
    let from = Square::new((bits >> 6 & 63) as u8);
    let promotion = match bits >> 12 & 7 {
        0 => None,
        1 => Some(Role::Knight),
        2 => Some(Role::Bishop),
        3 => Some(Role::Rook),
        4 => Some(Role::Queen),
        _ => return None,
    };
    let candidates = match promotion {
        Some(role) => [Some(Move::promotion(from, to, role)), None, None],
        // The format writes castling as the king taking its rook, as a board does.
        None => [Some(Move::normal(from, to)), Some(Move::castling(from, to)), Some(Move::en_passant(from, to))],
    };
    candidates.into_iter().flatten().find(|&mv| board.is_legal(mv))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use super::*;

    fn entry(key: u64, from: u16, to: u16, promotion: u16, weight: u16) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..8].copy_from_slice(&key.to_be_bytes());
        bytes[8..10].copy_from_slice(&(to | from << 6 | promotion << 12).to_be_bytes());
        bytes[10..12].copy_from_slice(&weight.to_be_bytes());
        bytes
    }

    #[test]
    fn moves_come_with_their_weights_and_as_often() {
        let board = Board::start();
        let (e2, e4, d2, d4) = (12, 28, 11, 27);
        let bytes = [
            entry(board.key() - 1, e2, e4, 0, 9),
            entry(board.key(), e2, e4, 0, 3),
            entry(board.key(), d2, d4, 0, 1),
            entry(board.key(), e4, e2, 0, 7),
            entry(board.key() + 1, e2, e4, 0, 9),
        ]
        .concat();
        let book = Book::new(&bytes);
        let expected = [(board.parse_move(b"e2e4").unwrap(), 3), (board.parse_move(b"d2d4").unwrap(), 1)];
        assert_eq!(book.moves(&board).collect::<Vec<_>>(), expected);
        assert_eq!(book.best(&board), Some(expected[0].0));
        let picks = (0..4).map(|quarter| book.pick(&board, quarter << 30).unwrap());
        assert_eq!(picks.collect::<Vec<_>>(), [expected[0].0, expected[0].0, expected[0].0, expected[1].0]);
        assert_eq!(book.pick(&board.after(expected[0].0), 0), None);
        assert_eq!(book.best(&board.after(expected[0].0)), None);
    }

    #[test]
    fn the_best_move_is_the_heaviest_and_not_without_a_weight() {
        let board = Board::start();
        let (e2, e4, d2, d4) = (12, 28, 11, 27);
        for (weights, best) in
            [([3, 1], Some(b"e2e4")), ([1, 3], Some(b"d2d4")), ([2, 2], Some(b"e2e4")), ([0, 0], None)]
        {
            let bytes = [entry(board.key(), e2, e4, 0, weights[0]), entry(board.key(), d2, d4, 0, weights[1])].concat();
            let best = best.map(|text| board.parse_move(text).unwrap());
            assert_eq!(Book::new(&bytes).best(&board), best, "{weights:?}");
        }
    }

    #[test]
    fn castling_and_promotion_are_read() {
        let board = Board::from_fen("4k3/P7/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        let bytes = [entry(board.key(), 4, 7, 0, 1), entry(board.key(), 48, 56, 4, 1)].concat();
        let moves: Vec<_> = Book::new(&bytes).moves(&board).map(|(mv, _)| mv).collect();
        assert_eq!(moves, [board.parse_move(b"e1g1").unwrap(), board.parse_move(b"a7a8q").unwrap()]);
    }

    #[test]
    fn a_damaged_book_knows_less() {
        let board = Board::start();
        assert!(Book::new(&[]).is_empty());
        assert_eq!(Book::new(&[0; 15]).pick(&board, 5), None);
        assert_eq!(Book::new(&[0xff; 40]).pick(&board, 5), None);
    }
}
