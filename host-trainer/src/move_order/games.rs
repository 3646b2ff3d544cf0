//! Games with their players' ratings.

use std::{fs::File, path::PathBuf};

use anyhow::{Context, ensure};
use indicatif::ProgressBar;

use crate::{
    data::{
        format::{Format, Input, Source},
        game::Game,
        pgn::{PgnReader, Ratings},
    },
    stop::Stop,
};

/// Share of the games, one in so many, that is held out to judge by.
const HELD_OUT: u64 = 10;

/// Reads games of all files one after another, each with its ratings, which only PGN has. `false` if it was asked to stop.
///
/// # Errors
/// If a file cannot be read, is damaged, or has no games in it.
pub(super) fn each(paths: &[PathBuf], stop: &Stop, mut take: impl FnMut(&Game, Ratings)) -> anyhow::Result<bool> {
    for path in paths {
        let input = Input::new(path)?;
        let name = path.display().to_string();
        ensure!(input.format.has_games(), "{name}: it has positions and no games, so no moves to learn from");
        let mut game = Game::default();
        if input.format == Format::Pgn {
            let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
            let mut reader = PgnReader::new(file, name.clone());
            while reader.next(&mut game).with_context(|| name.clone())? {
                if stop.is_raised() {
                    return Ok(false);
                }
                take(&game, reader.ratings());
            }
        } else {
            let mut source = input.open(&ProgressBar::hidden())?;
            while source.next(&mut game).with_context(|| name.clone())? {
                if stop.is_raised() {
                    return Ok(false);
                }
                take(&game, Ratings::default());
            }
        }
    }
    Ok(true)
}

/// Whether a game is one of those that are held out, by its content and a seed.
pub(super) fn is_held_out(game: &Game, seed: u64) -> bool {
    game.identity(seed).is_multiple_of(HELD_OUT)
}
