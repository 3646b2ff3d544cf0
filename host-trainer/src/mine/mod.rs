//! Games to train on: a teacher plays itself from random openings, and what it thinks of every position is kept.
//!
//! A few threads play ([`worker`]), each with a teacher ([`teacher`]) and files ([`record`], [`pgn`]) of its own; the
//! main thread counts ([`tally`]) and keeps watch over the teachers' processes ([`leash`]). Game `k` of a run is played
//! by worker `k` modulo their number and depends on the seed and `k` alone, as far as the teacher gives the same
//! answers to the same questions. So the count of whole games in each file says where a run that was cut short goes on.

pub mod choice;
pub mod game;
pub mod in_process;
pub mod leash;
pub mod opening;
pub mod pgn;
pub mod progress;
pub mod record;
pub mod settings;
pub mod tally;
pub mod teacher;
pub mod uci;
pub mod worker;

use std::{
    fs,
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use anyhow::{Context, bail, ensure};

use crate::{
    arena::adjudication::{Adjudication, DrawRule, ResignRule},
    engine::limits::Limits,
    stop::{INTERRUPTED, Stop},
};
use choice::Weights;
use engine_core::{net::ValueNet, nets};
use game::Rules;
use leash::{Leash, Watch};
use pgn::PgnFile;
use progress::{Goal, Progress};
use quantize::blob::Blob;
use record::{Contents, GameFile};
use settings::Settings;
use tally::Tally;
use teacher::{Lesson, School, Teacher};
use worker::{Desk, News, Plan};

/// Play games with a teacher and record them, to train a network on.
///
/// The teacher, a UCI engine, plays itself from random openings. Every position is kept with the teacher's score of it
/// and the result of its game. Into the folder go, for each worker, worker-K.viri (viriformat: start position, moves, scores
/// in centipawns from White's side, mate in n half-moves as 32000 - n, result) and worker-K.pgn, and the settings in mine.json.
///
/// A run may be cut short at any moment and is continued with --resume; at most the games being played are lost.
///
///   trainer mine --games 10000 --depth 8 --out mined
///   trainer mine --positions 5000000 --depth 5 --choose 100 --workers 4 --no-pgn --out cheap
///   trainer mine --self-play --nodes 2000 --games 5000 --out own
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(group(clap::ArgGroup::new("goal").required(true).args(["games", "positions"])))]
#[command(group(clap::ArgGroup::new("limit").args(["depth", "nodes", "movetime_ms"])))]
pub struct Args {
    /// The teacher's command
    #[arg(long, value_name = "CMD", default_value = "stockfish", conflicts_with = "self_play")]
    teacher: String,

    /// Let Knightlight's own engine teach, within this process
    #[arg(long)]
    self_play: bool,

    /// The network that judges in self-play, or "classical" for none [default: the built-in one]
    #[arg(long, value_name = "FILE", requires = "self_play")]
    network: Option<PathBuf>,

    /// Stop after so many games in all
    #[arg(long)]
    games: Option<NonZeroU64>,

    /// Stop after the game that brings the positions in all to so many
    #[arg(long)]
    positions: Option<NonZeroU64>,

    /// The folder for the games
    #[arg(long, value_name = "DIR", default_value = "mined")]
    out: PathBuf,

    /// Continue the run in that folder
    #[arg(long)]
    resume: bool,

    /// How often each of the teacher's best moves is played, best first; 100 plays the best only
    #[arg(long, value_name = "W,W,...", default_value = "80,15,5")]
    choose: Weights,

    /// Plies for every position [default: 6, if no other limit is given and the teacher is no --self-play]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Nodes for every position; with --self-play the iteration that reaches them is finished [default there: 1000]
    #[arg(long)]
    nodes: Option<NonZeroU64>,

    /// Milliseconds for every position; the games then differ from run to run
    #[arg(long, value_name = "MS")]
    movetime_ms: Option<NonZeroU64>,

