//! Forsyth-Edwards Notation, in and out: standard, Shredder-FEN and X-FEN.
//!
//! Source: the PGN standard, section 16.1; Chess960 castling letters after
//! <https://www.chessprogramming.org/Forsyth-Edwards_Notation>.

use core::fmt;

use super::{Bitboard, Board, CastlingRights, Colour, File, Piece, Rank, Role, Square, Wing};

/// The starting position of standard chess.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Why a FEN was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenError {
    /// The piece placement does not have eight ranks.
    RankCount,
    /// This rank (1 to 8) does not have eight squares.
    RankLength(u8),
    /// The piece placement holds a character that is neither a piece nor a digit 1 to 8.
    UnknownPiece(char),
    /// The second field is missing or neither `w` nor `b`.
    SideToMove,
    /// The third field holds a character that is no castling right, or the right has no king or rook for it.
    Castling(char),
    /// The fourth field is neither `-` nor a square on the rank behind a double step.
    EnPassant,
    /// The fifth field is no number from 0 to 65,535.
    HalfmoveClock,
    /// The sixth field is no number from 0 to 65,535.
    FullmoveNumber,
    /// Something follows the sixth field.
    TooManyFields,
    /// This side has no king, or more than one.
    KingCount(Colour),
    /// This side has more pieces than a game can give it: sixteen in all, and a pawn less for each promoted piece.
    TooManyPieces(Colour),
    /// A pawn stands on the first or the eighth rank.
    PawnOnBackRank,
    /// The side that has just moved is in check.
    OpponentInCheck,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RankCount => f.write_str("piece placement: eight ranks wanted, separated by '/'"),
            Self::RankLength(rank) => write!(f, "piece placement: rank {rank} must fill eight squares"),
            Self::UnknownPiece(c) => {
                write!(f, "piece placement: '{}' is none of PNBRQKpnbrqk or 1-8", c.escape_debug())
            }
            Self::SideToMove => f.write_str("side to move: 'w' or 'b' wanted"),
            Self::Castling(c) => {
                write!(f, "castling: no king and rook for the right '{}'", c.escape_debug())
            }
            Self::EnPassant => f.write_str("en passant: '-' or a square behind a double step wanted"),
            Self::HalfmoveClock => f.write_str("halfmove clock: a number wanted"),
            Self::FullmoveNumber => f.write_str("fullmove number: a number wanted"),
            Self::TooManyFields => f.write_str("more than six fields"),
            Self::KingCount(colour) => write!(f, "{colour:?} must have one king"),
            Self::TooManyPieces(colour) => write!(f, "{colour:?} has more pieces than a game allows"),
            Self::PawnOnBackRank => f.write_str("a pawn stands on the first or eighth rank"),
            Self::OpponentInCheck => f.write_str("the side that has just moved is in check"),
        }
    }
}

impl core::error::Error for FenError {}

impl Board {
    /// The starting position of standard chess.
    #[must_use]
    pub fn start() -> Self {
        // The start position's FEN is right, which a test holds.
        Self::from_fen(START_FEN).unwrap_or(Self::EMPTY)
    }

    /// Reads a FEN. Castling letters may be `KQkq` (the outermost rook, X-FEN) or files (Shredder-FEN). Fields
    /// after the second may be missing: no castling, no en passant, `0`, `1`. An en-passant square that no pawn
    /// has just passed, or where none could take, is dropped.
    ///
    /// # Errors
    /// If a field cannot be read, or the position could not arise: see [`FenError`].
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        let mut fields = fen.split_ascii_whitespace();
        let mut board = Self::EMPTY;
        board.read_placement(fields.next().unwrap_or_default())?;
        board.check_material()?;
        board.side_to_move = match fields.next() {
            Some("w") => Colour::White,
            Some("b") => Colour::Black,
            _ => return Err(FenError::SideToMove),
        };
        board.read_castling(fields.next().unwrap_or("-"))?;
        let en_passant = board.read_en_passant(fields.next().unwrap_or("-"))?;
        board.halfmove_clock = fields.next().unwrap_or("0").parse().map_err(|_| FenError::HalfmoveClock)?;
        let number: u16 = fields.next().unwrap_or("1").parse().map_err(|_| FenError::FullmoveNumber)?;
        board.fullmove_number = number.max(1);
        if fields.next().is_some() {
            return Err(FenError::TooManyFields);
        }

