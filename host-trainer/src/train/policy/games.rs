//! From files of games to positions with the moves that were played.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};

use super::examples::Examples;
use crate::data::{format::Input, game::Game, progress};

/// How games are divided.
#[derive(Clone, Debug)]
pub struct Split {
    /// By which games go to a side.
    pub seed: u64,
    /// The share of them to judge by.
    pub validation: f64,
    /// No game is read after so many positions.
    pub most: Option<usize>,
}

/// The positions to learn from, and those to judge by.
///
/// # Errors
/// If a file cannot be read, is damaged or has no moves, or a side has no position.
pub fn read(files: &[PathBuf], split: &Split) -> anyhow::Result<[Examples; 2]> {
    let inputs = files.iter().map(|path| Input::new(path)).collect::<anyhow::Result<Vec<_>>>()?;
    for input in &inputs {
        let name = input.path.display();
        ensure!(input.format.has_games(), "{name} has positions without moves; a policy net learns from .viri or .pgn");
    }
    let bar = progress::bytes(inputs.iter().map(|input| input.size).sum());
    let mut sides = [Examples::default(), Examples::default()];
    let mut game = Game::default();
    'files: for input in &inputs {
        let mut source = input.open(&bar)?;
        let name = || input.path.display().to_string();
        while source.next(&mut game).with_context(name)? {
            let own = usize::from(game.is_within(split.seed, split.validation));
            add(&game, &mut sides[own]).with_context(name)?;
            let read = sides[0].len() + sides[1].len();
            if split.most.is_some_and(|most| read >= most) {
                break 'files;
            }
        }
    }
    bar.finish_and_clear();
    let [train, validation] = &sides;
    ensure!(
        !train.is_empty() && !validation.is_empty(),
        "{} positions to learn from and {} to judge by: with so few games --validation {} leaves a side empty",
        train.len(),
        validation.len(),
        split.validation
    );
    Ok(sides)
}

/// Adds the positions of a game.
fn add(game: &Game, examples: &mut Examples) -> anyhow::Result<()> {
    let mut keys = Vec::with_capacity(game.samples.len());
    for sample in &game.samples {
        let board = &sample.board;
        let Some(played) = sample.played else { bail!("no move is known for {}", board.fen()) };
        let key = board.key();
        let reversible = usize::from(board.halfmove_clock());
        let repetitions = keys.iter().rev().take(reversible).filter(|&&before| before == key).count();
        examples.add(board, repetitions, played);
        keys.push(key);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use engine_core::chess::Board;

    use super::*;
    use crate::data::game::{Outcome, Sample};

    #[test]
    fn repetitions_are_counted_within_a_game() {
        let mut board = Board::start();
        let mut samples = Vec::new();
        for text in "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4".split(' ') {
            let mv = board.parse_move(text.as_bytes()).expect("a move");
            samples.push(Sample { board, played: Some(mv), score: Some(0), outcome: Outcome::Draw, ply: None });
            board.play(mv);
        }
        let mut examples = Examples::default();
        add(&Game { samples }, &mut examples).expect("moves");
        let inputs = |position| examples.get(position).0.len();
        let counts: Vec<usize> = (0..9).map(inputs).collect();
        // 32 pieces, and 64 inputs for each time the position has stood before.
        assert_eq!(counts, [32, 32, 32, 32, 96, 96, 96, 96, 160]);
    }

    #[test]
    fn files_without_moves_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.bullet");
        std::fs::write(&path, [0; 32]).expect("written");
        let fault = read(&[path], &Split { seed: 1, validation: 0.5, most: None }).expect_err("no moves").to_string();
        assert!(fault.ends_with("has positions without moves; a policy net learns from .viri or .pgn"), "{fault}");
    }
}
