//! A game against a person, in a terminal.
//!
//! The [`Sitting`] holds the games: it reads what the person types ([`input`], [`command`], [`entry`]), has the
//! opponent move, draws ([`board`], [`bar`]) and writes the games down ([`record`]). The opponent is any [`Engine`]:
//! Knightlight in a thread, a program, or a board on a serial line.

pub mod bar;
pub mod board;
pub mod command;
pub mod entry;
pub mod input;
pub mod record;
pub mod sitting;

use std::{
    io::{self, IsTerminal},
    num::NonZeroU64,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, bail, ensure};
use quantize::blob::Blob;
use shakmaty::{CastlingMode, Chess, Color};

use crate::{
    arena::{
        Variant,
        openings::{Openings, Order},
    },
    engine::{
        self, Engine, Patience,
        limits::Limits,
        own::Own,
        serial::Serial,
        spec::{EngineSpec, Protocol},
        uci::Uci,
    },
    epd,
    stop::{INTERRUPTED, Stop},
};
use board::Look;
use input::Lines;
use sitting::{Left, Sitting, Terms};

/// What messages call the engine inside this program.
const INSIDE: &str = "knightlight";

/// The person's colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Side {
    /// Moves first.
    #[default]
    White,
    /// Moves second.
    Black,
    /// By lot.
    Random,
}

/// Play against Knightlight, against any other engine, or against a board on a serial port.
///
/// Without --engine or --serial, Knightlight plays inside this program. Type moves as Nf3, exd5, O-O or g1f3; `help`
/// lists the commands, among them undo, hint, eval and save. Every game is added to a PGN file when it ends, when
/// another begins, and on leaving, by Ctrl-C too.
///
///   trainer play --side random --elo 1400
///   trainer play --engine "stockfish option.UCI_LimitStrength=true option.UCI_Elo=1500"
///   trainer play --policy policy.net
///   trainer play --serial /dev/ttyACM0
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Play against this engine: a command, with settings behind it as in `trainer arena --engine`
    #[arg(long, value_name = "SPEC")]
    engine: Option<EngineSpec>,

    /// Play against the UCI engine on this serial port, such as /dev/ttyACM0 or COM3
    #[arg(long, value_name = "PORT", conflicts_with = "engine")]
    serial: Option<String>,

    /// The port's speed, in bits a second
    #[arg(long, default_value = "115200", requires = "serial")]
    baud: u32,

    /// An option of the opponent, NAME=VALUE; may be given several times
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = option)]
    options: Vec<(String, String)>,

    /// A network for Knightlight inside this program, as `quantize convert` writes it [default: the built-in one]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["engine", "serial"])]
    net: Option<PathBuf>,

    /// Have Knightlight's policy net play, with no search: the one in this file, as `quantize convert` writes it, or
    /// without a file the one that the engine or the board comes with
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["engine", "elo"])]
    policy: Option<Option<PathBuf>>,

    /// Strength of the opponent, by its options UCI_LimitStrength and UCI_Elo
    #[arg(long, value_name = "ELO")]
    elo: Option<u32>,

    /// The opponent's milliseconds for every move [default: 1000, if no other limit is given]
    #[arg(long, value_name = "MS")]
    movetime: Option<NonZeroU64>,

    /// The opponent's nodes for every move
    #[arg(long)]
    nodes: Option<NonZeroU64>,

    /// The opponent's depth for every move, in plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Your colour in the first game; with every `new` it changes
    #[arg(long, value_enum, default_value_t)]
    side: Side,

    /// Start from this position
    #[arg(long)]
    fen: Option<String>,

    /// Rules of castling; chess960 without --fen draws one of the 960 arrays
    #[arg(long, value_enum, default_value_t)]
    variant: Variant,

    /// Seed of what is drawn by lot [default: the time]
    #[arg(long)]
    seed: Option<u64>,

    /// Your name, for the games' file
    #[arg(long, default_value = "Human")]
    name: String,

    /// Add the games to this file
    #[arg(long, value_name = "FILE", default_value = "games.pgn")]
    pgn: PathBuf,

    /// Draw the board with letters, for terminals and fonts without chess figures
    #[arg(long)]
    ascii: bool,

    /// Do not show who is winning with every move
    #[arg(long)]
    no_bar: bool,
}

/// Reads `NAME=VALUE`.
fn option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err("it must be NAME=VALUE".to_owned()),
    }
}

impl Args {
    fn limits(&self) -> Limits {
        let limits = Limits {
            clock: None,
            movetime: self.movetime.map(|ms| Duration::from_millis(ms.get())),
            nodes: self.nodes.map(NonZeroU64::get),
            depth: self.depth,
        };
        if limits.is_empty() { Limits { movetime: Some(Duration::from_secs(1)), ..limits } } else { limits }
    }

