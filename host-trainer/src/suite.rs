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
///
/// Several limits, or several values of an option, make a table with a row for each:
/// `--depth 3,4,5 --vary Evaluation=Network,Classical`.
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

    /// An option of the engine with several values, each for a run of its own; repeat for every combination
    #[arg(long, value_name = "NAME=VALUE,VALUE", value_parser = parse_variation)]
    vary: Vec<Variation>,

    /// Depth for each position, in plies; several for a run each
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    depth: Vec<u32>,

    /// Nodes for each position; several for a run each
    #[arg(long, value_delimiter = ',')]
    nodes: Vec<NonZeroU64>,

    /// Milliseconds for each position; several for a run each [default: 1000, if no other limit is given]
    #[arg(long, value_name = "MS", value_delimiter = ',')]
    movetime: Vec<NonZeroU64>,

    /// Go on to the next position once the engine has held on to a right move for so many depths
    #[arg(long, value_name = "DEPTHS", value_parser = clap::value_parser!(u32).range(1..))]
    early_stop: Option<u32>,

    /// Exit with status 1 if fewer positions than this are solved, in any run
    #[arg(long, value_name = "N")]
    expect: Option<usize>,
}

impl Args {
    /// The engine with the options that are the same in every run.
    fn spec(&self) -> EngineSpec {
        let mut spec = self.engine.clone().unwrap_or_else(|| EngineSpec::bare(&default_engine()));
        spec.options.extend(self.options.iter().cloned());
        spec
    }

    /// The limits of the runs; those of the engine, `own`, if there are none.
    fn limits(&self, own: &Limits) -> Vec<Limits> {
        let mut all = Vec::new();
        for depth in each(&self.depth) {
            for nodes in each(&self.nodes) {
                for movetime in each(&self.movetime) {
                    all.push(Limits {
                        depth,
                        nodes: nodes.map(NonZeroU64::get),
                        movetime: movetime.map(|ms| Duration::from_millis(ms.get())),
                        clock: None,
                    });
                }
            }
        }
        match all.as_slice() {
            [limits] if limits.is_empty() && own.is_empty() => {
                vec![Limits { movetime: Some(Duration::from_secs(1)), ..Limits::default() }]
            }
            [limits] if limits.is_empty() => vec![own.clone()],
            _ => all,
        }
    }

    /// Every combination of the values of the options that vary.
    fn settings(&self) -> Vec<Vec<(String, String)>> {
        let mut all = vec![Vec::new()];
        for Variation { name, values } in &self.vary {
            let with = |settings: &Vec<(String, String)>, value: &String| {
                let mut settings = settings.clone();
                settings.push((name.clone(), value.clone()));
                settings
            };
            all = all.iter().flat_map(|settings| values.iter().map(move |value| with(settings, value))).collect();
        }
        all
    }
}

/// Each of the values, or that there is none.
fn each<T: Copy>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}

/// An option and the values that it has in one run after another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Variation {
    name: String,
    values: Vec<String>,
}

