//! Matches between engines: scheduling, playing, judging, and what the results prove.
//!
//! A few threads play ([`worker`]), each with engines of its own; the main thread hears of every finished game, writes
//! it down ([`pgn`]), counts it ([`standings`]) and decides when to stop ([`sprt`]).

pub mod adjudication;
pub mod clock;
pub mod game;
pub mod openings;
pub mod pgn;
pub mod progress;
pub mod random;
pub mod report;
pub mod schedule;
pub mod sprt;
pub mod standings;
pub mod statistics;
pub mod worker;

use std::{
    fs,
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
    process::ExitCode,
    sync::{atomic::AtomicUsize, mpsc},
    thread,
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use shakmaty::CastlingMode;
use time::OffsetDateTime;

use crate::{
    engine::{
        self, Patience,
        limits::{Limits, TimeControl},
        spec::EngineSpec,
    },
    stop::{INTERRUPTED, Stop},
};
use adjudication::{Adjudication, DrawRule, ResignRule};
use game::Rules;
use openings::{Openings, Order};
use pgn::{Heading, PgnFile};
use progress::Progress;
use report::Report;
use schedule::Schedule;
use sprt::{Setting, Sprt};
use standings::Standings;
use worker::{Entrant, News, Plan, Stable};

/// The rules of castling that a match is played by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Variant {
    /// Usual chess.
    #[default]
    Standard,
    /// Fischer's random arrays.
    Chess960,
}

/// Play a match between engines and say what it proves.
///
/// The first engine plays all the others, in pairs of games: each opening with both colours. An engine is a command,
/// and settings behind it where needed:
///
///   --engine ./target/release/knightlight
///   --engine "stockfish name=weak option.UCI_LimitStrength=true option.UCI_Elo=1350 nodes=5000"
///   --engine "cmd='gnuchess --xboard' proto=xboard tc=40/60"
///
/// Settings: cmd, dir, name, proto (uci, xboard), init ("line;line"), reuse (0: a new process for each game), option.NAME, and
/// limits of its own: tc, st (seconds a move), movetime (milliseconds a move), nodes, depth.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// An engine; give two or more
    #[arg(long = "engine", value_name = "SPEC", required = true)]
    engines: Vec<EngineSpec>,

    /// Games in all, rounded up to whole pairs against every opponent
    #[arg(long, default_value = "100")]
    games: NonZeroUsize,

    /// Games at a time [default: one for each core]
    #[arg(long)]
    concurrency: Option<NonZeroUsize>,

    /// Time control, [moves/]time[+increment] in seconds [default: 8+0.08, if no other limit is given]
    #[arg(long, value_name = "TC")]
    tc: Option<TimeControl>,

    /// Milliseconds for every move
    #[arg(long, value_name = "MS")]
    movetime: Option<NonZeroU64>,

    /// Nodes for every move
    #[arg(long)]
    nodes: Option<NonZeroU64>,

    /// Depth for every move, in plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Milliseconds by which an engine may overstep its time unpunished: pipes and schedulers cost it some
    #[arg(long, value_name = "MS", default_value = "20")]
    margin_ms: u64,

    /// Seconds that a hung engine is given past its time before it is killed
    #[arg(long, value_name = "S", default_value = "5")]
    grace: u32,

    /// Seconds after which an engine that has no clock (nodes, depth) counts as hung
    #[arg(long, value_name = "S", default_value = "120")]
    patience: u32,

    /// Where games start: a file of EPD or FEN lines, or of games if it ends in .pgn [default: built-in lines]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// Order of the openings
    #[arg(long, value_enum, default_value_t)]
    order: Order,

    /// Seed of the random order; the same seed gives the same openings
    #[arg(long, default_value = "1")]
    seed: u64,

    /// Half-moves after which the lines of a PGN file are cut
    #[arg(long)]
    plies: Option<usize>,

    /// Rules of castling
    #[arg(long, value_enum, default_value_t)]
    variant: Variant,

    /// Draw a game after so many level moves of both sides; 0: never
    #[arg(long, value_name = "N", default_value = "8")]
    draw_moves: u32,

    /// A score of at most this, in centipawns, is level
    #[arg(long, value_name = "CP", default_value = "10")]
    draw_score: u32,

    /// Draw no game before this move
    #[arg(long, value_name = "MOVE", default_value = "40")]
    draw_from: u32,

    /// End a game after so many moves that both sides call lost for the same side; 0: never
    #[arg(long, value_name = "N", default_value = "4")]
    resign_moves: u32,

    /// A score beyond this, in centipawns, is lost and won
    #[arg(long, value_name = "CP", default_value = "700")]
    resign_score: u32,

    /// Draw a game after this move; 0: never
    #[arg(long, value_name = "MOVE", default_value = "300")]
    max_moves: u32,

    /// Stop as soon as the first engine is proved stronger than elo0 or weaker than elo1 (logistic Elo)
    #[arg(long, value_name = "KEY=VALUE", num_args = 0..=4, value_delimiter = ' ')]
    sprt: Option<Vec<Setting>>,

    /// Append the games to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,

    /// Write the summary to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Name of the match, for the PGN file
    #[arg(long, default_value = "Knightlight arena")]
    event: String,

    /// Where the output is no terminal: a line every so many games
    #[arg(long, value_name = "GAMES", default_value = "10")]
    report_every: NonZeroUsize,
}

