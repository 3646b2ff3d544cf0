//! Positions to try a net on: from a file, or from random games.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use bulletformat::ChessBoard;
use engine_core::chess::{Board, FenError, Game};
use fastrand::Rng;

/// Random games are this long at most, in plies.
const MAX_PLIES: usize = 200;

/// Of so many positions of a random game, about one is taken.
const SPACING: usize = 4;

/// The bytes of a record of a `.bullet` file.
const RECORD: usize = size_of::<ChessBoard>();

/// The letters of a record's pieces; eight more stands for the opponent's.
const LETTERS: [u8; 6] = *b"PNBRQK";

/// Positions of random games, the same for the same seed.
///
/// Half of the moves are captures where there are any, so that all numbers of pieces come up.
#[must_use]
pub fn random(count: usize, seed: u64) -> Vec<Board> {
    let mut rng = Rng::with_seed(seed);
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let mut game = Game::new(Board::start());
        for _ in 0..MAX_PLIES {
            let board = game.board();
            let moves = board.legal_moves();
            let captures = moves.iter().copied().filter(|&mv| board.is_capture(mv));
            let capture = if rng.bool() { rng.choice(captures.collect::<Vec<_>>()) } else { None };
            let Some(mv) = capture.or_else(|| rng.choice(moves.iter().copied())) else { break };
            game.play(mv);
            if game.ending().is_some() || positions.len() == count {
                break;
            }
            if rng.usize(..SPACING) == 0 {
                positions.push(*game.board());
            }
        }
    }
    positions
}

/// Positions of a file, all or, if there are more than `count`, as many drawn by lot: records if its name ends in
/// `.bullet`, else lines of FEN or EPD.
///
/// # Errors
/// If the file cannot be read or has no positions, or one that was drawn is none; the message says where.
pub fn read(path: &Path, count: usize, seed: u64) -> Result<Vec<Board>> {
    let file = path.display();
    let rng = Rng::with_seed(seed);
    let source = File::open(path).with_context(|| format!("cannot read {file}"))?;
    let is_bullet = path.extension().is_some_and(|extension| extension == "bullet");
    let positions = if is_bullet { records(source, count, rng) } else { lines(source, count, rng) };
    let positions = positions.with_context(|| format!("{file}"))?;
    ensure!(!positions.is_empty(), "{file} has no positions");
    Ok(positions)
}

fn lines(file: File, count: usize, mut rng: Rng) -> Result<Vec<Board>> {
    let mut lines = Vec::new();
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line.context("cannot be read as text")?;
        if !line.trim().is_empty() && !line.starts_with('#') {
            lines.push((index + 1, line));
        }
    }
    let mut drawn = rng.choose_multiple(lines, count);
    drawn.sort_unstable();
    let position = |(number, line): &(usize, String)| from_line(line).with_context(|| format!("line {number}"));
    drawn.iter().map(position).collect()
}

/// The position of a line of FEN or EPD: four fields, and two more if they are numbers.
fn from_line(line: &str) -> Result<Board, FenError> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let counters = fields.get(4..6).is_some_and(|counters| counters.iter().all(|field| field.parse::<u16>().is_ok()));
    Board::from_fen(&fields[..fields.len().min(if counters { 6 } else { 4 })].join(" "))
}

fn records(mut file: File, count: usize, mut rng: Rng) -> Result<Vec<Board>> {
    let bytes = file.metadata().context("cannot be read")?.len();
    ensure!(bytes.is_multiple_of(RECORD as u64), "{bytes} bytes are no whole number of {RECORD}-byte records");
    let mut drawn = rng.choose_multiple(0..bytes / RECORD as u64, count);
    drawn.sort_unstable();
    let mut positions = Vec::with_capacity(drawn.len());
    for number in drawn {
        let mut record = [0; RECORD];
        file.seek(SeekFrom::Start(number * RECORD as u64))?;
        file.read_exact(&mut record)?;
        positions.push(from_record(&record).with_context(|| format!("record {number}"))?);
    }
    Ok(positions)
}