fn parse_variation(text: &str) -> Result<Variation, String> {
    let (name, values) = parse_option(text).map_err(|_| "write NAME=VALUE,VALUE")?;
    let values: Vec<String> = values.split(',').map(str::to_owned).collect();
    if values.iter().any(String::is_empty) {
        return Err("a value is empty: write NAME=VALUE,VALUE".to_owned());
    }
    Ok(Variation { name, values })
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
    let limits = args.limits(&spec.limits);
    ensure!(
        limits.iter().all(|limits| limits.clock.is_none()),
        "a suite has no clock: use --movetime, --nodes or --depth"
    );
    let settings = args.settings();
    let mut table = (settings.len() * limits.len() > 1).then(|| Table::new(&args.vary, &limits, exercises.len()));

    let mut fewest = usize::MAX;
    'runs: for varied in &settings {
        let mut spec = spec.clone();
        spec.options.extend(varied.iter().cloned());
        let mut engine = engine::start(&spec, CastlingMode::Standard, Patience::default(), stop)?;
        for limits in &limits {
            for exercise in &exercises {
                if let Some(objection) = engine.objection(&Line::new(exercise.position.clone()), limits) {
                    bail!("{}: {objection}", engine.name());
                }
            }
            match &mut table {
                Some(table) => table.begin(engine.name()),
                None => println!("{}, {} positions, {limits}", engine.name(), exercises.len()),
            }
            let run = Run { exercises: &exercises, limits, early_stop: args.early_stop, tells: table.is_none() };
            let score = run.play(engine.as_mut())?;
            fewest = fewest.min(score.solved);
            match &table {
                Some(table) if !stop.is_raised() => println!("{}", table.row(varied, limits, &score)),
                Some(_) => {}
                None => println!("{}", total(&score)),
            }
            if stop.is_raised() {
                break 'runs;
            }
        }
    }
    if stop.is_raised() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    match args.expect {
        Some(expected) if fewest < expected => {
            println!("fewer than the {expected} expected");
            Ok(ExitCode::FAILURE)
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// All exercises under the same limits.
struct Run<'a> {
    exercises: &'a [Exercise],
    limits: &'a Limits,
    early_stop: Option<u32>,
    /// Whether every answer is printed.
    tells: bool,
}

impl Run<'_> {
    /// Asks about every position, until someone wants to stop.
    fn play(&self, engine: &mut dyn Engine) -> anyhow::Result<Score> {
        let width = self.exercises.iter().map(|exercise| exercise.id.chars().count()).max().unwrap_or(0);
        let mut score = Score::default();
        for exercise in self.exercises {
            let reply = match ask(engine, exercise, self.limits, self.early_stop) {
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
            if self.tells {
                println!("{:width$}  {}", exercise.id, describe(exercise, mv, &reply));
            }
        }
        Ok(score)
    }
}

/// Several runs, a row each.
struct Table {
    /// The options that vary, and the width of each one's column.
    columns: Vec<(String, usize)>,
    /// The width of the limits' column.
    limits: usize,
    positions: usize,
    begun: bool,
}

impl Table {
    fn new(vary: &[Variation], limits: &[Limits], positions: usize) -> Table {
        let width =
            |Variation { name, values }: &Variation| values.iter().chain([name]).map(|text| text.chars().count()).max();
        let columns = vary.iter().map(|variation| (variation.name.clone(), width(variation).unwrap_or(0))).collect();
        let limits = limits.iter().map(|limits| limits.to_string().chars().count()).max().unwrap_or(0);
        Table { columns, limits: limits.max("limits".len()), positions, begun: false }
    }

    /// Prints the head, the first time.
    fn begin(&mut self, engine: &str) {
        if !std::mem::replace(&mut self.begun, true) {
            println!("{engine}, {} positions", self.positions);
            let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
            println!("{}", self.line(&names, "limits", ["solved", "nodes", "time"]));
        }
    }

    fn row(&self, varied: &[(String, String)], limits: &Limits, score: &Score) -> String {
        let values: Vec<&str> = varied.iter().map(|(_, value)| value.as_str()).collect();
        let time = format!("{:.2} s", score.time.as_secs_f64());
        let line =
            self.line(&values, &limits.to_string(), [&score.solved.to_string(), &score.nodes.to_string(), &time]);
        line + &points(score)
    }

    fn line(&self, values: &[&str], limits: &str, [solved, nodes, time]: [&str; 3]) -> String {
        let varied: String =
            self.columns.iter().zip(values).map(|((_, width), value)| format!("{value:width$}  ")).collect();
        format!("{varied}{limits:width$}  {solved:>6}  {nodes:>12}  {time:>9}", width = self.limits)
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
    format!(
        "{} of {} solved, {} nodes, {:.1} s{}",
        score.solved,
        score.positions,
        score.nodes,
        score.time.as_secs_f64(),
        points(score),
    )
}

/// `, 4 of 10 points (40.0%)`, if there are any to be had.
fn points(score: &Score) -> String {
    if score.most_points == 0 {
        return String::new();
    }
    let share = 100.0 * f64::from(score.points) / f64::from(score.most_points);
    format!(", {} of {} points ({share:.1}%)", score.points, score.most_points)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

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
    fn every_combination_is_a_run() {
        #[derive(clap::Parser)]
        struct Command {
            #[command(flatten)]
            suite: Args,
        }
        let parse = |text: &str| Command::try_parse_from(text.split(' ')).map(|command| command.suite);
        let args = parse("suite --depth 3,4 --nodes 9 --vary A=1,2 --vary B=x,y").unwrap();
        let limits: Vec<String> = args.limits(&Limits::default()).iter().map(Limits::to_string).collect();
        assert_eq!(limits, ["nodes=9 depth=3", "nodes=9 depth=4"]);
        let settings: Vec<String> =
            args.settings().iter().map(|all| all.iter().map(|(_, value)| value.as_str()).collect()).collect();
        assert_eq!(settings, ["1x", "1y", "2x", "2y"]);

        let plain = parse("suite").unwrap();
        assert_eq!(plain.settings(), [[]]);
        let own = Limits { depth: Some(7), ..Limits::default() };
        assert_eq!(plain.limits(&own), [own]);
        assert_eq!(plain.limits(&Limits::default())[0].to_string(), "movetime=1");
        for wrong in
            ["suite --vary A", "suite --vary A=1,,2", "suite --vary =1", "suite --depth 0,1", "suite --depth 3,"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
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
