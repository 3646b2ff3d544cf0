//! One line of an EPD or FEN file (Edwards, "Portable Game Notation Specification", 1994, section 16.2).

use std::borrow::Cow;

use shakmaty::{CastlingMode, Chess, FromSetup, Move, PositionError, fen::Fen, san::SanPlus, uci::UciMove};

/// A position and the operations that stand behind it.
#[derive(Clone, Debug)]
pub struct Epd {
    /// The position.
    pub position: Chess,
    /// Operation codes with their operands, quotes taken off, in the order of the line.
    operations: Vec<(String, Vec<String>)>,
}

/// Why a line is no EPD.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpdError {
    /// Fewer than board, side to move, castling and en passant.
    #[error("{0} of the 4 fields of a position")]
    TooShort(usize),
    /// A field is not what it should be.
    #[error("`{position}`: {problem}")]
    Field {
        /// The position as written.
        position: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Well written, but no position of chess.
    #[error("`{position}` cannot arise: {problem}")]
    Impossible {
        /// The position as written.
        position: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A quoted operand does not end.
    #[error("operation `{0}`: a quote is not closed")]
    Quote(String),
    /// An operand should have been a legal move.
    #[error("operation `{operation}`: `{text}` is not a legal move here")]
    Move {
        /// The operation code.
        operation: String,
        /// What stands there.
        text: String,
    },
}

impl Epd {
    /// Reads a line: four fields and operations, or the six fields of a FEN, or the latter with operations.
    pub fn parse(line: &str, mode: CastlingMode) -> Result<Epd, EpdError> {
        let (fields, rest) = split_words(line, 4);
        if fields.len() < 4 {
            return Err(EpdError::TooShort(fields.len()));
        }
        let (counters, after) = split_words(rest, 2);
        let is_fen = counters.len() == 2 && counters.iter().all(|c| c.parse::<u32>().is_ok());
        let (written, operations) = if is_fen {
            (format!("{} {}", fields.join(" "), counters.join(" ")), after)
        } else {
            (fields.join(" "), rest)
        };
        let position = parse_position(&written, mode)?;
        Ok(Epd { position, operations: parse_operations(operations)? })
    }

    /// The first operand of an operation, if it is there.
    pub fn operand(&self, code: &str) -> Option<&str> {
        self.operands(code).first().map(String::as_str)
    }

    /// All operands of an operation; none if it is not there.
    pub fn operands(&self, code: &str) -> &[String] {
        let found = self.operations.iter().find(|(name, _)| name == code);
        found.map_or(&[], |(_, operands)| operands)
    }

    /// The operands of `bm`, `am` and the like, as legal moves.
    pub fn moves(&self, code: &str) -> Result<Vec<Move>, EpdError> {
        self.operands(code)
            .iter()
            .map(|text| {
                parse_move(text, &self.position)
                    .ok_or_else(|| EpdError::Move { operation: code.to_owned(), text: text.clone() })
            })
            .collect()
    }
}

/// Reads a legal move in algebraic or in coordinate notation.
pub fn parse_move(text: &str, position: &Chess) -> Option<Move> {
    let text = text.trim_end_matches(['!', '?']);
    let text = if text.starts_with("0-0") { Cow::Owned(text.replace('0', "O")) } else { Cow::Borrowed(text) };
    let algebraic = text.parse::<SanPlus>().ok().and_then(|san| san.san.to_move(position).ok());
    algebraic.or_else(|| text.parse::<UciMove>().ok()?.to_move(position).ok())
}

/// Reads a FEN whose counters may be missing. Positions with more pieces than a game can have, or with checks that no
/// move can have given, are let pass: composers write them, and engines cope.
pub fn parse_position(fen: &str, mode: CastlingMode) -> Result<Chess, EpdError> {
    let setup = fen
        .parse::<Fen>()
        .map_err(|error| EpdError::Field { position: fen.to_owned(), problem: error.to_string() })?
        .into_setup();
    Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|error| EpdError::Impossible { position: fen.to_owned(), problem: error.to_string() })
}

/// The first `count` words and what follows them.
fn split_words(text: &str, count: usize) -> (Vec<&str>, &str) {
    let mut words = Vec::with_capacity(count);
    let mut rest = text.trim_start();
    while words.len() < count && !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    (words, rest)
}

/// Operations are a code and operands, each ended by a semicolon; operands are words or quoted texts.
fn parse_operations(text: &str) -> Result<Vec<(String, Vec<String>)>, EpdError> {
    let mut operations = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    loop {
        if rest.is_empty() || rest.starts_with(';') {
            if !words.is_empty() {
                let code = words.remove(0);
                operations.push((code, std::mem::take(&mut words)));
            }
            match rest.strip_prefix(';') {
                Some(after) => rest = after.trim_start(),
                None => return Ok(operations),
            }
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let Some((operand, after)) = quoted.split_once('"') else {
                return Err(EpdError::Quote(words.first().cloned().unwrap_or_default()));
            };
            words.push(operand.to_owned());
            rest = after.trim_start();
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
            words.push(rest[..end].to_owned());
            rest = rest[end..].trim_start();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Epd, EpdError> {
        Epd::parse(line, CastlingMode::Standard)
    }

    const BK2: &str = "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - -";

    #[test]
    fn operations_are_read() {
        let epd = parse(&format!(r#"{BK2} bm d5 Nxa5; id "BK; 02"; c0 "a=1, b=2";acd 3"#)).unwrap();
        assert_eq!(epd.operand("id"), Some("BK; 02"));
        assert_eq!(epd.operands("bm"), ["d5", "Nxa5"]);
        assert_eq!(epd.operand("acd"), Some("3"));
        assert_eq!(epd.operand("am"), None);
        assert_eq!(epd.moves("bm").unwrap().len(), 2);
    }

    #[test]
    fn a_fen_with_or_without_operations_will_do() {
        for (line, operand) in
            [("", None), (" 5 31", None), (" 5 31 id \"x\";", Some("x")), (" hmvc 5; id x", Some("x"))]
        {
            let epd = parse(&format!("{BK2}{line}")).unwrap();
            assert_eq!(epd.operand("id"), operand, "{line}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (line, expected) in [
            ("8/8/8/8 w -".to_owned(), "3 of the 4 fields"),
            ("9/8/8/8/8/8/8/8 w - -".to_owned(), "invalid board part in fen"),
            ("8/8/8/8/8/8/8/8 w - - bm e4;".to_owned(), "cannot arise"),
            (format!("{BK2} id \"open"), "operation `id`: a quote"),
        ] {
            let error = parse(&line).unwrap_err().to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
        let error = parse(&format!("{BK2} bm Qd1;")).unwrap().moves("bm").unwrap_err();
        assert_eq!(error.to_string(), "operation `bm`: `Qd1` is not a legal move here");
    }

    #[test]
    fn moves_may_be_written_in_several_ways() {
        let castle = parse_position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", CastlingMode::Standard).unwrap();
        for text in ["O-O", "0-0", "e1g1", "O-O!", "Rxa8+"] {
            assert!(parse_move(text, &castle).is_some(), "{text}");
        }
        assert!(parse_move("O-O-O-O", &castle).is_none());
    }
}
