//! Moves that the engine's own search finds, in positions such as a search meets.

use engine_core::{
    chess::{Board, Game, Move},
    net::ValueNet,
    nets,
    search::{Blind, Cluster, Knowledge, Limits, Searcher, Table},
};
use rayon::prelude::*;

use super::prior::Args;
use crate::{arena::random::SplitMix64, data::game::mix, stop::Stop};

/// The clusters of each search's hash table: 128 KB.
const CLUSTERS: usize = 4_096;

/// For each position, one that lies up to `astray` random moves behind it, and the best move there by a search to a
/// depth. Positions without a move are left out. `None` if it was asked to stop.
pub(super) fn ask(
    positions: &[(Board, Move)],
    depth: u8,
    args: &Args,
    stop: &Stop,
) -> anyhow::Result<Option<Vec<(Board, Move)>>> {
    let network = ValueNet::load(nets::DEFAULT)?;
    let knowledge = Knowledge { network: Some(&network), ..Knowledge::default() };
    let limits = Limits { depth: Some(depth.into()), ..Limits::default() };
    let one = |(index, (board, _)): (usize, &(Board, Move))| {
        if stop.is_raised() {
            return None;
        }
        let board = stray(board, args.astray.into(), &mut SplitMix64::new(mix(args.seed ^ mix(index as u64))));
        let clusters = vec![Cluster::new(); CLUSTERS];
        let table = Table::new(&clusters, 0);
        let game = Game::new(board);
        let best = Searcher::new().think(&game, &limits, table, knowledge, &mut Blind);
        Some(best.map(|best| (board, best.mv)))
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.concurrency.max(1)).build()?;
    let found: Option<Vec<_>> = pool.install(|| positions.par_iter().enumerate().map(one).collect());
    Ok(found.map(|found| found.into_iter().flatten().collect()))
}

/// The position after up to so many random moves.
fn stray(board: &Board, most: u64, random: &mut SplitMix64) -> Board {
    let mut board = *board;
    for _ in 0..random.below(most + 1) {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        board.play(moves[random.below(moves.len() as u64) as usize]);
    }
    board
}
