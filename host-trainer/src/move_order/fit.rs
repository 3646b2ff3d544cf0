//! Centres of good and of bad moves: k-means over what moves look like.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, ensure};
use engine_core::{
    chess::{Board, Move},
    net::{
        header::{ClusterShape, MAX_CENTRES, MAX_ORDER_SCALE, MoveOrderShape},
        move_order::features::{self, Features},
    },
};
use linfa::prelude::{DatasetBase, Fit, Predict, SilhouetteScore};
use linfa_clustering::KMeans;
use linfa_nn::distance::{Distance, L1Dist, L2Dist};
use ndarray::{Array1, Array2, Axis};
use rand_xoshiro::{Xoshiro256Plus, rand_core::SeedableRng};

use super::{
    agreement,
    blob::Blob,
    coordinates::{self, Map, Metric},
    games,
    labels::Labels,
    sample::Reservoir,
};
use crate::{
    arena::random::SplitMix64,
    stop::{INTERRUPTED, Stop},
};

/// The silhouette costs the square of the number of moves, so it is measured on so many.
const SILHOUETTE_MOVES: usize = 2_000;

/// Most iterations of a run of k-means; it ends before where the centres hardly move.
const ITERATIONS: u64 = 100;
/// What hardly is, in standard deviations.
const TOLERANCE: f64 = 1e-2;

/// Cluster good and bad moves of games; a move's score is how much nearer it is to a good centre than to a bad one.
///
/// Reads games in PGN or viriformat. The first third of a game is left out, and a tenth of the games is held out, to
/// see how well the scores tell good moves from bad ones. Prints what it found and writes a model that the engine loads
/// with `setoption name MoveOrderFile`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games (.pgn, .viri)
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,

    /// File for the model
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    labels: Labels,

    /// How far apart two moves are
    #[arg(long, value_enum, default_value = "manhattan")]
    metric: Metric,

    /// Centres of good moves, and of bad ones
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u8).range(1..=MAX_CENTRES as i64))]
    centres: u8,

    /// Runs of k-means from different starts, of which the tightest counts
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    restarts: u16,

    /// Most moves of a kind to learn from, drawn at random from all
    #[arg(long, value_name = "N", default_value = "20000")]
    moves: usize,

    /// What a standard deviation of the scores counts in the engine's order, beside a history of at most 8192
    #[arg(long, value_name = "N", default_value = "512", value_parser = clap::value_parser!(u16).range(1..=4096))]
    strength: u16,

    /// Seed of all that is random
    #[arg(long, default_value = "1")]
    seed: u64,

    /// The model's name
    #[arg(long, default_value = "clusters")]
    name: String,
}

/// Moves of one kind.
struct Kind {
    learnt_from: Reservoir<Features>,
    held_out: Reservoir<(Board, Move)>,
}

/// Fits the model that the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    let Some([good, bad]) = gather(args, stop)? else { return Ok(ExitCode::from(INTERRUPTED)) };
    let passed = [good.learnt_from.passed(), bad.learnt_from.passed()];
    let held_out = [good.held_out.into_kept(), bad.held_out.into_kept()];
    let [good, bad] = [good.learnt_from.into_kept(), bad.learnt_from.into_kept()];
    for (what, moves) in [("good", &good), ("bad", &bad)] {
        ensure!(
            moves.len() >= args.centres.into(),
            "there are {} {what} moves in the games, too few for {} centres: more games, or another --teaching, \
             --winner-above or --loser-below",
            moves.len(),
            args.centres
        );
    }
    println!("good moves: {} of {}; bad moves: {} of {}", good.len(), passed[0], bad.len(), passed[1]);

    let map = Map::of(args.metric, &[good.clone(), bad.clone()].concat())?;
    let mut weights = map.integers(args.metric.mixes());
    for (what, moves) in [("good", &good), ("bad", &bad)] {
        let clusters = cluster(&map.apply(moves), args)?;
        println!("{what} centres: inertia {:.3}, silhouette {:.3}", clusters.inertia, clusters.silhouette);
        weights.extend(clusters.centres.rows().into_iter().flat_map(|row| coordinates::centre(&row.to_vec())));
    }
    let bytes: Vec<u8> = weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
    let record = record(args, good.len(), bad.len());
    let blob = |scale| {
        let shape = ClusterShape {
            good: args.centres,
            bad: args.centres,
            distance: args.metric.distance(),
            mixed: args.metric.mixes(),
            scale,
        };
        Blob::new(&args.name, &record, MoveOrderShape::Clusters(shape), &bytes)
    };
    let plain = blob(256)?;
    let scores = [scores(&plain, &held_out[0])?, scores(&plain, &held_out[1])?];
    match agreement::area(&scores[0], &scores[1]) {
        Some(area) => println!(
            "held out: a good move scores higher than a bad one in {:.2} % of pairs ({} good, {} bad)",
            100.0 * area,
            scores[0].len(),
            scores[1].len()
        ),
        None => println!("held out: too few games to judge by"),
    }
    let deviation = deviation(&scores.concat()).unwrap_or(256.0);
    let scale = 256.0 * f64::from(args.strength) / deviation;
    let bytes = blob((scale.round() as u16).clamp(1, MAX_ORDER_SCALE))?.write(&args.out)?;
    println!("{}: {bytes} bytes", args.out.display());
    Ok(ExitCode::SUCCESS)
}

