//! The board as text: with chess figures or letters, with colours or without.

use shakmaty::{Board, Color, File, Rank, Role, Square};

/// What a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Letters instead of figures.
    pub ascii: bool,
    /// Colours, by ANSI's escape codes.
    pub colour: bool,
}

/// Backgrounds of the 256 colours: light and dark squares, and the same where the last move went.
const LIGHT: u8 = 180;
const DARK: u8 = 137;
const LIGHT_MOVED: u8 = 186;
const DARK_MOVED: u8 = 143;
/// Colours of the pieces on them.
const WHITE_PIECE: u8 = 231;
const BLACK_PIECE: u8 = 16;

/// Draws a board with this side at the bottom; the squares of the last move are marked.
pub fn draw(board: &Board, last: Option<[Square; 2]>, bottom: Color, look: Look) -> String {
    let turn = |index: u32| bottom.fold_wb(index, 7 - index);
    let mut text = String::new();
    for row in (0..8).rev() {
        let rank = Rank::new(turn(row));
        text.push_str(&format!(" {rank} "));
        for column in 0..8 {
            let square = Square::from_coords(File::new(turn(column)), rank);
            let moved = last.is_some_and(|last| last.contains(&square));
            text.push_str(&cell(board, square, moved, look));
        }
        text.push_str(if look.colour { "\x1b[0m\n" } else { "\n" });
    }
    text.push_str("   ");
    for column in 0..8 {
        text.push_str(&format!(" {} ", File::new(turn(column))));
    }
    text.push('\n');
    text
}

/// Three columns: a square.
fn cell(board: &Board, square: Square, moved: bool, look: Look) -> String {
    let piece = board.piece_at(square);
    if look.colour {
        let background = match (square.is_light(), moved) {
            (true, false) => LIGHT,
            (false, false) => DARK,
            (true, true) => LIGHT_MOVED,
            (false, true) => DARK_MOVED,
        };
        let (ink, symbol) = match piece {
            // The colour tells the sides apart, and filled figures are easier to see.
            Some(piece) if look.ascii => (ink(piece.color), piece.char()),
            Some(piece) => (ink(piece.color), figure(Color::Black, piece.role)),
            None => (BLACK_PIECE, ' '),
        };
        return format!("\x1b[48;5;{background};38;5;{ink}m {symbol} ");
    }
    let symbol = match piece {
        Some(piece) if look.ascii => piece.char(),
        Some(piece) => figure(piece.color, piece.role),
        None if look.ascii => '.',
        None => '·',
    };
    if moved { format!("[{symbol}]") } else { format!(" {symbol} ") }
}

fn ink(color: Color) -> u8 {
    color.fold_wb(WHITE_PIECE, BLACK_PIECE)
}

/// The chess figure: outlined for White, filled for Black, as on paper.
fn figure(color: Color, role: Role) -> char {
    let (white, black) = match role {
        Role::Pawn => ('♙', '♟'),
        Role::Knight => ('♘', '♞'),
        Role::Bishop => ('♗', '♝'),
        Role::Rook => ('♖', '♜'),
        Role::Queen => ('♕', '♛'),
        Role::King => ('♔', '♚'),
    };
    color.fold_wb(white, black)
}

#[cfg(test)]
mod tests {
    use shakmaty::{Chess, Position, uci::UciMove};

    use super::*;

    const PLAIN: Look = Look { ascii: true, colour: false };

    fn after_e4() -> Chess {
        let mut position = Chess::default();
        let mv = "e2e4".parse::<UciMove>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(mv);
        position
    }

    #[test]
    fn letters_with_the_last_move_marked() {
        let text = draw(after_e4().board(), Some([Square::E2, Square::E4]), Color::White, PLAIN);
        let expected = concat!(
            " 8  r  n  b  q  k  b  n  r \n",
            " 7  p  p  p  p  p  p  p  p \n",
            " 6  .  .  .  .  .  .  .  . \n",
            " 5  .  .  .  .  .  .  .  . \n",
            " 4  .  .  .  . [P] .  .  . \n",
            " 3  .  .  .  .  .  .  .  . \n",
            " 2  P  P  P  P [.] P  P  P \n",
            " 1  R  N  B  Q  K  B  N  R \n",
            "    a  b  c  d  e  f  g  h \n",
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn black_sees_the_board_from_the_other_side() {
        let text = draw(after_e4().board(), None, Color::Black, Look { ascii: false, ..PLAIN });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], " 1  ♖  ♘  ♗  ♔  ♕  ♗  ♘  ♖ ");
        assert_eq!(lines[3], " 4  ·  ·  ·  ♙  ·  ·  ·  · ");
        assert_eq!(lines[8], "    h  g  f  e  d  c  b  a ");
    }

    #[test]
    fn colours_end_with_the_line() {
        let look = Look { ascii: false, colour: true };
        let text = draw(after_e4().board(), Some([Square::E2, Square::E4]), Color::White, look);
        for line in text.lines().take(8) {
            assert!(line.ends_with("\x1b[0m"), "{line:?}");
        }
        let moved = [LIGHT_MOVED, DARK_MOVED].map(|colour| text.matches(&format!("48;5;{colour};")).count());
        assert_eq!(moved, [2, 0], "e2 and e4 are light");
    }
}
