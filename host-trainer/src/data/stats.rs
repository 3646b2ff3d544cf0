//! Tells what is in a file of games or positions.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;

use super::{
    bullet,
    duplicates::Seen,
    format::Input,
    game::Game,
    progress,
    statistics::{Statistics, percent},
};
use crate::stop::{INTERRUPTED, Stop};

/// Tell what is in files of games or positions: results, scores, pieces, plies, duplicates, the scale of the scores.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games or positions (.viri, .pgn, .bullet, .binpack), counted together
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,
}

/// Counts what the command line names.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    let inputs = args.inputs.iter().map(|path| Input::new(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let bar = progress::bytes(inputs.iter().map(|input| input.size).sum());
    let (mut statistics, mut seen) = (Statistics::default(), Seen::default());
    let (mut duplicates, mut results) = (0, [0u64; 3]);
    for input in &inputs {
        let mut source = input.open(&bar)?;
        let mut game = Game::default();
        while source.next(&mut game).with_context(|| input.path.display().to_string())? {
            if stop.is_raised() {
                return Ok(ExitCode::from(INTERRUPTED));
            }
            for sample in &game.samples {
                statistics.count(sample.score, sample.outcome, sample.board.occupied().len(), sample.ply);
                let record = bullet::encode(&sample.board, 0, sample.outcome);
                duplicates += u64::from(!seen.insert(bullet::key(&record)));
            }
            if let Some(outcome) = game.white_outcome().filter(|_| input.format.has_games()) {
                results[outcome as usize] += 1;
            }
        }
    }
    bar.finish_and_clear();
    let games: u64 = results.iter().sum();
    if games > 0 {
        let [losses, draws, wins] = results;
        println!("games         {games}: White won {wins}, drew {draws}, lost {losses}");
    }
    println!("duplicates    {duplicates} ({})", percent(duplicates, statistics.positions()));
    print!("{}", statistics.tables());
    Ok(ExitCode::SUCCESS)
}