/// Reads the games: good moves, bad moves; `None` if it was asked to stop.
fn gather(args: &Args, stop: &Stop) -> anyhow::Result<Option<[Kind; 2]>> {
    let kind = |seed: u64| Kind {
        learnt_from: Reservoir::new(args.moves, args.seed ^ seed),
        held_out: Reservoir::new(args.moves / 4 + 1, args.seed ^ seed),
    };
    let mut kinds = [kind(0), kind(1)];
    let mut random = SplitMix64::new(args.seed);
    let whole = games::each(&args.inputs, stop, |game, ratings| {
        let held_out = games::is_held_out(game, args.seed);
        args.labels.of(game, ratings, &mut random, |sample, mv, good| {
            let kind = &mut kinds[usize::from(!good)];
            if held_out {
                kind.held_out.pass((sample.board, mv));
            } else {
                kind.learnt_from.pass(features::of(&sample.board, mv));
            }
        });
    })?;
    Ok(whole.then_some(kinds))
}

/// What k-means has found.
#[derive(Debug)]
struct Clusters {
    /// A row each.
    centres: Array2<f64>,
    /// The mean distance to the nearest centre (its square for Euclidean distances).
    inertia: f64,
    /// From -1 to 1: how much nearer a move is to its own cluster than to the next.
    silhouette: f64,
}

fn cluster(moves: &Array2<f64>, args: &Args) -> anyhow::Result<Clusters> {
    match args.metric {
        Metric::Manhattan => k_means(moves, args.centres.into(), args.restarts.into(), args.seed, L1Dist),
        Metric::Euclidean | Metric::Mahalanobis => {
            k_means(moves, args.centres.into(), args.restarts.into(), args.seed, L2Dist)
        }
    }
}

/// Clusters rows by Lloyd's algorithm from starts that k-means++ spreads. Centres are means, for Manhattan distance too.
fn k_means<D: Distance<f64>>(
    rows: &Array2<f64>,
    centres: usize,
    restarts: usize,
    seed: u64,
    distance: D,
) -> anyhow::Result<Clusters> {
    let dataset = DatasetBase::from(rows.view());
    let model = KMeans::params_with(centres, Xoshiro256Plus::seed_from_u64(seed), distance)
        .n_runs(restarts)
        .max_n_iterations(ITERATIONS)
        .tolerance(TOLERANCE)
        .fit(&dataset)
        .context("the moves cannot be clustered")?;
    let some: Vec<usize> = (0..rows.nrows()).step_by(rows.nrows().div_ceil(SILHOUETTE_MOVES)).collect();
    let some = rows.select(Axis(0), &some);
    let nearest: Array1<usize> = model.predict(&some);
    let silhouette = DatasetBase::new(some, nearest).silhouette_score().context("no silhouette")?;
    Ok(Clusters { centres: model.centroids().clone(), inertia: model.inertia(), silhouette })
}

/// The scores that the engine gives to moves.
fn scores(blob: &Blob, moves: &[(Board, Move)]) -> anyhow::Result<Vec<f64>> {
    let model = blob.model()?;
    Ok(moves.iter().map(|(board, mv)| f64::from(model.look(board).score(*mv))).collect())
}

/// The standard deviation of some numbers, if there is one.
fn deviation(numbers: &[f64]) -> Option<f64> {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
    (variance > 0.0).then(|| variance.sqrt())
}

/// How the model was made, in a line.
fn record(args: &Args, good: usize, bad: usize) -> String {
    let Labels { teaching, winner_above, loser_below, .. } = &args.labels;
    format!(
        "k-means, {:?}, {good} good and {bad} bad moves by {teaching:?}, winner above {}, loser below {}, seed {}",
        args.metric,
        winner_above.map_or("any".to_owned(), |rating| rating.to_string()),
        loser_below.map_or("any".to_owned(), |rating| rating.to_string()),
        args.seed
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points round three far corners, as many round each.
    fn corners() -> (Array2<f64>, [[f64; 2]; 3]) {
        let corners = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]];
        let mut random = SplitMix64::new(5);
        let mut near = move |corner: f64| corner + random.below(1_000) as f64 / 1_000.0 - 0.5;
        let rows: Vec<[f64; 2]> = (0..300).map(|row| corners[row % 3].map(&mut near)).collect();
        (Array2::from_shape_fn((300, 2), |(row, column)| rows[row][column]), corners)
    }

    #[test]
    fn separate_clusters_are_found_with_either_distance() {
        let (rows, corners) = corners();
        let found = [k_means(&rows, 3, 5, 1, L1Dist).unwrap(), k_means(&rows, 3, 5, 1, L2Dist).unwrap()];
        for clusters in found {
            for [x, y] in corners {
                let near = |row: ndarray::ArrayView1<'_, f64>| (row[0] - x).abs() < 0.2 && (row[1] - y).abs() < 0.2;
                assert!(clusters.centres.rows().into_iter().any(near), "{clusters:?} misses {x} {y}");
            }
            assert!(clusters.silhouette > 0.9, "{clusters:?}");
        }
    }
}