    fn seed(&self) -> u64 {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64);
        self.seed.unwrap_or_else(now)
    }

    fn side(&self, seed: u64) -> Color {
        match self.side {
            Side::White => Color::White,
            Side::Black => Color::Black,
            // The low bit of a time is drawn by lot well enough.
            Side::Random => Color::from_white(seed.is_multiple_of(2)),
        }
    }

    fn mode(&self) -> CastlingMode {
        match self.variant {
            Variant::Standard => CastlingMode::Standard,
            Variant::Chess960 => CastlingMode::Chess960,
        }
    }

    fn start(&self, seed: u64) -> anyhow::Result<Chess> {
        match (&self.fen, self.mode()) {
            (Some(fen), mode) => epd::parse_position(fen, mode).context("--fen"),
            (None, CastlingMode::Standard) => Ok(Chess::default()),
            (None, mode) => {
                let drawn = Openings::built_in(mode)?.sequence(Order::Random, seed, 1);
                Ok(drawn.first().context("there are no arrays")?.line.start().clone())
            }
        }
    }

    /// The opponent's description, with all that the command line sets.
    fn spec(&self) -> anyhow::Result<EngineSpec> {
        let mut spec = match (&self.engine, &self.serial) {
            (Some(engine), _) => engine.clone(),
            (None, Some(port)) => EngineSpec::bare(port),
            (None, None) => EngineSpec::bare(INSIDE),
        };
        ensure!(spec.limits.clock.is_none(), "--engine: tc= is no limit here, for there are no clocks: use st=");
        if spec.limits.is_empty() {
            spec.limits = self.limits();
        }
        if let Some(elo) = self.elo {
            ensure!(
                spec.protocol == Protocol::Uci,
                "--elo: only UCI engines have a common way to be told their strength"
            );
            spec.options.push(("UCI_LimitStrength".to_owned(), "true".to_owned()));
            spec.options.push(("UCI_Elo".to_owned(), elo.to_string()));
        }
        if let Some(net) = &self.net {
            spec.options.push(file("--net", "EvalFile", "value net", net)?);
        }
        if let Some(policy) = &self.policy {
            if let Some(path) = policy {
                ensure!(
                    self.serial.is_none(),
                    "--policy: a board has no files; without one it plays by the net in its flash"
                );
                spec.options.push(file("--policy", "PolicyFile", "policy net", path)?);
            }
            spec.options.push(("Mode".to_owned(), "Policy".to_owned()));
        }
        spec.options.extend(self.options.iter().cloned());
        Ok(spec)
    }

    fn opponent(&self, spec: &EngineSpec, patience: Patience, stop: &Stop) -> anyhow::Result<Box<dyn Engine>> {
        let mode = self.mode();
        Ok(match &self.serial {
            _ if self.engine.is_some() => engine::start(spec, mode, patience, stop)?,
            Some(port) => {
                let line = Serial::open(port, self.baud, patience.ready, stop)?;
                Box::new(Uci::on(Box::new(line), spec, mode, patience)?)
            }
            None => inside(spec, mode, patience, stop)?,
        })
    }
}

/// The option that loads a blob, which is looked at first: a complaint of the engine's would be lost.
fn file(argument: &str, option: &str, wanted: &str, path: &Path) -> anyhow::Result<(String, String)> {
    let blob = Blob::read(path).map_err(anyhow::Error::from).with_context(|| argument.to_owned())?;
    let found = blob.header()?.model.name();
    ensure!(found == wanted, "{argument} {}: it holds a {found}, and a {wanted} is wanted", path.display());
    let Some(name) = path.to_str() else { bail!("{argument} {}: its name is no text", path.display()) };
    Ok((option.to_owned(), name.to_owned()))
}

/// Knightlight, inside this program.
fn inside(spec: &EngineSpec, mode: CastlingMode, patience: Patience, stop: &Stop) -> anyhow::Result<Box<dyn Engine>> {
    let own = Own::start(stop).context("cannot start a thread for the engine")?;
    Ok(Box::new(Uci::on(Box::new(own), spec, mode, patience)?))
}

/// Plays as the command line asks for.
///
/// # Errors
/// If the opponent does not start or fails, the position is none, or a game cannot be saved.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    let seed = args.seed();
    let (start, spec, patience) = (args.start(seed)?, args.spec()?, Patience::default());
    let live = io::stdin().is_terminal() && io::stdout().is_terminal();
    let coloured = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let terms = Terms {
        person: args.name.clone(),
        side: args.side(seed),
        start,
        limits: spec.limits.clone(),
        advice: args.limits(),
        patience,
        pgn: args.pgn.clone(),
        look: Look { ascii: args.ascii, colour: coloured },
        bar: !args.no_bar,
        live,
    };
    let opponent = args.opponent(&spec, patience, stop)?;
    let advisor_spec = EngineSpec::bare(INSIDE);
    let call_advisor = || inside(&advisor_spec, args.mode(), patience, stop);
    let mut out = io::stdout();
    let sitting = Sitting::new(terms, opponent, &call_advisor, &mut out);
    Ok(match sitting.play(&Lines::of_stdin(stop))? {
        Left::Quit => ExitCode::SUCCESS,
        Left::Interrupted => ExitCode::from(INTERRUPTED),
    })
}