        let us = board.side_to_move;
        if (board.attackers(board.king(!us), board.occupied()) & board.colour(us)).any() {
            return Err(FenError::OpponentInCheck);
        }
        if let Some(square) = en_passant {
            board.set_en_passant(!us, square);
        }
        board.find_checks_and_pins();
        board.key = board.key_from_scratch();
        Ok(board)
    }

    fn read_placement(&mut self, field: &str) -> Result<(), FenError> {
        let mut ranks = 0;
        for (from_top, row) in field.split('/').enumerate() {
            let rank = match from_top {
                0..8 => Rank::new(7 - from_top as u8),
                _ => return Err(FenError::RankCount),
            };
            self.read_rank(rank, row)?;
            ranks += 1;
        }
        if ranks == 8 { Ok(()) } else { Err(FenError::RankCount) }
    }

    fn read_rank(&mut self, rank: Rank, row: &str) -> Result<(), FenError> {
        let wrong_length = FenError::RankLength(rank.index() as u8 + 1);
        let mut file = 0;
        for letter in row.chars() {
            if let Some(empty @ 1..=8) = letter.to_digit(10) {
                file += empty as u8;
            } else {
                let piece = u8::try_from(letter).ok().and_then(Piece::from_letter);
                let piece = piece.ok_or(FenError::UnknownPiece(letter))?;
                if file >= 8 {
                    return Err(wrong_length);
                }
                self.put(piece.colour, piece.role, Square::at(File::new(file), rank));
                file += 1;
            }
            if file > 8 {
                return Err(wrong_length);
            }
        }
        if file == 8 { Ok(()) } else { Err(wrong_length) }
    }

    fn check_material(&self) -> Result<(), FenError> {
        for colour in Colour::ALL {
            if self.pieces(colour, Role::King).len() != 1 {
                return Err(FenError::KingCount(colour));
            }
            let surplus = |role, at_start| self.pieces(colour, role).len().saturating_sub(at_start);
            let promoted =
                surplus(Role::Knight, 2) + surplus(Role::Bishop, 2) + surplus(Role::Rook, 2) + surplus(Role::Queen, 1);
            if self.pieces(colour, Role::Pawn).len() + promoted > 8 {
                return Err(FenError::TooManyPieces(colour));
            }
        }
        if (self.role(Role::Pawn) & Bitboard::BACK_RANKS).any() {
            return Err(FenError::PawnOnBackRank);
        }
        Ok(())
    }

    fn read_castling(&mut self, field: &str) -> Result<(), FenError> {
        let mut rights = CastlingRights::NONE;
        if field != "-" {
            for letter in field.chars() {
                let (colour, wing, rook) = self.castling_right(letter).ok_or(FenError::Castling(letter))?;
                rights.grant(colour, wing, rook);
            }
        }
        self.castling = rights;
        Ok(())
    }

    /// What a castling letter stands for here, if a king and a rook stand where it needs them.
    fn castling_right(&self, letter: char) -> Option<(Colour, Wing, File)> {
        let byte = u8::try_from(letter).ok()?;
        let colour = if byte.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        let home = Rank::FIRST.relative_to(colour);
        let king = self.king(colour);
        if king.rank() != home {
            return None;
        }
        let rooks = self.pieces(colour, Role::Rook) & Bitboard::rank(home);
        let rook = match byte.to_ascii_lowercase() {
            b'k' => rooks.into_iter().filter(|&rook| rook > king).last(),
            b'q' => rooks.into_iter().next().filter(|&rook| rook < king),
            _ => Some(Square::at(File::from_letter(byte)?, home)).filter(|&rook| rooks.has(rook)),
        }?;
        let wing = if rook > king { Wing::King } else { Wing::Queen };
        Some((colour, wing, rook.file()))
    }

    /// The en-passant square of the field, if a pawn has indeed just passed it.
    fn read_en_passant(&self, field: &str) -> Result<Option<Square>, FenError> {
        if field == "-" {
            return Ok(None);
        }
        let us = self.side_to_move;
        let square = Square::from_name(field.as_bytes()).ok_or(FenError::EnPassant)?;
        if square.rank() != Rank::new(5).relative_to(us) {
            return Err(FenError::EnPassant);
        }
        let pawn = square.offset(-us.forward());
        let came_from = square.offset(us.forward());
        let way_is_free = (self.occupied() & (Bitboard::square(square) | came_from.into())).is_empty();
        let passed = way_is_free && self.pieces(!us, Role::Pawn).has(pawn);
        Ok(passed.then_some(square))
    }

    /// The FEN, with `KQkq` wherever the outermost rook castles and the rook's file where another does (X-FEN).
    #[must_use]
    pub const fn fen(&self) -> Fen<'_> {
        Fen { board: self, shredder: false }
    }

    /// The FEN with the rooks' files as castling letters (Shredder-FEN).
    #[must_use]
    pub const fn shredder_fen(&self) -> Fen<'_> {
        Fen { board: self, shredder: true }
    }
}

/// Writes a board as FEN.
#[derive(Clone, Copy, Debug)]
pub struct Fen<'a> {
    board: &'a Board,
    shredder: bool,
}

