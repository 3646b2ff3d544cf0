//! Positions with known answers: asks an engine for its move in each and counts what it found.

use std::{env, fs, num::NonZeroU64, ops::ControlFlow, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::{Context, bail, ensure};
use shakmaty::{CastlingMode, Chess, Move, san::SanPlus};

use crate::{
    engine::{
        self, Answer, Engine, Patience, Reply, Turn, fault::Failure, info::Info, limits::Limits, spec::EngineSpec,
    },
    epd::{Epd, parse_move},
    line::Line,
    stop::{INTERRUPTED, Stop},
};

/// The suite that the program brings along.
const BRATKO_KOPEC: &str = include_str!("../data/bratko-kopec.epd");
/// The engine that is tested where none is named.
const DEFAULT_ENGINE: &str = "knightlight";

/// Ask an engine for the best move in each position of an EPD file.
///
/// Without a file these are the 24 positions of Bratko and Kopec. A position is solved by a move of its `bm`, or by
/// one that is not of its `am`; points for several moves, as in the Strategic Test Suite's c0 "f5=100, Bf2=46", are added up.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// EPD file [default: the 24 Bratko-Kopec positions]
    file: Option<PathBuf>,

    /// The engine, written as for `arena` [default: the knightlight beside this program, or on the PATH]
    #[arg(long, value_name = "SPEC")]
    engine: Option<EngineSpec>,

    /// An option of the engine; repeat as needed
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,

    /// Depth for each position, in plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Nodes for each position
    #[arg(long)]
    nodes: Option<NonZeroU64>,

    /// Milliseconds for each position [default: 1000, if no other limit is given]
    #[arg(long, value_name = "MS")]
    movetime: Option<NonZeroU64>,

    /// Go on to the next position once the engine has held on to a right move for so many depths
    #[arg(long, value_name = "DEPTHS", value_parser = clap::value_parser!(u32).range(1..))]
    early_stop: Option<u32>,

    /// Exit with status 1 if fewer positions than this are solved
    #[arg(long, value_name = "N")]
    expect: Option<usize>,
}

impl Args {
    fn spec(&self) -> EngineSpec {
        let mut spec = self.engine.clone().unwrap_or_else(|| EngineSpec::bare(&default_engine()));
        spec.options.extend(self.options.iter().cloned());
        let given = Limits {
            depth: self.depth,
            nodes: self.nodes.map(NonZeroU64::get),
            movetime: self.movetime.map(|ms| Duration::from_millis(ms.get())),
            clock: None,
        };
        if !given.is_empty() {
            spec.limits = given;
        } else if spec.limits.is_empty() {
            spec.limits.movetime = Some(Duration::from_secs(1));
        }
        spec
    }
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

/// The engine that was built beside this program, or its bare name for the PATH.
fn default_engine() -> String {
    let beside =
        env::current_exe().ok().map(|path| path.with_file_name(format!("{DEFAULT_ENGINE}{}", env::consts::EXE_SUFFIX)));
    match beside {
        Some(path) if path.is_file() => path.to_string_lossy().into_owned(),
        _ => DEFAULT_ENGINE.to_owned(),
    }
}

/// A position with its right answers.
#[derive(Clone, Debug)]
struct Exercise {
    id: String,
    position: Chess,
    /// The answer is one of these, unless there are none.
    best: Vec<Move>,
    /// The answer is none of these.
    avoid: Vec<Move>,
    /// What a move is worth, where moves have points.
    points: Vec<(Move, u32)>,
}

impl Exercise {
    fn parse(line: &str, number: usize) -> anyhow::Result<Exercise> {
        let epd = Epd::parse(line, CastlingMode::Standard)?;
        let exercise = Exercise {
            id: epd.operand("id").map_or_else(|| format!("#{number}"), str::to_owned),
            best: epd.moves("bm")?,
            avoid: epd.moves("am")?,
            points: epd.operand("c0").map(|text| parse_points(text, &epd.position)).unwrap_or_default(),
            position: epd.position,
        };
        ensure!(!exercise.best.is_empty() || !exercise.avoid.is_empty(), "neither `bm` nor `am` with a move");
        Ok(exercise)
    }

