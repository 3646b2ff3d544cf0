//! A thread that plays one game after another with a teacher of its own, and writes them to files of its own.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
    mpsc::Sender,
};

use anyhow::{Context, anyhow};

use super::{
    game::{self, Rules, Trouble},
    leash::Leash,
    opening,
    pgn::PgnFile,
    record::GameFile,
    teacher::{Lesson, School, Teacher},
};
use crate::{arena::game::Verdict, engine::fault::Failure, stop::Stop};

/// Faults on end after which a teacher is given up.
const MAX_FAULTS: u64 = 5;

/// What all workers of a run share.
#[derive(Debug)]
pub struct Plan {
    /// Who teaches.
    pub school: School,
    /// How.
    pub lesson: Lesson,
    /// For every game.
    pub rules: Rules,
    /// With a game's number, all that is random in it.
    pub seed: u64,
    /// Games in all, if that is what ends the run.
    pub games: Option<u64>,
    /// How many workers share the games: number `k` goes to worker `k` modulo this.
    pub workers: u64,
    /// Raised when there are enough positions: no new game is begun.
    pub enough: AtomicBool,
}

/// A worker's own.
#[derive(Debug)]
pub struct Desk {
    /// The next game to play.
    pub next: u64,
    /// Where games go.
    pub file: GameFile,
    /// Where they go for people.
    pub pgn: Option<PgnFile>,
    /// The hold on its teacher.
    pub leash: Arc<Leash>,
}

/// A game that is on disk.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Positions with a score.
    pub positions: u64,
    /// How it ended.
    pub verdict: Verdict,
}

/// News from a worker.
#[derive(Debug)]
pub enum News {
    /// A game is over and written down.
    Finished(Finished),
    /// A game was given up for the teacher's fault, and will be played anew.
    Fault(String),
    /// It cannot go on, and has gone home.
    Broken(anyhow::Error),
}

/// Plays this worker's games until none is left, there are enough, or someone wants to stop.
pub fn work(plan: &Plan, mut desk: Desk, news: &Sender<News>, stop: &Stop) {
    if let Err(error) = play(plan, &mut desk, news, stop)
        && !stop.is_raised()
    {
        // Nobody listens only if the run is over.
        let _ = news.send(News::Broken(error));
    }
}

fn play(plan: &Plan, desk: &mut Desk, news: &Sender<News>, stop: &Stop) -> anyhow::Result<()> {
    let mut teacher = None;
    let mut attempt = 0;
    let wanted = |number: u64| plan.games.is_none_or(|games| number < games);
    while wanted(desk.next) && !plan.enough.load(Ordering::Relaxed) && !stop.is_raised() {
        let mut master = match teacher.take() {
            Some(master) => master,
            None => Teacher::start(&plan.school, &plan.lesson, &desk.leash, stop)?,
        };
        let mut random = opening::generator(plan.seed, desk.next, attempt);
        let game = match game::play(&mut master, &plan.rules, &mut random, stop) {
            Ok(game) => game,
            Err(Trouble::Failure(Failure::Interrupted)) => return Ok(()),
            Err(Trouble::Openings(limit)) => return Err(Trouble::Openings(limit).into()),
            Err(Trouble::Failure(Failure::Fault(fault))) => {
                attempt += 1;
                if attempt == MAX_FAULTS {
                    return Err(anyhow!(fault).context(format!("the teacher failed {MAX_FAULTS} times on end")));
                }
                // The teacher ends here, and another takes its place.
                if news.send(News::Fault(format!("game {}: the teacher {fault}", desk.next + 1))).is_err() {
                    return Ok(());
                }
                continue;
            }
        };
        teacher = Some(master);
        attempt = 0;
        // The PGN first: a run that is continued cuts it to the games of the other file.
        if let Some(pgn) = &mut desk.pgn {
            pgn.add(desk.next, &game).context("cannot write the PGN file")?;
        }
        desk.file.add(&game).context("cannot write the game file")?;
        desk.next += plan.workers;
        let finished = Finished { positions: game.notes.len() as u64, verdict: game.verdict };
        if news.send(News::Finished(finished)).is_err() {
            return Ok(());
        }
    }
    Ok(())
}
