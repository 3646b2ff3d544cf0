//! Prints single positions of a file.

use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context;
use engine_core::chess::{Board, Colour, File, Rank, Square};
use indicatif::ProgressBar;

use super::{
    format::Input,
    game::{Game, MATE, MATE_FROM, Outcome, Sample, score_seen_by},
};
use crate::stop::{INTERRUPTED, Stop};

/// Print positions of a file of games or positions, with what is known of each.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file of games or positions (.viri, .pgn, .bullet, .binpack)
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// Positions to pass over first
    #[arg(long, value_name = "N", default_value = "0")]
    skip: u64,

    /// Positions to print
    #[arg(long, value_name = "N", default_value = "10")]
    count: u64,
}

/// Prints what the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    let input = Input::new(&args.input)?;
    let mut source = input.open(&ProgressBar::hidden())?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut game = Game::default();
    let (mut number, mut games) = (0, 0);
    let end = args.skip.saturating_add(args.count);
    while number < end && source.next(&mut game).with_context(|| input.path.display().to_string())? {
        if stop.is_raised() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        games += 1;
        for sample in &game.samples {
            if (args.skip..end).contains(&number) {
                let heading = if input.format.has_games() {
                    format!("position {number}, game {games}")
                } else {
                    format!("position {number}")
                };
                out.write_all(describe(&heading, sample).as_bytes())?;
            }
            number += 1;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// A position and its labels as text, an empty line behind it.
fn describe(heading: &str, sample: &Sample) -> String {
    let board = &sample.board;
    let mut text = format!("{heading}\n{}fen    {}\n", diagram(board), board.fen());
    if let Some(mv) = sample.played {
        text += &format!("move   {}\n", board.san(mv));
    }
    if let Some(score) = sample.score {
        text += &format!("score  {}\n", score_text(score, board.side_to_move()));
    }
    let outcome = match sample.outcome {
        Outcome::Win => "wins",
        Outcome::Draw => "draws",
        Outcome::Loss => "loses",
    };
    text += &format!("result the side to move {outcome}\n");
    if let Some(ply) = sample.ply {
        text += &format!("ply    {ply}\n");
    }
    text + "\n"
}

/// `+35 for the side to move, White +35`, in centipawns, or a mate.
fn score_text(score: i16, us: Colour) -> String {
    let text = |score: i16| {
        let size = score.unsigned_abs();
        if size < MATE_FROM.unsigned_abs() {
            return format!("{score:+}");
        }
        format!("{}mate in {} plies", if score > 0 { "+" } else { "-" }, MATE.unsigned_abs().saturating_sub(size))
    };
    format!("{} for the side to move, {} for White", text(score), text(score_seen_by(score, us)))
}

/// The board as White sees it, dots for empty squares.
fn diagram(board: &Board) -> String {
    let mut text = String::new();
    for rank in (0..8).rev().map(Rank::new) {
        text.push(rank.digit());
        for file in (0..8).map(File::new) {
            text.push(' ');
            text.push(board.piece_on(Square::at(file, rank)).map_or('.', |piece| piece.letter()));
        }
        text.push('\n');
    }
    text + "  a b c d e f g h\n"
}