/// The position of a record, in which White is whoever is to move.
fn from_record(record: &[u8; RECORD]) -> Result<Board, FenError> {
    let (&occ, rest) = record.split_first_chunk().unwrap_or((&[0; 8], record));
    let (&pcs, _) = rest.split_first_chunk().unwrap_or((&[0; 16], rest));
    let board = ChessBoard { occ: u64::from_le_bytes(occ), pcs, ..ChessBoard::default() };
    let mut squares = [b'1'; 64];
    // Where there is no such piece there is a letter that is none, for the FEN's reader to complain of.
    for (piece, square) in board.into_iter().take(32) {
        let letter = LETTERS.get(usize::from(piece & 7)).copied().unwrap_or(b'?');
        squares[usize::from(square)] = if piece < 8 { letter } else { letter.to_ascii_lowercase() };
    }
    let ranks: Vec<_> = squares.chunks(8).rev().map(String::from_utf8_lossy).collect();
    Board::from_fen(&format!("{} w - - 0 1", ranks.join("/")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        (folder, path)
    }

    #[test]
    fn random_positions_are_many_kinds_and_always_the_same() {
        let positions = random(500, 7);
        assert_eq!(positions.len(), 500);
        let fens = |positions: &[Board]| positions.iter().map(|board| board.fen().to_string()).collect::<Vec<_>>();
        assert_eq!(fens(&positions), fens(&random(500, 7)));
        assert_ne!(fens(&positions), fens(&random(500, 8)));
        let mut pieces: Vec<u32> = positions.iter().map(|board| board.occupied().len()).collect();
        pieces.sort_unstable();
        assert!(pieces[0] <= 6 && pieces[499] >= 30, "{pieces:?}");
    }

    #[test]
    fn lines_are_fen_or_epd() {
        let text = "# two positions\n\n4k3/8/8/8/8/8/8/4K2R w K - 3 40\n4k3/8/8/8/8/8/8/4K2Q b - - bm Kd7; id \"1\";\n";
        let (_folder, path) = file("positions.epd", text.as_bytes());
        let boards = read(&path, 10, 1).expect("positions");
        let fens: Vec<String> = boards.iter().map(|board| board.fen().to_string()).collect();
        assert_eq!(fens, ["4k3/8/8/8/8/8/8/4K2R w K - 3 40", "4k3/8/8/8/8/8/8/4K2Q b - - 0 1"]);
        assert_eq!(read(&path, 1, 1).expect("positions").len(), 1);
    }

    #[test]
    fn records_hold_the_position_of_the_mover() {
        let board: ChessBoard = "4k3/8/8/8/8/8/7q/4K3 b - - 0 1 | 12 | 0.5".parse().expect("a record");
        let record: ChessBoard = "r3k3/8/8/8/8/4P3/8/4K3 w - - 0 1 | 12 | 0.5".parse().expect("a record");
        let bytes = bulletformat::BulletFormat::as_bytes_slice(&[board, record]).to_vec();
        let (_folder, path) = file("positions.bullet", &bytes);
        let fens: Vec<String> =
            read(&path, 10, 1).expect("positions").iter().map(|board| board.fen().to_string()).collect();
        assert_eq!(fens, ["4k3/7Q/8/8/8/8/8/4K3 w - - 0 1", "r3k3/8/8/8/8/4P3/8/4K3 w - - 0 1"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |name: &str, bytes: &[u8]| {
            let (_folder, path) = file(name, bytes);
            let error = read(&path, 10, 1).expect_err("an error");
            format!("{error:#}").replace(&path.display().to_string(), "FILE")
        };
        assert_eq!(message("a.epd", b"\n"), "FILE has no positions");
        assert_eq!(message("a.epd", b"\n8/8/8/8/8/8/8/8 w - -\n"), "FILE: line 2: White must have one king");
        assert_eq!(message("a.bullet", &[0; 33]), "FILE: 33 bytes are no whole number of 32-byte records");
        assert_eq!(message("a.bullet", &[0; 32]), "FILE: record 0: White must have one king");
        assert_eq!(
            message("a.bullet", &[0xff; 32]),
            "FILE: record 0: piece placement: '?' is none of PNBRQKpnbrqk or 1-8"
        );
    }
}
