//! A picture of the first layer: for each unit, how it likes every piece on every square.

use std::path::Path;

use anyhow::{Context, Result};
use engine_core::chess::{Colour, File, Piece, Rank, Role, Square};
use engine_core::net::features::{INPUTS, Perspective};

use crate::whole;

/// The pixels of a square's side.
const SQUARE: usize = 3;

/// The pixels of a board's side, with the gap behind it.
const BOARD: usize = 8 * SQUARE + 1;

/// Boards of a unit: own pieces in the upper row, the opponent's below, from pawn to king.
const COLUMNS: usize = 6;
const ROWS: usize = 2;

/// The pixels between units.
const MARGIN: usize = 6;

/// Units beside each other.
const ACROSS: usize = 8;

/// Of a thousand weights, so many are short of full colour.
const SHORT_OF_FULL: usize = 995;

const BACKGROUND: [u8; 3] = [64, 64, 64];
/// What no piece can stand on.
const NO_INPUT: [u8; 3] = [104, 104, 104];

/// An image, row by row.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

/// Draws the first layer's weights, by input and within it by unit, and gives the bytes of a PNG file.
///
/// Each unit is twelve boards, seen from the perspective's side with its king on files a to d: weights above zero are
/// red, below blue, at zero white.
///
/// # Errors
/// If the picture cannot be encoded.
pub fn png(weights: &[f32]) -> Result<Vec<u8>> {
    let canvas = draw(weights);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, canvas.width as u32, canvas.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(canvas.pixels.as_flattened())?;
    Ok(bytes)
}

/// Draws the first layer's weights, as [`png`] does, to a file.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, weights: &[f32]) -> Result<()> {
    whole::write(path, &png(weights)?).with_context(|| format!("cannot write {}", path.display()))
}

fn draw(weights: &[f32]) -> Canvas {
    let units = weights.len() / INPUTS;
    let (tile_width, tile_height) = (COLUMNS * BOARD + MARGIN, ROWS * BOARD + MARGIN);
    let width = ACROSS.min(units) * tile_width + MARGIN;
    let height = units.div_ceil(ACROSS) * tile_height + MARGIN;
    let mut canvas = Canvas { width, height, pixels: vec![BACKGROUND; width * height] };
    let full = full_colour(weights);
    for unit in 0..units {
        let (left, top) = (MARGIN + unit % ACROSS * tile_width, MARGIN + unit / ACROSS * tile_height);
        for (row, colour) in [Colour::White, Colour::Black].into_iter().enumerate() {
            for (column, role) in Role::ALL.into_iter().enumerate() {
                for square in Square::all() {
                    let input = input(Piece::new(colour, role), square);
                    let paint = input.map_or(NO_INPUT, |input| shade(weights[input * units + unit] / full));
                    let x = left + column * BOARD + square.file().index() * SQUARE;
                    let y = top + row * BOARD + (7 - square.rank().index()) * SQUARE;
                    canvas.fill(x, y, paint);
                }
            }
        }
    }
    canvas
}

impl Canvas {
    /// Paints a square of a board.
    fn fill(&mut self, x: usize, y: usize, paint: [u8; 3]) {
        for row in self.pixels.chunks_mut(self.width).skip(y).take(SQUARE) {
            row[x..x + SQUARE].fill(paint);
        }
    }
}

/// The input that a piece on a square is for a White whose king stands on the queen's side, if it can stand there.
fn input(piece: Piece, square: Square) -> Option<usize> {
    let impossible = match piece.role {
        Role::Pawn => matches!(square.rank(), Rank::FIRST | Rank::EIGHTH),
        Role::King => piece.colour == Colour::White && square.file() >= File::E,
        _ => false,
    };
    (!impossible).then(|| Perspective::new(Colour::White, Square::A1).input(piece, square))
}

/// The magnitude that is painted in full colour: one that few weights have, so that those do not make all others pale.
fn full_colour(weights: &[f32]) -> f32 {
    let mut magnitudes: Vec<f32> = weights.iter().map(|weight| weight.abs()).filter(|&weight| weight > 0.0).collect();
    magnitudes.sort_by(f32::total_cmp);
    magnitudes.get(magnitudes.len() * SHORT_OF_FULL / 1000).copied().unwrap_or(0.0).max(f32::MIN_POSITIVE)
}

/// From blue (-1) over white to red (1).
fn shade(value: f32) -> [u8; 3] {
    let rest = (255.0 * (1.0 - value.abs().min(1.0))) as u8;
    if value > 0.0 { [255, rest, rest] } else { [rest, rest, 255] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_has_its_square() {
        let mut seen = [0; INPUTS];
        for colour in Colour::ALL {
            for role in Role::ALL {
                for square in Square::all() {
                    if let Some(input) = input(Piece::new(colour, role), square) {
                        seen[input] += 1;
                    }
                }
            }
        }
        assert_eq!(seen, [1; INPUTS]);
    }

    #[test]
    fn a_weight_is_where_its_piece_stands() {
        // One unit that likes a knight of its own on a1, and hates a pawn of the opponent's on h7.
        let mut weights = [0.0; INPUTS];
        let place = |colour, role, square: Square| input(Piece::new(colour, role), square).expect("an input");
        weights[place(Colour::White, Role::Knight, Square::A1)] = 2.0;
        weights[place(Colour::Black, Role::Pawn, Square::from_name(b"h7").expect("a square"))] = -1.0;
        let canvas = draw(&weights);
        let pixel = |x: usize, y: usize| canvas.pixels[y * canvas.width + x];
        assert_eq!(pixel(MARGIN + BOARD, MARGIN + 7 * SQUARE), [255, 0, 0]);
        assert_eq!(pixel(MARGIN + BOARD + SQUARE, MARGIN + 7 * SQUARE), [255, 255, 255]);
        assert_eq!(pixel(MARGIN + 7 * SQUARE, MARGIN + BOARD + SQUARE), [127, 127, 255]);
        assert_eq!(pixel(MARGIN, MARGIN), NO_INPUT, "no pawn on a8");
    }

    #[test]
    fn the_file_is_a_png_of_the_right_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.png");
        write(&path, &vec![0.5; INPUTS * 16]).expect("written");
        let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).expect("a file")));
        let reader = decoder.read_info().expect("a picture");
        let size = (reader.info().width as usize, reader.info().height as usize);
        assert_eq!(size, (8 * (COLUMNS * BOARD + MARGIN) + MARGIN, 2 * (ROWS * BOARD + MARGIN) + MARGIN));
    }
}