impl Args {
    fn limits(&self) -> Limits {
        let limits = Limits {
            clock: self.tc,
            movetime: self.movetime.map(|ms| Duration::from_millis(ms.get())),
            nodes: self.nodes.map(NonZeroU64::get),
            depth: self.depth,
        };
        if limits.is_empty() {
            return Limits {
                clock: Some(TimeControl {
                    moves: None,
                    base: Duration::from_secs(8),
                    increment: Duration::from_millis(80),
                }),
                ..limits
            };
        }
        limits
    }

    fn rules(&self) -> Rules {
        let centipawns = |score: u32| i32::try_from(score).unwrap_or(i32::MAX);
        Rules {
            adjudication: Adjudication {
                draw: (self.draw_moves > 0).then_some(DrawRule {
                    from: self.draw_from,
                    moves: self.draw_moves,
                    score: centipawns(self.draw_score),
                }),
                resign: (self.resign_moves > 0)
                    .then_some(ResignRule { moves: self.resign_moves, score: centipawns(self.resign_score) }),
                max_moves: (self.max_moves > 0).then_some(self.max_moves),
            },
            margin: Duration::from_millis(self.margin_ms),
            patience: Patience {
                grace: Duration::from_secs(self.grace.into()),
                unclocked: Duration::from_secs(self.patience.into()),
                ..Patience::default()
            },
        }
    }

    fn sprt(&self) -> anyhow::Result<Option<Sprt>> {
        let Some(settings) = &self.sprt else { return Ok(None) };
        ensure!(self.engines.len() == 2, "--sprt compares two engines, and here are {}", self.engines.len());
        let mut sprt = Sprt::default();
        for setting in settings {
            sprt.set(setting);
        }
        match sprt.problem() {
            Some(problem) => bail!("--sprt: {problem}"),
            None => Ok(Some(sprt)),
        }
    }

    fn mode(&self) -> CastlingMode {
        match self.variant {
            Variant::Standard => CastlingMode::Standard,
            Variant::Chess960 => CastlingMode::Chess960,
        }
    }

    fn concurrency(&self) -> usize {
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.concurrency.unwrap_or_else(cores).get()
    }
}

/// Plays the match that the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    ensure!(args.engines.len() >= 2, "a match needs two engines: give --engine twice");
    let sprt = args.sprt()?;
    let (plan, stable) = prepare(args, stop)?;
    let mut pgn = match &args.pgn {
        Some(path) => Some(PgnFile::open(path).with_context(|| format!("cannot write {}", path.display()))?),
        None => None,
    };

    let names: Vec<String> = plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
    let mut standings = Standings::new(names.len());
    let ended = Match { args, plan: &plan, names: &names, sprt: sprt.as_ref(), stop }.play(
        stable,
        &mut standings,
        pgn.as_mut(),
    );

    let report = Report { names: &names, standings: &standings, sprt: sprt.as_ref() };
    print!("{}", report.summary());
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&report.json())?;
        fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(match ended? {
        Ended::Finished => ExitCode::SUCCESS,
        Ended::Interrupted => ExitCode::from(INTERRUPTED),
    })
}

