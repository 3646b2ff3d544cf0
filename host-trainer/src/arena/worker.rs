//! A thread that plays one game after another, keeping its engines running in between.

use std::sync::{
    atomic::{AtomicUsize, Ordering},
    mpsc::Sender,
};

use anyhow::{Context, anyhow};
use shakmaty::{ByColor, CastlingMode};

use super::{
    game::{self, Game, Rules, Seat},
    openings::Opening,
    schedule::{Fixture, Schedule},
};
use crate::{
    engine::{self, Engine, limits::Limits, spec::EngineSpec},
    stop::Stop,
};

/// An engine of the match.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// How to start it.
    pub spec: EngineSpec,
    /// What to call it; no other entrant has this name.
    pub name: String,
    /// What bounds its thinking.
    pub limits: Limits,
}

/// What all workers of a match share.
#[derive(Debug)]
pub struct Plan {
    /// The first against all the others.
    pub entrants: Vec<Entrant>,
    /// Who meets when.
    pub schedule: Schedule,
    /// By pair.
    pub openings: Vec<Opening>,
    /// Standard chess or Chess960.
    pub mode: CastlingMode,
    /// For every game.
    pub rules: Rules,
    /// The next game to be played.
    pub next: AtomicUsize,
}

/// News from a worker.
#[derive(Debug)]
pub enum News {
    /// A game is over.
    Finished {
        /// Which one.
        fixture: Fixture,
        /// How it went.
        game: Box<Game>,
        /// What the engine that did wrong last heard and said.
        transcript: Vec<String>,
    },
    /// An engine cannot be started any more, and the worker has gone home.
    Broken(anyhow::Error),
}

/// A worker's engines, by entrant; those not running are `None`.
pub type Stable = Vec<Option<Box<dyn Engine>>>;

/// Plays games until none is left, or until someone wants to stop.
pub fn work(plan: &Plan, mut stable: Stable, news: &Sender<News>, stop: &Stop) {
    while !stop.is_raised() {
        let Some(fixture) = plan.schedule.fixture(plan.next.fetch_add(1, Ordering::Relaxed)) else {
            return;
        };
        let message = match play(plan, &fixture, &mut stable, stop) {
            Ok(Some(message)) => message,
            Ok(None) => return,
            Err(error) => News::Broken(error),
        };
        let broken = matches!(message, News::Broken(_));
        if news.send(message).is_err() || broken {
            return;
        }
    }
}

/// Plays one game; `None` if it was interrupted.
fn play(plan: &Plan, fixture: &Fixture, stable: &mut Stable, stop: &Stop) -> anyhow::Result<Option<News>> {
    let mut first = fetch(plan, stable, 0, stop)?;
    let mut second = fetch(plan, stable, fixture.opponent, stop)?;
    let opening = plan.openings.get(fixture.pair).ok_or_else(|| anyhow!("no opening for pair {}", fixture.pair))?;

    let mut seats = ByColor {
        white: Seat { engine: first.as_mut(), limits: &plan.entrants[0].limits },
        black: Seat { engine: second.as_mut(), limits: &plan.entrants[fixture.opponent].limits },
    };
    if !fixture.first_is_white {
        seats = seats.into_swapped();
    }
    let Ok(game) = game::play(seats, opening, &plan.rules) else {
        return Ok(None);
    };

    let first_at_fault = game.verdict.fault().map(|(sinner, _)| sinner.is_white() == fixture.first_is_white);
    let mut transcript = Vec::new();
    for (entrant, engine, at_fault) in
        [(0, first, first_at_fault == Some(true)), (fixture.opponent, second, first_at_fault == Some(false))]
    {
        if at_fault {
            transcript = engine.transcript();
        } else if engine.reusable() {
            stable[entrant] = Some(engine);
        }
    }
    Ok(Some(News::Finished { fixture: *fixture, game: Box::new(game), transcript }))
}

/// Takes an engine out of the stable, started if it does not run.
fn fetch(plan: &Plan, stable: &mut Stable, entrant: usize, stop: &Stop) -> anyhow::Result<Box<dyn Engine>> {
    if let Some(engine) = stable[entrant].take() {
        return Ok(engine);
    }
    let entrant = &plan.entrants[entrant];
    engine::start(&entrant.spec, plan.mode, plan.rules.patience, stop)
        .with_context(|| format!("{} does not start", entrant.name))
}
