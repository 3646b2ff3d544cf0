//! Prints what a book knows of a position.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::{Context, ensure};
use engine_core::{book::Book, chess::Board};
use shakmaty::{CastlingMode, Chess, EnPassantMode, fen::Fen};

use super::polyglot::ENTRY;
use crate::{epd, line::Line};

/// Print the moves that a book knows in a position, with their weights and how often each would be played.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A book in the Polyglot format
    #[arg(value_name = "BOOK")]
    book: PathBuf,

    /// The position [default: the start of a game]
    #[arg(long)]
    fen: Option<String>,

    /// Moves that lead from there to the position, as in "e4 c5" or "e2e4 c7c5"
    #[arg(long, value_name = "MOVE", num_args = 1.., value_delimiter = ' ')]
    moves: Vec<String>,
}

/// Prints what the command line asks for.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let name = args.book.display();
    let bytes = fs::read(&args.book).with_context(|| format!("cannot read {name}"))?;
    let positions = positions(&bytes).with_context(|| format!("{name} is no Polyglot book"))?;
    let board = board(args)?;
    println!("{name}: {positions} positions, {} entries", bytes.len() / ENTRY);
    println!("{}", board.fen());
    print!("{}", describe(&Book::new(&bytes), &board));
    Ok(ExitCode::SUCCESS)
}

/// How many positions a book knows.
///
/// # Errors
/// If the bytes are not those of a book.
fn positions(bytes: &[u8]) -> anyhow::Result<usize> {
    let (entries, rest) = bytes.as_chunks::<ENTRY>();
    ensure!(
        rest.is_empty(),
        "its {} bytes are not a number of {ENTRY}-byte entries; {} are left over",
        bytes.len(),
        rest.len()
    );
    let keys: Vec<&[u8]> = entries.iter().map(|entry| &entry[..8]).collect();
    let unsorted = keys.windows(2).position(|pair| pair[0] > pair[1]);
    if let Some(index) = unsorted {
        let number = index + 2;
        anyhow::bail!("entry {number} (from byte {}) has a smaller key than the one before", (number - 1) * ENTRY);
    }
    Ok(keys.chunk_by(|a, b| a == b).count())
}

/// The position that the arguments name.
fn board(args: &Args) -> anyhow::Result<Board> {
    let start = match &args.fen {
        Some(fen) => epd::parse_position(fen, CastlingMode::Chess960).context("--fen")?,
        None => Chess::default(),
    };
    let mut line = Line::new(start);
    for text in args.moves.iter().filter(|text| !text.is_empty()) {
        let mv = epd::parse_move(text, line.position());
        let number = line.plies().len() + 1;
        line.play(mv.with_context(|| format!("--moves: half-move {number}, `{text}`, is not legal there"))?);
    }
    let fen = Fen::from_position(line.position(), EnPassantMode::PseudoLegal).to_string();
    Board::from_fen(&fen).with_context(|| format!("the position {fen}"))
}

/// The moves, a line each.
fn describe(book: &Book<'_>, board: &Board) -> String {
    let total: u64 = book.moves(board).map(|(_, weight)| u64::from(weight)).sum();
    let lines = book.moves(board).map(|(mv, weight)| {
        let percent = 100.0 * f64::from(weight) / total.max(1) as f64;
        format!("{:<7} {weight:>5} {percent:5.1}%\n", board.san(mv).to_string())
    });
    let lines: String = lines.collect();
    if lines.is_empty() { "the book knows no move here\n".to_owned() } else { lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_book_is_told_where() {
        let problem = |bytes: &[u8]| positions(bytes).unwrap_err().to_string();
        assert_eq!(problem(&[0; 20]), "its 20 bytes are not a number of 16-byte entries; 4 are left over");
        let unsorted = [[1; ENTRY], [2; ENTRY], [1; ENTRY]].concat();
        assert_eq!(problem(&unsorted), "entry 3 (from byte 32) has a smaller key than the one before");
        assert_eq!(positions(&[[1; ENTRY], [1; ENTRY], [2; ENTRY]].concat()).unwrap(), 2);
        assert_eq!(positions(&[]).unwrap(), 0);
    }
}