impl Fen<'_> {
    fn write_placement(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev().map(Rank::new) {
            let mut empty = 0;
            for file in (0..8).map(File::new) {
                match self.board.piece_on(Square::at(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            write!(f, "{empty}")?;
                            empty = 0;
                        }
                        write!(f, "{}", piece.letter())?;
                    }
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if rank != Rank::FIRST {
                f.write_str("/")?;
            }
        }
        Ok(())
    }

    fn write_castling(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.board.castling.is_none() {
            return f.write_str("-");
        }
        for colour in Colour::ALL {
            for wing in Wing::ALL {
                if let Some(rook) = self.board.castling.rook_file(colour, wing) {
                    let letter = self.castling_letter(colour, wing, rook);
                    let letter = if colour == Colour::White { letter.to_ascii_uppercase() } else { letter };
                    write!(f, "{letter}")?;
                }
            }
        }
        Ok(())
    }

    fn castling_letter(&self, colour: Colour, wing: Wing, rook: File) -> char {
        let common = match wing {
            Wing::King => 'k',
            Wing::Queen => 'q',
        };
        let outermost =
            self.board.castling_right(if colour == Colour::White { common.to_ascii_uppercase() } else { common });
        if self.shredder || outermost.is_none_or(|(_, _, file)| file != rook) { rook.letter() } else { common }
    }
}

impl fmt::Display for Fen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = self.board;
        self.write_placement(f)?;
        f.write_str(if board.side_to_move == Colour::White { " w " } else { " b " })?;
        self.write_castling(f)?;
        match board.en_passant {
            Some(square) => write!(f, " {square}")?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}", board.halfmove_clock, board.fullmove_number)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;

    #[test]
    fn the_start_position_is_right() {
        let start = Board::start();
        assert_eq!(start.fen().to_string(), START_FEN);
        assert_eq!(start.key(), 0x463b_9618_1691_fc9c);
        assert!(size_of::<Board>() < 200);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = [
            ("", FenError::RankLength(8)),
            ("blah", FenError::UnknownPiece('l')),
            ("8/8/8/8/8/8/8 w", FenError::RankCount),
            ("8/8/8/8/8/8/8/8/8 w", FenError::RankCount),
            ("k8/8/8/8/8/8/8/K7 w", FenError::RankLength(8)),
            ("k7/8/8/8/8/8/8/K6 w", FenError::RankLength(1)),
            ("k7/9/8/8/8/8/8/K7 w", FenError::UnknownPiece('9')),
            ("k7/8/8/8/8/8/8/8 w", FenError::KingCount(Colour::White)),
            ("k6k/8/8/8/8/8/8/K7 w", FenError::KingCount(Colour::Black)),
            ("k6P/8/8/8/8/8/8/K7 w", FenError::PawnOnBackRank),
            ("k7/8/QQQQQQQQ/QQ6/8/8/8/K7 b", FenError::TooManyPieces(Colour::White)),
            ("k7/pppppppp/p7/8/8/8/8/K7 w", FenError::TooManyPieces(Colour::Black)),
            ("k7/8/8/8/8/8/8/K7", FenError::SideToMove),
            ("k7/8/8/8/8/8/8/K7 x", FenError::SideToMove),
            ("k7/8/8/8/8/8/8/K7 w K", FenError::Castling('K')),
            ("4k3/8/8/8/8/8/8/4K2R w Kq", FenError::Castling('q')),
            ("4k3/8/8/8/8/8/8/4K2R w Kx", FenError::Castling('x')),
            ("4k3/8/8/8/8/8/8/4K2R w - e5", FenError::EnPassant),
            ("4k3/8/8/8/8/8/8/4K2R w - e3", FenError::EnPassant),
            ("4k3/8/8/8/8/8/8/4K2R w - - x", FenError::HalfmoveClock),
            ("4k3/8/8/8/8/8/8/4K2R w - - -1", FenError::HalfmoveClock),
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 99999", FenError::FullmoveNumber),
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 1 1", FenError::TooManyFields),
            ("4k2R/8/8/8/8/8/8/4K3 w - - 0 1", FenError::OpponentInCheck),
        ];
        for (fen, error) in wrong {
            assert_eq!(Board::from_fen(fen), Err(error), "{fen}");
        }
    }

    #[test]
    fn an_en_passant_square_stays_only_where_a_pawn_could_take() {
        let en_passant = |fen| Board::from_fen(fen).map(|board| board.en_passant());
        assert_eq!(en_passant("4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1"), Ok(Square::from_name(b"e6")));
        assert_eq!(en_passant("4k3/8/8/2P1p3/8/8/8/4K3 w - e6 0 1"), Ok(None));
        assert_eq!(en_passant("4k3/8/8/3P4/8/8/8/4K3 w - e6 0 1"), Ok(None));
        assert_eq!(en_passant("4k3/4p3/8/3Pp3/8/8/8/4K3 w - e6 0 1"), Ok(None));
    }

    #[test]
    fn castling_letters_name_the_outermost_rook_or_a_file() {
        for (fen, x_fen, shredder) in [
            ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "KQkq", "HAha"),
            ("1r2k1rr/8/8/8/8/8/8/RR2K2R w HBgb - 0 1", "KBgq", "HBgb"),
            ("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 3 9", "Kq", "Ha"),
        ] {
            let board = Board::from_fen(fen).unwrap();
            assert_eq!(board.fen().to_string().split(' ').nth(2), Some(x_fen));
            assert_eq!(board.shredder_fen().to_string().split(' ').nth(2), Some(shredder));
            assert_eq!(Board::from_fen(&board.fen().to_string()), Ok(board));
            assert_eq!(Board::from_fen(&board.shredder_fen().to_string()), Ok(board));
        }
    }
}