/// Starts every engine once, so that what cannot work is said before the first game.
fn prepare(args: &Args, stop: &Stop) -> anyhow::Result<(Plan, Stable)> {
    let mode = args.mode();
    let rules = args.rules();
    let schedule = Schedule::new(args.engines.len() - 1, args.games.get());
    let openings = match &args.openings {
        Some(path) => Openings::read(path, mode, args.plies)?,
        None => Openings::built_in(mode)?,
    };
    let openings = openings.sequence(args.order, args.seed, schedule.pairs());

    let mut entrants: Vec<Entrant> = Vec::new();
    let mut stable: Stable = Vec::new();
    for spec in &args.engines {
        let engine = engine::start(spec, mode, rules.patience, stop)?;
        let limits = if spec.limits.is_empty() { args.limits() } else { spec.limits.clone() };
        let objection = openings.iter().find_map(|opening| engine.objection(&opening.line, &limits));
        if let Some(objection) = objection {
            bail!("{}: {objection}", engine.name());
        }
        let taken = |name: &str| entrants.iter().any(|other| other.name == name);
        let mut name = engine.name().to_owned();
        for copy in 2.. {
            if !taken(&name) {
                break;
            }
            name = format!("{} ({copy})", engine.name());
        }
        entrants.push(Entrant { spec: spec.clone(), name, limits });
        stable.push(Some(engine));
    }
    let plan = Plan { entrants, schedule, openings, mode, rules, next: AtomicUsize::new(0) };
    Ok((plan, stable))
}

/// A match that is ready to begin.
struct Match<'a> {
    args: &'a Args,
    plan: &'a Plan,
    names: &'a [String],
    sprt: Option<&'a Sprt>,
    stop: &'a Stop,
}

/// How a match came to its end.
enum Ended {
    /// All games are over, or the test is decided.
    Finished,
    /// Someone wanted it to stop.
    Interrupted,
}

impl Match<'_> {
    /// Has the workers play; counts and writes down what they report.
    fn play(&self, stable: Stable, standings: &mut Standings, pgn: Option<&mut PgnFile>) -> anyhow::Result<Ended> {
        let games = self.plan.schedule.games();
        let progress = Progress::new(games, self.args.report_every.get());
        let (sender, news) = mpsc::channel();
        thread::scope(|scope| {
            // The engines that were started to see whether they work go to the first worker.
            let mut stable = Some(stable);
            for _ in 0..self.args.concurrency().min(games) {
                let stable = stable.take().unwrap_or_else(|| self.names.iter().map(|_| None).collect());
                let sender = sender.clone();
                scope.spawn(move || worker::work(self.plan, stable, &sender, self.stop));
            }
            drop(sender);
            let ended = self.follow(&news, standings, pgn, &progress);
            // Workers that still play need not: the match is decided, or something is broken.
            self.stop.raise();
            progress.finish();
            ended
        })
    }

    fn follow(
        &self,
        news: &mpsc::Receiver<News>,
        standings: &mut Standings,
        mut pgn: Option<&mut PgnFile>,
        progress: &Progress,
    ) -> anyhow::Result<Ended> {
        for message in news {
            let (fixture, game, transcript) = match message {
                News::Finished { fixture, game, transcript } => (fixture, game, transcript),
                // Its start was cut short by the wish to stop.
                News::Broken(_) if self.stop.is_raised() => return Ok(Ended::Interrupted),
                News::Broken(error) => return Err(error),
            };
            if let Some(pgn) = pgn.as_deref_mut() {
                self.write_down(pgn, &fixture, &game)?;
            }
            if game.verdict.fault().is_some() {
                let round = fixture.number + 1;
                let last_lines = transcript.join("\n  ");
                progress.suspend(|| tracing::warn!("game {round}: {}; its last lines:\n  {last_lines}", game.verdict));
            }
            let completed_pair = standings.count(&fixture, &game);
            let report = Report { names: self.names, standings, sprt: self.sprt };
            progress.note(&report.line());
            let decision = self.sprt.and_then(|sprt| sprt.decide(&standings.pairings[0].pairs));
            if completed_pair && decision.is_some() {
                return Ok(Ended::Finished);
            }
        }
        Ok(if self.stop.is_raised() { Ended::Interrupted } else { Ended::Finished })
    }

    fn write_down(&self, pgn: &mut PgnFile, fixture: &schedule::Fixture, game: &game::Game) -> anyhow::Result<()> {
        let (first, second) = (&self.plan.entrants[0], &self.plan.entrants[fixture.opponent]);
        let (white, black) = if fixture.first_is_white { (first, second) } else { (second, first) };
        let heading = Heading {
            event: &self.args.event,
            round: fixture.number + 1,
            white: &white.name,
            black: &black.name,
            white_limits: &white.limits,
            black_limits: &black.limits,
            opening: self.plan.openings[fixture.pair].name.as_deref(),
            date: OffsetDateTime::now_utc(),
        };
        pgn.add(&heading, game).context("cannot write the PGN file")
    }
}
