//! The 24 bytes that viriformat and bulletformat share: which squares are occupied, and by what.

use engine_core::chess::{Colour, Piece, Square};

/// Bytes of a placement: a bit for each square from a1, then a nibble for each piece in the order of the squares.
pub const BYTES: usize = 24;

/// Square, colour and the three bits that stand for the role, for each piece in the order of the squares.
///
/// # Errors
/// If there are more pieces than nibbles.
pub fn pieces(bytes: &[u8; BYTES]) -> Result<impl Iterator<Item = (Square, Colour, u8)>, String> {
    let (occupied, nibbles) = bytes.split_at(8);
    let occupied = u64::from_le_bytes(std::array::from_fn(|i| occupied[i]));
    if occupied.count_ones() > 32 {
        return Err(format!("{} pieces", occupied.count_ones()));
    }
    let squares = Square::all().filter(move |square| occupied >> square.index() & 1 != 0);
    Ok(squares.enumerate().map(|(index, square)| {
        let nibble = nibbles[index / 2] >> (4 * (index % 2)) & 15;
        (square, if nibble < 8 { Colour::White } else { Colour::Black }, nibble & 7)
    }))
}

/// The first field of a FEN; squares from a1 to h8.
pub fn placement(squares: &[Option<Piece>; 64]) -> String {
    let mut text = String::with_capacity(72);
    for (from_top, rank) in squares.as_chunks::<8>().0.iter().rev().enumerate() {
        if from_top > 0 {
            text.push('/');
        }
        let mut empty = 0;
        for piece in rank {
            if piece.is_some() {
                push_empty(&mut text, &mut empty);
            }
            match piece {
                Some(piece) => text.push(piece.letter()),
                None => empty += 1,
            }
        }
        push_empty(&mut text, &mut empty);
    }
    text
}

fn push_empty(text: &mut String, empty: &mut u8) {
    if *empty > 0 {
        text.push(char::from(b'0' + *empty));
        *empty = 0;
    }
}
