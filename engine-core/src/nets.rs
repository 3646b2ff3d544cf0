//! The networks that come with the engine. `engine-core/nets/README.md` is the record of how they were made.
//!
//! A program carries those that it names, and no others.

/// A blob at an address that suits every machine.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Aligned<T: ?Sized>(pub T);

/// The blob of a file in `nets/`.
macro_rules! blob {
    ($file:literal) => {{
        static BLOB: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!("../nets/", $file)));
        &BLOB.0
    }};
}

/// 128 units wide, 92 KB: for desktops, and boards with 512 KB of flash or more.
pub static VALUE_128: &[u8] = blob!("value-128.net");

/// 64 units wide, 46 KB: for boards with less flash, or where every instruction counts.
pub static VALUE_64: &[u8] = blob!("value-64.net");

/// 32 units wide, 23 KB: for the smallest boards.
pub static VALUE_32: &[u8] = blob!("value-32.net");

/// A policy net, 64 units wide, 385 KB: for desktops, and boards with 1 MB of flash or more.
pub static POLICY_64: &[u8] = blob!("policy-64.net");

/// The one that the native program plays with.
pub static DEFAULT: &[u8] = VALUE_128;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;
    use crate::chess::Game;
    use crate::net::{PolicyNet, ValueNet};

    #[test]
    fn each_loads_and_knows_a_queen_from_none() {
        for (blob, width) in [(VALUE_128, 128), (VALUE_64, 64), (VALUE_32, 32)] {
            let net = ValueNet::load(blob).expect("a network");
            assert_eq!(net.shape().width, width);
            let without_black_queen = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
            let board = Board::from_fen(without_black_queen).expect("a position");
            assert!(net.evaluate(&board) > 300, "{}", net.name());
            assert!(net.evaluate(&Board::start()).abs() < 100, "{}", net.name());
        }
    }

    #[test]
    fn the_policy_net_takes_back() {
        let net = PolicyNet::load(POLICY_64).expect("a policy net");
        let board =
            Board::from_fen("rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 3").expect("a position");
        let best = net.preferences(&Game::new(board), &board.legal_moves())[0];
        assert_eq!(Ok(best.mv), board.parse_move(b"c3d5"));
        assert!(best.chance > 5_000, "{best:?}");
    }
}
