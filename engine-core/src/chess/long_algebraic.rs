//! Moves as UCI writes them: `e2e4`, `e7e8q`, castling as `e1g1` or, in Chess960, `e1h1`.

use core::fmt;

use super::{Board, Move, MoveKind, Role, Square, Wing};

/// Why a move was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// It is not two squares and perhaps a promotion letter.
    Syntax,
    /// No legal move of the position is written so.
    Illegal,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "not a move such as e2e4 or e7e8q",
            Self::Illegal => "not legal here",
        })
    }
}

impl core::error::Error for MoveError {}

/// Writes a move as UCI does.
#[derive(Clone, Copy, Debug)]
pub struct LongAlgebraic {
    from: Square,
    to: Square,
    promotion: Option<Role>,
}

impl Move {
    /// The move as UCI writes it. Castling is the king's own two squares, or in Chess960 its square and the rook's.
    #[must_use]
    pub fn long_algebraic(self, chess960: bool) -> LongAlgebraic {
        let to = if self.kind() == MoveKind::Castling && !chess960 { self.castling_king_to() } else { self.to() };
        LongAlgebraic { from: self.from(), to, promotion: self.promotes_to() }
    }

    /// Where a castling king lands.
    pub(crate) fn castling_king_to(self) -> Square {
        let wing = if self.to() > self.from() { Wing::King } else { Wing::Queen };
        Square::at(wing.king_file(), self.from().rank())
    }
}

impl fmt::Display for LongAlgebraic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        match self.promotion {
            Some(role) => write!(f, "{}", role.letter()),
            None => Ok(()),
        }
    }
}

impl Board {
    /// Finds the legal move that is written so. Castling is understood in both notations, whatever the variant; a
    /// promotion letter may be of either case.
    ///
    /// # Errors
    /// If the text is no move, or no legal one.
    pub fn parse_move(&self, text: &[u8]) -> Result<Move, MoveError> {
        let (squares, promotion) = match text {
            [squares @ .., letter] if squares.len() == 4 => {
                let role = Role::from_letter(*letter).filter(|role| Role::PROMOTIONS.contains(role));
                (squares, Some(role.ok_or(MoveError::Syntax)?))
            }
            _ => (text, None),
        };
        let (from, to) = squares.split_at_checked(2).ok_or(MoveError::Syntax)?;
        let from = Square::from_name(from).ok_or(MoveError::Syntax)?;
        let to = Square::from_name(to).ok_or(MoveError::Syntax)?;

        let exact = match promotion {
            Some(role) => [Move::promotion(from, to, role)].into_iter().find(|&mv| self.is_legal(mv)),
            None => [Move::normal(from, to), Move::en_passant(from, to), Move::castling(from, to)]
                .into_iter()
                .find(|&mv| self.is_legal(mv)),
        };
        let by_landing = || {
            let rooks = Wing::ALL.into_iter().filter_map(|wing| self.castling().rook(self.side_to_move(), wing));
            rooks
                .map(|rook| Move::castling(from, rook))
                .find(|&mv| promotion.is_none() && mv.castling_king_to() == to && self.is_legal(mv))
        };
        exact.or_else(by_landing).ok_or(MoveError::Illegal)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;

    #[test]
    fn both_castling_notations_are_read_and_one_is_written() {
        let board = Board::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        for (text, standard, chess960) in [("e1g1", "e1g1", "e1h1"), ("e1a1", "e1c1", "e1a1")] {
            let mv = board.parse_move(text.as_bytes()).unwrap();
            assert_eq!(mv.kind(), MoveKind::Castling);
            assert_eq!(mv.long_algebraic(false).to_string(), standard);
            assert_eq!(mv.long_algebraic(true).to_string(), chess960);
        }
        // In Chess960 a king's plain step is not castling, even where castling would land it there.
        let board = Board::from_fen("4k3/8/8/8/8/8/8/5K1R w H - 0 1").unwrap();
        assert_eq!(board.parse_move(b"f1g1"), Ok(Move::normal(Square::new(5), Square::new(6))));
        assert_eq!(board.parse_move(b"f1h1"), Ok(Move::castling(Square::new(5), Square::new(7))));
    }

    #[test]
    fn what_is_no_move_is_refused() {
        let board = Board::from_fen("8/4P3/8/8/8/2k5/8/4K3 w - - 0 1").unwrap();
        assert_eq!(board.parse_move(b"e7e8Q"), board.parse_move(b"e7e8q"));
        for (text, error) in [
            (&b""[..], MoveError::Syntax),
            (b"e2", MoveError::Syntax),
            (b"0000", MoveError::Syntax),
            (b"e7e8qq", MoveError::Syntax),
            (b"e7e8k", MoveError::Syntax),
            (b"e7e9", MoveError::Syntax),
            (b"e7e8", MoveError::Illegal),
            (b"e1e1", MoveError::Illegal),
            (b"e1c3", MoveError::Illegal),
            (b"e7e6", MoveError::Illegal),
        ] {
            assert_eq!(board.parse_move(text), Err(error), "{text:?}");
        }
    }
}
