//! Positions to search: of games, of a list, or of random play.

use std::{collections::HashSet, fs, path::PathBuf};

use anyhow::{Context, ensure};
use engine_core::chess::Board;

use super::{games, sample::Reservoir};
use crate::{arena::random::SplitMix64, stop::Stop};

/// Positions of games before this many plies, where books are, are left out.
const FIRST_PLY: usize = 12;

/// How many plies random play goes on for: from the first number to below the second.
const RANDOM_PLIES: (u64, u64) = (16, 80);

/// Draws `count` positions, no two the same, in which there is something to choose: from the games of files (.pgn,
/// .viri), or from lists (.epd, .fen: a position a line, what follows its first four fields unread). `None` if it was
/// asked to stop.
///
/// # Errors
/// If a file cannot be read or has a line that is no position, or if there are fewer positions.
pub(super) fn draw(files: &[PathBuf], count: usize, seed: u64, stop: &Stop) -> anyhow::Result<Option<Vec<Board>>> {
    let mut reservoir = Reservoir::new(count, seed);
    let mut seen = HashSet::new();
    let mut take = |board: &Board| {
        if has_choice(board) && seen.insert(board.key()) {
            reservoir.pass(*board);
        }
    };
    let is_list = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "epd" || ending == "fen");
    let (lists, games): (Vec<&PathBuf>, Vec<&PathBuf>) = files.iter().partition(is_list);
    for path in lists {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let fields: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
            let board = Board::from_fen(&fields.join(" "));
            take(&board.with_context(|| format!("{}, line {number}", path.display()))?);
        }
    }
    let games: Vec<PathBuf> = games.into_iter().cloned().collect();
    let whole = games::each(&games, stop, |game, _| {
        game.samples.iter().skip(FIRST_PLY).for_each(|sample| take(&sample.board));
    })?;
    if !whole {
        return Ok(None);
    }
    let found = reservoir.passed();
    ensure!(found >= count as u64, "there are {found} positions, fewer than --count {count}");
    Ok(Some(reservoir.into_kept()))
}

/// Artificial positions: what random moves lead to from the start.
pub(super) fn random(count: usize, seed: u64) -> Vec<Board> {
    let mut random = SplitMix64::new(seed);
    let mut seen = HashSet::new();
    let mut boards = Vec::with_capacity(count);
    while boards.len() < count {
        let mut board = Board::start();
        let (least, beyond) = RANDOM_PLIES;
        for _ in 0..least + random.below(beyond - least) {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            board.play(moves[random.below(moves.len() as u64) as usize]);
        }
        if has_choice(&board) && seen.insert(board.key()) {
            boards.push(board);
        }
    }
    boards
}

/// Whether there are moves to put in order.
fn has_choice(board: &Board) -> bool {
    board.count_legal_moves() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_and_its_faults_are_placed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.epd");
        let lines =
            "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n\n4k3/8/8/8/8/8/4P3/4K3 b - -\n7k/5Q2/8/8/8/8/8/K7 b - - stalemate\n";
        fs::write(&path, lines).unwrap();
        let drawn = draw(std::slice::from_ref(&path), 2, 1, &Stop::new()).unwrap().unwrap();
        assert_eq!(drawn.len(), 2);
        let error = draw(std::slice::from_ref(&path), 3, 1, &Stop::new()).unwrap_err();
        assert_eq!(error.to_string(), "there are 2 positions, fewer than --count 3");
        fs::write(&path, "4k3/8/8/8/8/8/4P3/4K3 w - -\nnonsense\n").unwrap();
        let error = format!("{:#}", draw(&[path], 1, 1, &Stop::new()).unwrap_err());
        assert!(error.contains("some.epd, line 2: "), "{error}");
    }

    #[test]
    fn random_play_is_the_same_for_a_seed() {
        let fens = |seed| random(20, seed).iter().map(|board| board.fen().to_string()).collect::<Vec<_>>();
        assert_eq!(fens(4), fens(4));
        assert_ne!(fens(4), fens(5));
    }
}
