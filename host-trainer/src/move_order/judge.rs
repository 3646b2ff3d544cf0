//! What an order of moves saves: the nodes of a search to a fixed depth, over many positions.

use std::{path::PathBuf, process::ExitCode};

use anyhow::ensure;
use engine_core::{
    chess::{Board, Game},
    net::{MoveOrder, ValueNet},
    nets,
    search::{Blind, Cluster, Knowledge, Limits, Ordering, Place, Searcher, Table},
};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::{bare, blob::Blob, positions};
use crate::stop::{INTERRUPTED, Stop};

/// Count the nodes of searches to a fixed depth with and without learnt orders of moves.
///
/// Every position is searched as if it were the first, by the engine itself, once for each row of the table that this
/// prints: with captures first and nothing else, with killers and history, and with each model in each place where the
/// engine can ask it. Ratios are geometric means over the positions, with 95 % error.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games (.pgn, .viri) or of positions (.epd, .fen) to draw positions from
    #[arg(value_name = "FILE", required_unless_present = "random", conflicts_with = "random")]
    inputs: Vec<PathBuf>,

    /// Positions of random play instead: artificial ones, such as no game has
    #[arg(long)]
    random: bool,

    /// Positions
    #[arg(long, value_name = "N", default_value = "500", value_parser = clap::value_parser!(u32).range(2..))]
    count: u32,

    /// Seed by which they are drawn
    #[arg(long, default_value = "1")]
    seed: u64,

    /// Models to judge
    #[arg(long = "model", value_name = "FILE")]
    models: Vec<PathBuf>,

    /// Plies to search
    #[arg(long, value_name = "N", default_value = "6", value_parser = clap::value_parser!(u8).range(1..=30))]
    depth: u8,

    /// Ask the models only at nodes of at least so many plies
    #[arg(long, value_name = "N", default_value = "1")]
    least_depth: u8,

    /// Kilobytes of hash table
    #[arg(long, value_name = "KB", default_value = "1024", value_parser = clap::value_parser!(u32).range(0..=1 << 20))]
    hash: u32,

    /// Judge positions by the classical evaluation instead of the built-in network
    #[arg(long)]
    classical: bool,

    /// Alpha-beta alone: no hash table, no pruning, no quiescence. All orders then give the same values, and their calls
    /// measure nothing but the order
    #[arg(long)]
    bare: bool,

    /// Searches at a time
    #[arg(long, value_name = "N", default_value = "1")]
    concurrency: usize,
}

/// A row of the table: an order and the nodes that each position took.
struct Row {
    name: String,
    nodes: Vec<u64>,
}

/// An order of the engine's, by name.
struct Contestant<'a> {
    name: String,
    ordering: Ordering<'a>,
}

/// Judges what the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    let blobs = args.models.iter().map(|path| Blob::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let models = blobs.iter().map(Blob::model).collect::<Result<Vec<_>, _>>()?;
    let count = args.count as usize;
    let boards = if args.random {
        positions::random(count, args.seed)
    } else {
        match positions::draw(&args.inputs, count, args.seed, stop)? {
            Some(boards) => boards,
            None => return Ok(ExitCode::from(INTERRUPTED)),
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.concurrency.max(1)).build()?;
    let rows = pool.install(|| {
        if args.bare { bare_rows(args, &boards, &models, stop) } else { rows(args, &boards, &models, stop) }
    })?;
    let Some(rows) = rows else { return Ok(ExitCode::from(INTERRUPTED)) };
    println!(
        "{count} positions {}, depth {}{}",
        if args.random { "of random play" } else { "drawn from files" },
        args.depth,
        match (args.bare, args.classical) {
            (true, _) => ", alpha-beta alone",
            (false, true) => ", classical evaluation",
            (false, false) => ", built-in network",
        }
    );
    print!("{}", table(&rows));
    Ok(ExitCode::SUCCESS)
}

