//! One game of a teacher against itself.

use shakmaty::Position;

use super::{
    choice::Weights,
    opening,
    teacher::{Teacher, View},
};
use crate::{
    arena::{
        adjudication::{Adjudication, Adjudicator},
        game::Verdict,
        random::SplitMix64,
    },
    engine::{fault::Failure, info::Score},
    line::Line,
    stop::Stop,
};

/// Openings tried before it is said that none will do.
const OPENINGS: usize = 1000;

/// What holds for every game.
#[derive(Clone, Debug)]
pub struct Rules {
    /// How often each of the best moves is played.
    pub weights: Weights,
    /// Random half-moves before the teacher takes over, or one more.
    pub random_plies: u64,
    /// An opening that the teacher scores beyond this, in centipawns, is given up for another.
    pub opening_limit: i32,
    /// When to end a game whose result is plain, or that has gone on for too long.
    pub adjudication: Adjudication,
}

/// What the teacher said of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// The worth of the position (whatever move was played), from the side to move.
    pub score: Score,
    /// The plies searched.
    pub depth: u32,
}

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub struct Game {
    /// The position behind the random moves, and all moves from there.
    pub line: Line,
    /// A note for each move.
    pub notes: Vec<Note>,
    /// How it ended.
    pub verdict: Verdict,
}

/// Why a game has no end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// The teacher did something wrong, or the game was interrupted.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The teacher calls every opening decided.
    #[error("the teacher scores {OPENINGS} random openings on end beyond {0} centipawns")]
    Openings(i32),
}

/// Plays one game, random where it may be.
pub fn play(teacher: &mut Teacher, rules: &Rules, random: &mut SplitMix64, stop: &Stop) -> Result<Game, Trouble> {
    teacher.new_game()?;
    let (mut line, mut view) = open(teacher, rules, random)?;
    let mut adjudicator = Adjudicator::new(rules.adjudication);
    let mut notes = Vec::new();
    loop {
        let (mover, number) = (line.turn(), line.position().fullmoves().get());
        let note = Note { score: view.score(), depth: view.depth };
        // A view has choices, and weights are never empty.
        let pick = rules.weights.pick(view.choices.len(), random).unwrap_or(0);
        line.play(view.choices[pick].mv);
        notes.push(note);
        let verdict = match line.ruling() {
            Some(ruling) => Some(Verdict::of_ruling(ruling, line.turn())),
            None => adjudicator.note(mover, number, Some(note.score)).map(Verdict::of_adjudication),
        };
        if let Some(verdict) = verdict {
            return Ok(Game { line, notes, verdict });
        }
        if stop.is_raised() {
            return Err(Failure::Interrupted.into());
        }
        view = teacher.look(&line)?;
    }
}

/// Finds an opening that is not decided already, and what the teacher says of it.
fn open(teacher: &mut Teacher, rules: &Rules, random: &mut SplitMix64) -> Result<(Line, View), Trouble> {
    for _ in 0..OPENINGS {
        let line = Line::new(opening::draw(rules.random_plies, random));
        let view = teacher.look(&line)?;
        if view.score().centipawns().abs() <= rules.opening_limit {
            return Ok((line, view));
        }
        teacher.new_game()?;
    }
    Err(Trouble::Openings(rules.opening_limit))
}