    /// Random half-moves at the start of each game, or by chance one more; lines that end the game are drawn anew. 0: none
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(..=200))]
    random_plies: u32,

    /// Draw a random opening anew if the teacher scores it beyond this, in centipawns
    #[arg(long, value_name = "CP", default_value = "400")]
    opening_cp: u16,

    /// Draw a game after this move
    #[arg(long, value_name = "MOVE", default_value = "500")]
    max_moves: NonZeroU64,

    /// Play every game to its end by the rules (or --max-moves)
    #[arg(long)]
    no_adjudication: bool,

    /// End a game as won that scores beyond this, in centipawns, for the same side ...
    #[arg(long, value_name = "CP", default_value = "2500")]
    adjudicate_cp: u16,

    /// ... at so many moves of each side on end
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    adjudicate_moves: u32,

    /// End a game as drawn that scores at most this, in centipawns, either way ...
    #[arg(long, value_name = "CP", default_value = "8")]
    draw_cp: u16,

    /// ... at so many moves of each side on end ...
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..))]
    draw_moves: u32,

    /// ... and not before this move
    #[arg(long, value_name = "MOVE", default_value = "36")]
    draw_from: u32,

    /// Games at a time, each with a teacher of its own [default: one for each core, or as the run was begun]
    #[arg(long)]
    workers: Option<NonZeroUsize>,

    /// Seed of all that is random
    #[arg(long, default_value = "1")]
    seed: u64,

    /// Megabytes of hash table for each teacher; it is cleared for every game, which takes longer the larger it is
    #[arg(long, value_name = "MB", default_value = "1")]
    hash: NonZeroUsize,

    /// An option of the teacher, NAME=VALUE; may be given several times
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = option, conflicts_with = "self_play")]
    options: Vec<(String, String)>,

    /// Let the teacher keep its hash table from game to game: faster, but games then depend on those before
    #[arg(long)]
    keep_hash: bool,

    /// Seconds after which a teacher that does not answer is killed and started anew
    #[arg(long, value_name = "S", default_value = "60")]
    patience: NonZeroU64,

    /// Write no PGN
    #[arg(long)]
    no_pgn: bool,

    /// Show no live line, but a line every few seconds, as where the output is no terminal
    #[arg(long)]
    no_progress: bool,
}

fn option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

impl Args {
    fn goal(&self) -> anyhow::Result<Goal> {
        match (self.games, self.positions) {
            (Some(games), _) => Ok(Goal::Games(games.get())),
            (None, Some(positions)) => Ok(Goal::Positions(positions.get())),
            (None, None) => bail!("give --games or --positions"),
        }
    }

    fn limits(&self) -> Limits {
        let limits = Limits {
            clock: None,
            movetime: self.movetime_ms.map(|ms| Duration::from_millis(ms.get())),
            nodes: self.nodes.map(NonZeroU64::get),
            depth: self.depth,
        };
        match (limits.is_empty(), self.self_play) {
            (false, _) => limits,
            (true, false) => Limits { depth: Some(6), ..limits },
            (true, true) => Limits { nodes: Some(1000), ..limits },
        }
    }

    fn adjudication(&self) -> Adjudication {
        let max_moves = Some(u32::try_from(self.max_moves.get()).unwrap_or(u32::MAX));
        if self.no_adjudication {
            return Adjudication { max_moves, ..Adjudication::default() };
        }
        Adjudication {
            draw: Some(DrawRule { from: self.draw_from, moves: self.draw_moves, score: self.draw_cp.into() }),
            resign: Some(ResignRule { moves: self.adjudicate_moves, score: self.adjudicate_cp.into() }),
            max_moves,
        }
    }

    fn school(&self) -> anyhow::Result<School> {
        if self.self_play {
            return Ok(School::InProcess { network: self.network()? });
        }
        let command = shlex::split(&self.teacher).context("--teacher: a quote is not closed")?;
        ensure!(!command.is_empty(), "--teacher: no command");
        Ok(School::Uci { command, options: self.options.clone() })
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(self.patience.get())
    }

    /// The network of self-play. It stays in memory: the run needs it to its end.
    fn network(&self) -> anyhow::Result<Option<Box<ValueNet<'static>>>> {
        let bytes = match &self.network {
            None => nets::DEFAULT,
            Some(path) if path.as_os_str() == "classical" => return Ok(None),
            Some(path) => Box::leak(Box::new(Blob::read(path)?)).bytes(),
        };
        Ok(Some(Box::new(ValueNet::load(bytes)?)))
    }

    fn lesson(&self) -> Lesson {
        Lesson { limits: self.limits(), choices: self.choose.count(), hash: self.hash.get(), forget: !self.keep_hash }
    }

    fn rules(&self) -> Rules {
        Rules {
            weights: self.choose.clone(),
            random_plies: self.random_plies.into(),
            opening_limit: self.opening_cp.into(),
            adjudication: self.adjudication(),
        }
    }

    /// All that the games depend on.
    fn settings(&self, teacher: String, workers: u64) -> Settings {
        let mut settings = Settings::default();
        settings.set("teacher", teacher);
        settings.set("command", if self.self_play { "" } else { self.teacher.as_str() });
        let options: Vec<String> = self.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        settings.set("options", options);
        settings.set("limit", self.limits().to_string());
        settings.set("choose", self.choose.to_string());
        settings.set("random_plies", self.random_plies);
        settings.set("opening_cp", self.opening_cp);
        settings.set("max_moves", self.max_moves.get());
        settings.set("adjudication", !self.no_adjudication);
        if !self.no_adjudication {
            settings.set("adjudicate_cp", self.adjudicate_cp);
            settings.set("adjudicate_moves", self.adjudicate_moves);
            settings.set("draw_cp", self.draw_cp);
            settings.set("draw_moves", self.draw_moves);
            settings.set("draw_from", self.draw_from);
        }
        settings.set("workers", workers);
        settings.set("seed", self.seed);
        settings.set("hash", self.hash.get() as u64);
        settings.set("keep_hash", self.keep_hash);
        settings.set("pgn", !self.no_pgn);
        settings
    }
}