/// The engine's searches.
fn rows(args: &Args, boards: &[Board], models: &[MoveOrder<'_>], stop: &Stop) -> anyhow::Result<Option<Vec<Row>>> {
    let network = if args.classical { None } else { Some(ValueNet::load(nets::DEFAULT)?) };
    let limits = Limits { depth: Some(args.depth.into()), ..Limits::default() };
    let contestants = contestants(args, models);
    let bar = bar(contestants.len() * boards.len());
    let mut rows = Vec::new();
    for Contestant { name, ordering } in contestants {
        let nodes = |board: &Board| nodes(board, &limits, args.hash, network.as_ref(), ordering);
        match each(boards, stop, &bar, nodes) {
            Some(nodes) => rows.push(Row { name, nodes }),
            None => return Ok(None),
        }
    }
    Ok(Some(rows))
}

/// Every order: the engine's own without and with memory, and each model wherever it can be asked.
fn contestants<'a>(args: &Args, models: &'a [MoveOrder<'a>]) -> Vec<Contestant<'a>> {
    let without = Ordering { history: false, ..Ordering::default() };
    let with = Ordering::default();
    let mut contestants = vec![
        Contestant { name: "captures first".to_owned(), ordering: without },
        Contestant { name: "killers and history".to_owned(), ordering: with },
    ];
    for (path, model) in args.models.iter().zip(models) {
        let model_name = path.file_stem().unwrap_or_default().to_string_lossy();
        for (base, memory) in [(without, ""), (with, "history + ")] {
            for (place, what) in [
                (Place::Root, "at the root"),
                (Place::All, "for all moves"),
                (Place::Quiet, "for quiet moves"),
                (Place::Seed, "added"),
            ] {
                // Without a history there is nothing to add to: that is the row of quiet moves.
                if place == Place::Seed && !base.history {
                    continue;
                }
                let ordering = Ordering { model: Some(model), place, least_depth: args.least_depth.into(), ..base };
                contestants.push(Contestant { name: format!("{memory}{model_name} {what}"), ordering });
            }
        }
    }
    contestants
}

/// The nodes that the engine takes to a depth, knowing nothing before.
fn nodes(
    board: &Board,
    limits: &Limits,
    kilobytes: u32,
    network: Option<&ValueNet<'_>>,
    ordering: Ordering<'_>,
) -> u64 {
    let clusters = vec![Cluster::new(); ((kilobytes as usize) << 10) / size_of::<Cluster>()];
    let table = Table::new(&clusters, 0);
    let mut searcher = Box::new(Searcher::new());
    let game = Game::new(*board);
    let knowledge = Knowledge { network, ordering };
    searcher.think(&game, limits, table, knowledge, &mut Blind).map_or(0, |best| best.nodes)
}

/// Searches of alpha-beta alone.
fn bare_rows(args: &Args, boards: &[Board], models: &[MoveOrder<'_>], stop: &Stop) -> anyhow::Result<Option<Vec<Row>>> {
    let depth = u32::from(args.depth);
    let mut orders = vec![("captures first".to_owned(), bare::Order::CapturesFirst)];
    for (path, model) in args.models.iter().zip(models) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        orders.push((format!("{name} at the root"), bare::Order::Model(model, depth)));
        orders.push((
            format!("{name} from depth {}", args.least_depth),
            bare::Order::Model(model, args.least_depth.into()),
        ));
    }
    let bar = bar(orders.len() * boards.len());
    let mut rows = Vec::new();
    let mut values: Option<Vec<i32>> = None;
    for (name, order) in orders {
        let search = |board: &Board| bare::search(board, depth, order);
        let Some(found) = each(boards, stop, &bar, search) else { return Ok(None) };
        let (found_values, nodes): (Vec<i32>, Vec<u64>) = found.into_iter().unzip();
        let first = values.get_or_insert_with(|| found_values.clone());
        ensure!(*first == found_values, "{name}: alpha-beta has found other values than with captures first");
        rows.push(Row { name, nodes });
    }
    Ok(Some(rows))
}

/// What some work gives for each position; `None` if it was asked to stop.
fn each<T: Send>(
    boards: &[Board],
    stop: &Stop,
    bar: &ProgressBar,
    work: impl Fn(&Board) -> T + Sync,
) -> Option<Vec<T>> {
    let one = |board: &Board| {
        bar.inc(1);
        (!stop.is_raised()).then(|| work(board))
    };
    boards.par_iter().map(one).collect()
}

/// A bar over so many searches, on a terminal; nothing elsewhere.
fn bar(searches: usize) -> ProgressBar {
    let bar = ProgressBar::new(searches as u64);
    if let Ok(style) = ProgressStyle::with_template("{elapsed} {wide_bar} {pos}/{len} searches eta {eta}") {
        bar.set_style(style);
    }
    bar
}

/// The table as text: nodes of all positions together, against the first row, and the ratio a position against the first
/// row and the second.
fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let mut text = format!("{:width$}  {:>12}  {:>8}  ratio to the first  ratio to the second\n", "", "nodes", "%");
    for row in rows {
        let sum = |row: &Row| row.nodes.iter().sum::<u64>();
        let percent = rows.first().map_or(0.0, |first| 100.0 * (sum(row) as f64 / sum(first) as f64 - 1.0));
        let ratio =
            |base: Option<&Row>| base.map_or_else(String::new, |base| Ratio::of(&row.nodes, &base.nodes).to_string());
        let (first, second) = (ratio(rows.first()), ratio(rows.get(1)));
        text += &format!("{:width$}  {:>12}  {percent:>+8.2}  {first:>18}  {second:>19}\n", row.name, sum(row));
    }
    text
}

/// The geometric mean of ratios, and the factor that its error makes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ratio {
    mean: f64,
    /// 95 %, as a share of the mean.
    error: f64,
}

impl Ratio {
    fn of(nodes: &[u64], base: &[u64]) -> Ratio {
        let logarithms: Vec<f64> =
            nodes.iter().zip(base).map(|(&nodes, &base)| (nodes.max(1) as f64 / base.max(1) as f64).ln()).collect();
        let count = logarithms.len() as f64;
        let mean = logarithms.iter().sum::<f64>() / count;
        let variance = logarithms.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Ratio { mean: mean.exp(), error: 1.96 * (variance / count).sqrt() }
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} ± {:.3}", self.mean, self.mean * self.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_geometric() {
        let ratio = Ratio::of(&[200, 50, 100], &[100, 100, 100]);
        assert!((ratio.mean - 1.0).abs() < 1e-12);
        // The logarithms are ln 2, -ln 2 and 0: their standard deviation is ln 2.
        assert!((ratio.error - 1.96 * 2f64.ln() / 3f64.sqrt()).abs() < 1e-12);
        assert_eq!(Ratio::of(&[30, 60], &[10, 20]).to_string(), "3.000 ± 0.000");
    }
}
