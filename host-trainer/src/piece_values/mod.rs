//! What pieces are worth, from the results of games: logistic regression on material, or on the tables of the engine's
//! own classical evaluation.
//!
//! [`quiet`] chooses positions, [`material`] and [`placement`] say what is in them, [`regression`] and [`solver`] find
//! the weights; [`values`] and [`tables`] are what comes out.

pub mod material;
mod picture;
pub mod placement;
pub mod quiet;
pub mod regression;
mod report;
pub mod solver;
pub mod tables;
pub mod values;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context, ensure};
use nalgebra::DVector;

use self::{
    material::{Extras, Material},
    placement::{Placements, Wings},
    quiet::Quiet,
    regression::{Examples, Regression},
    report::{Fitted, Read, Report},
    solver::{Method, Solution, gradient_descent, trust_region},
    tables::Tables,
};
use crate::{
    data::{
        format::Input,
        game::{Game, Outcome, Sample, score_seen_by},
        logistic::expectation,
        prepare::share,
        progress,
    },
    stop::{INTERRUPTED, Stop},
};

/// Find what pieces are worth, by logistic regression on the results of games.
///
/// Every quiet position says what White has more of than Black, and the game says what came of it; each balance of
/// material counts once a game. The weights that foretell the results best, by cross entropy, are the values of the
/// pieces; a pawn's is then called 100.
///
/// With `--features piece-square` it fits the tables of the engine's classical evaluation, from every quiet position
/// (known as Texel tuning), and `--write engine-core/src/eval/piece_square.rs` gives them to the engine.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games or positions (.pgn, .viri, .bullet, .binpack), read as one. Positions of .bullet have neither moves
    /// nor plies nor games, so each counts, whatever it is
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,

    /// What is given a value
    #[arg(long, value_enum, default_value_t)]
    features: Features,

    /// Give being White a value, too, whatever the material
    #[arg(long)]
    first_move: bool,

    /// Which squares share a value (with --features piece-square)
    #[arg(long, value_enum, default_value_t)]
    wings: Wings,

    #[command(flatten)]
    quiet: Quiet,

    /// Leave out positions before this ply, counted from the usual start position [default: 0; 16 with piece-square]
    #[arg(long, value_name = "PLY", help_heading = "Quiet positions")]
    min_ply: Option<u32>,

    /// Leave out games that were drawn; otherwise a draw is half a point
    #[arg(long)]
    without_draws: bool,

    /// How much a position's score says of it, against the game's result: from 0, nothing, to 1, all
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = up_to_one)]
    score_weight: f64,

    /// Centipawns of a score for each unit of the logistic function (`trainer data stats` fits it)
    #[arg(long, value_name = "CP", default_value = "350", value_parser = above_zero)]
    score_scale: f64,

    /// Strength of the pull to nothing, or with piece-square to a beginner's tables. Of several the one that does best on
    /// games held out
    #[arg(long, value_name = "L2,L2", default_value = "1", value_delimiter = ',', value_parser = at_least_zero)]
    l2: Vec<f64>,

    /// Share of the games that is held out to judge by [default: 0; 0.1 with piece-square]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    validation: Option<f64>,

    /// Seed of what is held out
    #[arg(long, default_value = "1")]
    seed: u64,

    /// How the weights are found
    #[arg(long, value_enum, default_value_t)]
    solver: Method,

    /// Steps of gradient descent
    #[arg(long, value_name = "N", default_value = "10000")]
    iterations: usize,

    /// Length of gradient descent's steps; without it, the longest that is sure to lead downhill
    #[arg(long, value_name = "RATE", value_parser = above_zero)]
    step: Option<f64>,

    /// Write the results to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Draw convergence.svg and expectations.svg in this folder; made if need be
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,

    /// Write the fitted tables to this file, as the engine's source (with --features piece-square)
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// What is given a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Features {
    /// Pawns, knights, bishops, rooks and queens
    #[default]
    Material,
    /// Those, and two bishops on squares of both colours
    BishopPair,
    /// Every piece on every square, in the middlegame and in the endgame
    PieceSquare,
}

fn number(text: &str, allowed: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && allowed(*number));
    number.ok_or_else(|| format!("a number wanted, {wanted}"))
}

fn up_to_one(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=1.0).contains(&number), "0 to 1")
}

fn above_zero(text: &str) -> Result<f64, String> {
    number(text, |number| number > 0.0, "above 0")
}