/// Mines the games that the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    let goal = args.goal()?;
    let begun = Settings::read(&args.out)?;
    match (&begun, args.resume) {
        (Some(_), false) => bail!(
            "{} holds a run already: continue it with --resume, or name another folder with --out",
            args.out.display()
        ),
        (None, true) => bail!("{} holds no run to continue", args.out.display()),
        _ => {}
    }
    let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN).get() as u64;
    let recorded = begun.as_ref().and_then(|begun| begun.number("workers"));
    let workers = args.workers.map(|workers| workers.get() as u64).or(recorded).unwrap_or_else(cores);

    let (school, lesson) = (args.school()?, args.lesson());
    let teacher = call_on(&school, &lesson, args.patience(), stop)?;
    let settings = args.settings(teacher.clone(), workers);
    if let Some(begun) = &begun {
        let contradictions = settings.contradictions(begun);
        ensure!(contradictions.is_empty(), "{} was begun otherwise: {}", args.out.display(), contradictions.join("; "));
    }
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;

    let (desks, before) = open_desks(args, &teacher, workers)?;
    ensure!(begun.is_some() || before.games == 0, "{} holds games, but no {}", args.out.display(), settings::FILE);
    settings.write(&args.out).with_context(|| format!("cannot write the settings into {}", args.out.display()))?;

    let plan = Plan {
        school,
        lesson,
        rules: args.rules(),
        seed: args.seed,
        games: match goal {
            Goal::Games(games) => Some(games),
            Goal::Positions(_) => None,
        },
        workers,
        enough: AtomicBool::new(matches!(goal, Goal::Positions(positions) if before.positions >= positions)),
    };
    let mut tally = Tally::default();
    let mut progress = Progress::new(goal, (before.games, before.positions), !args.no_progress);
    let ended = mine(&plan, desks, before.positions, &mut tally, &mut progress, stop);
    progress.finish();
    print!("{}", tally.summary(progress.elapsed()));
    if args.resume {
        println!("In all: {} games with {} positions", before.games + tally.games, before.positions + tally.positions);
    }
    ended?;
    Ok(if stop.is_raised() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Opens every worker's files, torn games cut off; gives also what is in them all.
fn open_desks(args: &Args, teacher: &str, workers: u64) -> anyhow::Result<(Vec<Desk>, Contents)> {
    let mut all = Contents::default();
    let mut desks = Vec::new();
    for worker in 0..workers {
        let path = args.out.join(format!("worker-{}.viri", worker + 1));
        let (file, contents) = GameFile::open(&path)?;
        all.games += contents.games;
        all.positions += contents.positions;
        all.bytes += contents.bytes;
        let path = path.with_extension("pgn");
        let pgn = (!args.no_pgn).then(|| PgnFile::open(&path, contents.games, teacher)).transpose();
        desks.push(Desk {
            next: worker + contents.games * workers,
            file,
            pgn: pgn.with_context(|| format!("cannot write {}", path.display()))?,
            leash: Arc::new(Leash::new(args.patience())),
        });
    }
    Ok((desks, all))
}

/// Starts the teacher once, so that what cannot work is said before anything is written; gives its name.
fn call_on(school: &School, lesson: &Lesson, patience: Duration, stop: &Stop) -> anyhow::Result<String> {
    let leash = Arc::new(Leash::new(patience));
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut watch = Watch::new(std::slice::from_ref(&leash));
            while !over.load(Ordering::Relaxed) {
                watch.look(stop);
                thread::park_timeout(leash::INTERVAL);
            }
        });
        let teacher = Teacher::start(school, lesson, &leash, stop);
        over.store(true, Ordering::Relaxed);
        Ok(teacher?.name())
    })
}

/// Has the workers play, and counts what they report.
fn mine(
    plan: &Plan,
    desks: Vec<Desk>,
    positions_before: u64,
    tally: &mut Tally,
    progress: &mut Progress,
    stop: &Stop,
) -> anyhow::Result<()> {
    let goal = progress.goal();
    let leashes: Vec<Arc<Leash>> = desks.iter().map(|desk| Arc::clone(&desk.leash)).collect();
    let mut watch = Watch::new(&leashes);
    let mut broken = None;
    thread::scope(|scope| {
        let (sender, news) = mpsc::channel();
        for desk in desks {
            let sender = sender.clone();
            scope.spawn(move || worker::work(plan, desk, &sender, stop));
        }
        drop(sender);
        loop {
            match news.recv_timeout(leash::INTERVAL) {
                Ok(News::Finished(finished)) => tally.count(&finished),
                Ok(News::Fault(what)) => {
                    tally.count_fault();
                    progress.suspend(|| tracing::warn!("{what}"));
                }
                Ok(News::Broken(error)) => {
                    broken.get_or_insert(error);
                    stop.raise();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if matches!(goal, Goal::Positions(positions) if positions_before + tally.positions >= positions) {
                plan.enough.store(true, Ordering::Relaxed);
            }
            progress.note(tally);
            watch.look(stop);
        }
    });
    broken.map_or(Ok(()), Err)
}