    fn is_solved_by(&self, mv: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&mv)) && !self.avoid.contains(&mv)
    }

    fn points_for(&self, mv: Move) -> u32 {
        self.points.iter().find(|(m, _)| *m == mv).map_or(0, |(_, points)| *points)
    }

    fn most_points(&self) -> u32 {
        self.points.iter().map(|(_, points)| *points).max().unwrap_or(0)
    }

    /// `d5`, `a4 Nd5` or `not Qxb7`.
    fn expectation(&self) -> String {
        let list = |moves: &[Move]| {
            let moves: Vec<String> = moves.iter().map(|&mv| self.san(mv)).collect();
            moves.join(" ")
        };
        match (self.best.is_empty(), self.avoid.is_empty()) {
            (false, true) => list(&self.best),
            (true, _) => format!("not {}", list(&self.avoid)),
            (false, false) => format!("{} not {}", list(&self.best), list(&self.avoid)),
        }
    }

    fn san(&self, mv: Move) -> String {
        SanPlus::from_move(self.position.clone(), mv).to_string()
    }
}

/// Reads `f5=100, Bf2=46`; a comment that is anything else has no points.
fn parse_points(text: &str, position: &Chess) -> Vec<(Move, u32)> {
    let entry = |entry: &str| {
        // From the end: a promotion has a sign of its own, as in `e8=Q=10`.
        let (mv, points) = entry.trim().rsplit_once('=')?;
        Some((parse_move(mv, position)?, points.trim().parse().ok()?))
    };
    text.split(',').map(entry).collect::<Option<Vec<_>>>().unwrap_or_default()
}

fn read(text: &str, name: &str) -> anyhow::Result<Vec<Exercise>> {
    let mut exercises = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let exercise = Exercise::parse(line, exercises.len() + 1);
        exercises.push(exercise.with_context(|| format!("{name}, line {}", index + 1))?);
    }
    ensure!(!exercises.is_empty(), "{name}: no positions in it");
    Ok(exercises)
}

/// What an engine has scored.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    positions: usize,
    solved: usize,
    points: u32,
    most_points: u32,
    time: Duration,
    nodes: u64,
}