fn at_least_zero(text: &str) -> Result<f64, String> {
    number(text, |number| number >= 0.0, "at least 0")
}

/// Examples of either kind.
#[derive(Debug)]
enum Rows {
    Material(Material),
    Placements(Placements),
}

impl Rows {
    fn new(args: &Args) -> Rows {
        match args.features {
            Features::PieceSquare => Rows::Placements(Placements::new(args.wings)),
            features => {
                let bishop_pair = features == Features::BishopPair;
                Rows::Material(Material::new(Extras { bishop_pair, first_move: args.first_move }))
            }
        }
    }

    fn examples(&self) -> &dyn Examples {
        match self {
            Rows::Material(material) => material,
            Rows::Placements(placements) => placements,
        }
    }

    fn take(&mut self, game: &Game, chosen: &[usize], points: impl Fn(&Sample) -> f64) {
        match self {
            Rows::Material(material) => material.take(game, chosen, points),
            Rows::Placements(placements) => {
                for &ply in chosen {
                    let sample = &game.samples[ply];
                    placements.take(&sample.board, points(sample));
                }
            }
        }
    }
}

impl Args {
    fn is_piece_square(&self) -> bool {
        self.features == Features::PieceSquare
    }

    fn min_ply(&self) -> u32 {
        self.min_ply.unwrap_or(if self.is_piece_square() { 16 } else { 0 })
    }

    fn validation(&self) -> f64 {
        self.validation.unwrap_or(if self.is_piece_square() { 0.1 } else { 0.0 })
    }

    /// What is known beforehand to be wrong.
    fn check(&self) -> anyhow::Result<()> {
        ensure!(self.write.is_none() || self.is_piece_square(), "--write needs --features piece-square");
        ensure!(
            !(self.first_move && self.is_piece_square()),
            "--first-move is for material: --features piece-square has a value for the right to move"
        );
        ensure!(
            self.l2.len() == 1 || self.validation() > 0.0,
            "several strengths of --l2 need games held out to judge by: give --validation"
        );
        let pull = !self.is_piece_square() || self.l2.iter().all(|&l2| l2 > 0.0);
        ensure!(pull, "--features piece-square needs --l2 above 0: many values are set by little else");
        Ok(())
    }

    /// What a position was worth to White.
    fn points(&self, sample: &Sample) -> f64 {
        let us = sample.board.side_to_move();
        let result = f64::from(sample.outcome.seen_by(us) as u8) / 2.0;
        match sample.score {
            Some(score) if self.score_weight > 0.0 => {
                let score = expectation(f64::from(score_seen_by(score, us)) / self.score_scale);
                (1.0 - self.score_weight) * result + self.score_weight * score
            }
            _ => result,
        }
    }

    /// The positions of a game that count.
    fn chosen(&self, game: &Game) -> Vec<usize> {
        let mut chosen = self.quiet.positions(game);
        chosen.retain(|&index| game.samples[index].ply.is_none_or(|ply| ply >= self.min_ply()));
        chosen
    }
}