/// Runs the suite that the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    let exercises = match &args.file {
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            read(&text, &path.display().to_string())?
        }
        None => read(BRATKO_KOPEC, "Bratko-Kopec")?,
    };
    let spec = args.spec();
    ensure!(spec.limits.clock.is_none(), "a suite has no clock: use --movetime, --nodes or --depth");
    let mut engine = engine::start(&spec, CastlingMode::Standard, Patience::default(), stop)?;
    for exercise in &exercises {
        if let Some(objection) = engine.objection(&Line::new(exercise.position.clone()), &spec.limits) {
            bail!("{}: {objection}", engine.name());
        }
    }
    println!("{}, {} positions, {}", engine.name(), exercises.len(), spec.limits);

    let width = exercises.iter().map(|exercise| exercise.id.chars().count()).max().unwrap_or(0);
    let mut score = Score::default();
    for exercise in &exercises {
        let reply = match ask(engine.as_mut(), exercise, &spec.limits, args.early_stop) {
            Ok(reply) => reply,
            Err(Failure::Interrupted) => break,
            Err(fault) => bail!(
                "{}: {}: {fault}; its last lines:\n  {}",
                exercise.id,
                engine.name(),
                engine.transcript().join("\n  ")
            ),
        };
        let Answer::Move(mv) = reply.answer else {
            bail!("{}: {} resigned", exercise.id, engine.name());
        };
        count(&mut score, exercise, mv, &reply);
        println!("{:width$}  {}", exercise.id, describe(exercise, mv, &reply));
    }
    println!("{}", total(&score));
    if stop.is_raised() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    match args.expect {
        Some(expected) if score.solved < expected => {
            println!("fewer than the {expected} expected");
            Ok(ExitCode::FAILURE)
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Asks about one position, as the first of a new game: what came before must not matter.
fn ask(
    engine: &mut dyn Engine,
    exercise: &Exercise,
    limits: &Limits,
    early_stop: Option<u32>,
) -> Result<Reply, Failure> {
    engine.new_game(limits)?;
    let line = Line::new(exercise.position.clone());
    let patience = Patience::default();
    // A suite is about moves, not about punctuality.
    let call = limits.movetime.map_or(patience.unclocked, |time| time + patience.grace);
    let turn = Turn {
        line: &line,
        limits,
        mine: None,
        theirs: None,
        call,
        give_up: call + patience.grace,
        draw_offered: false,
    };
    let mut held: Option<(u32, u32)> = None;
    let mut watch = |info: &Info| {
        let (Some(depths), Some(depth)) = (early_stop, info.depth) else {
            return ControlFlow::Continue(());
        };
        let right = info.best.as_deref().and_then(|text| parse_move(text, &exercise.position));
        held = match (held, right.is_some_and(|mv| exercise.is_solved_by(mv))) {
            (_, false) => None,
            (None, true) => Some((depth, 1)),
            (Some((last, count)), true) if depth > last => Some((depth, count + 1)),
            (held, true) => held,
        };
        match held {
            Some((_, count)) if count >= depths => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    engine.think(&turn, &mut watch)
}

fn count(score: &mut Score, exercise: &Exercise, mv: Move, reply: &Reply) {
    score.positions += 1;
    score.solved += usize::from(exercise.is_solved_by(mv));
    score.points += exercise.points_for(mv);
    score.most_points += exercise.most_points();
    score.time += reply.elapsed;
    score.nodes += reply.info.nodes.unwrap_or(0);
}

fn describe(exercise: &Exercise, mv: Move, reply: &Reply) -> String {
    let info = &reply.info;
    let mark = if exercise.is_solved_by(mv) { '✓' } else { '✗' };
    let score = info.score.map_or("-".to_owned(), |score| score.to_string());
    let depth = info.depth.map_or("-".to_owned(), |depth| depth.to_string());
    let mut text = format!(
        "{mark} {:<7} expected {:<12} {score:>7}/{depth:<3} {:7.3} s",
        exercise.san(mv),
        exercise.expectation(),
        reply.elapsed.as_secs_f64(),
    );
    if !exercise.points.is_empty() {
        text += &format!("  {:>3} points", exercise.points_for(mv));
    }
    text
}

fn total(score: &Score) -> String {
    let mut text = format!(
        "{} of {} solved, {} nodes, {:.1} s",
        score.solved,
        score.positions,
        score.nodes,
        score.time.as_secs_f64(),
    );
    if score.most_points > 0 {
        let share = 100.0 * f64::from(score.points) / f64::from(score.most_points);
        text += &format!(", {} of {} points ({share:.1}%)", score.points, score.most_points);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const STS: &str =
        r#"1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id "STS 1"; c0 "f5=100, Bf2=46";"#;

    #[test]
    fn the_built_in_suite_is_whole() {
        let exercises = read(BRATKO_KOPEC, "Bratko-Kopec").unwrap();
        assert_eq!(exercises.len(), 24);
        assert_eq!(exercises[0].id, "BK.01");
        assert_eq!(exercises[0].expectation(), "Qd1+");
        assert!(exercises.iter().all(|exercise| exercise.points.is_empty()));
    }

    #[test]
    fn points_are_counted_beside_solutions() {
        let exercise = Exercise::parse(STS, 1).unwrap();
        let mv = |text| parse_move(text, &exercise.position).unwrap();
        assert!(exercise.is_solved_by(mv("f5")) && !exercise.is_solved_by(mv("Bf2")));
        assert_eq!([mv("f5"), mv("Bf2"), mv("h3")].map(|mv| exercise.points_for(mv)), [100, 46, 0]);
        assert_eq!(exercise.most_points(), 100);
        assert_eq!(parse_points("J. Polgar - Berkes, Budapest 2003", &exercise.position), []);
    }

    #[test]
    fn moves_to_avoid() {
        let exercise = Exercise::parse("4k3/8/8/8/8/8/4P3/4K3 w - - am e4 Kd1;", 7).unwrap();
        let mv = |text| parse_move(text, &exercise.position).unwrap();
        assert!(exercise.is_solved_by(mv("e3")) && !exercise.is_solved_by(mv("e4")));
        assert_eq!((exercise.id.as_str(), exercise.expectation().as_str()), ("#7", "not e4 Kd1"));
    }

    #[test]
    fn faults_are_placed() {
        for (text, expected) in [
            (format!("{STS}\nnonsense"), "f.epd, line 2: 1 of the 4 fields"),
            (STS.replace("bm f5", "bm f6"), "f.epd, line 1: operation `bm`: `f6` is not a legal move here"),
            (STS.replace("bm f5; ", ""), "f.epd, line 1: neither `bm` nor `am`"),
            ("# nothing\n\n".to_owned(), "f.epd: no positions"),
        ] {
            let error = format!("{:#}", read(&text, "f.epd").unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
    }
}