/// Fits what the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    args.check()?;
    let inputs = args.inputs.iter().map(|path| Input::new(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let Some((train, held_out, read)) = take_all(args, &inputs, stop)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    ensure!(train.examples().rows() > 0, "no quiet position is left to learn from");
    let Some(fitted) = fit(args, &train, &held_out, stop)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let report = Report { args, rows: &train, read: &read, fitted: &fitted };
    print!("{}", report.text());
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&report.json())? + "\n";
        write(path, &text)?;
    }
    if args.pictures.is_some() || args.write.is_some() {
        let pawn = fitted.pawn(&train);
        ensure!(pawn > 0.0, "these positions do not say that a pawn is worth something (its weight is {pawn:.4})");
    }
    if let Some(folder) = &args.pictures {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        picture::convergence(&folder.join("convergence.svg"), &fitted.solution.costs)?;
        let (weights, pawn) = (&fitted.solution.weights, fitted.pawn(&train));
        picture::expectations(&folder.join("expectations.svg"), train.examples(), weights, pawn)?;
    }
    if let (Some(path), Some(tables)) = (&args.write, fitted.tables(&train)) {
        write(path, &tables.rust(&command()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The command line, as a shell would take it, in one line.
fn command() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "));
    format!("trainer {}", words.replace(['\n', '\r'], " "))
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    quantize::whole::write(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

/// Reads all games: to learn from, and held out. `None` if someone wanted to stop.
fn take_all(args: &Args, inputs: &[Input], stop: &Stop) -> anyhow::Result<Option<(Rows, Rows, Read)>> {
    let began = Instant::now();
    let (mut train, mut held_out, mut read) = (Rows::new(args), Rows::new(args), Read::default());
    let bar = progress::bytes(inputs.iter().map(|input| input.size).sum());
    for input in inputs {
        let mut source = input.open(&bar)?;
        let mut game = Game::default();
        while source.next(&mut game).with_context(|| input.path.display().to_string())? {
            if stop.is_raised() {
                return Ok(None);
            }
            read.games += 1;
            read.positions += game.samples.len() as u64;
            let Some(outcome) = game.white_outcome() else { continue };
            if args.without_draws && outcome == Outcome::Draw {
                continue;
            }
            let chosen = args.chosen(&game);
            if chosen.is_empty() {
                continue;
            }
            read.results[outcome as usize] += 1;
            read.quiet += chosen.len() as u64;
            let held = game.is_within(args.seed, args.validation());
            let rows = if held { &mut held_out } else { &mut train };
            rows.take(&game, &chosen, |sample| args.points(sample));
        }
    }
    bar.finish_and_clear();
    read.time = began.elapsed();
    Ok(Some((train, held_out, read)))
}

/// The weights that the least costly pull leads to. `None` if someone wanted to stop.
fn fit(args: &Args, train: &Rows, held_out: &Rows, stop: &Stop) -> anyhow::Result<Option<Fitted>> {
    let (prior, engine) = (prior(train)?, engine(train));
    let judge = (held_out.examples().rows() > 0).then(|| Regression::new(held_out.examples(), 0.0, prior.clone()));
    ensure!(args.l2.len() == 1 || judge.is_some(), "no game was held out to judge the strengths of --l2 by");
    let mut best: Option<Fitted> = None;
    let mut tried = Vec::new();
    for &l2 in &args.l2 {
        let regression = Regression::new(train.examples(), l2, prior.clone());
        let Some(solution) = solve(args, &regression, stop)? else { return Ok(None) };
        let held_out = judge.as_ref().map(|judge| judge.cross_entropy(&solution.weights));
        tried.push((l2, held_out));
        if best.as_ref().is_none_or(|best| held_out < best.held_out) {
            best = Some(Fitted {
                l2,
                examples: regression.count(),
                cost: regression.cross_entropy(&solution.weights),
                prior_cost: regression.cross_entropy(&prior),
                held_out,
                prior_held_out: judge.as_ref().map(|judge| judge.cross_entropy(&prior)),
                engine_held_out: judge.as_ref().zip(engine.as_ref()).map(|(judge, engine)| judge.cross_entropy(engine)),
                held_out_examples: judge.as_ref().map_or(0.0, Regression::count),
                covariance: match train {
                    Rows::Material(_) => values::covariance(&regression.hessian(&solution.weights), regression.count()),
                    Rows::Placements(_) => None,
                },
                solution,
                tried: Vec::new(),
            });
        }
    }
    Ok(best.map(|best| Fitted { tried, ..best }))
}

fn solve(args: &Args, regression: &Regression<'_>, stop: &Stop) -> anyhow::Result<Option<Solution>> {
    let start = regression.prior().clone();
    match args.solver {
        Method::TrustRegion => trust_region(regression, start, stop),
        Method::GradientDescent => gradient_descent(regression, start, args.step, args.iterations, stop),
    }
}

/// What weights are pulled to: nothing, or a beginner's tables.
fn prior(rows: &Rows) -> anyhow::Result<DVector<f64>> {
    match rows {
        Rows::Material(material) => Ok(DVector::zeros(material.features())),
        Rows::Placements(placements) => in_best_scale(placements, &Tables::prior())
            .context("the positions do not tell what a centipawn is worth: there are too few"),
    }
}

/// The weights that the engine plays with.
fn engine(rows: &Rows) -> Option<DVector<f64>> {
    match rows {
        Rows::Material(_) => None,
        Rows::Placements(placements) => in_best_scale(placements, &Tables::of_engine()),
    }
}

/// Weights for tables, in the scale in which they foretell the points best, if they do at all.
fn in_best_scale(placements: &Placements, tables: &Tables) -> Option<DVector<f64>> {
    Some(placements.weights(tables, placements.centipawn(tables)?))
}
