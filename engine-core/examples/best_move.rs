//! The best move of a position, by a search of so many nodes: the same answer on every machine.
//!
//!     cargo run --release -p engine-core --example best_move -- "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4" 20000

use engine_core::chess::{Board, Game};
use engine_core::net::ValueNet;
use engine_core::nets;
use engine_core::search::{Blind, Cluster, Knowledge, Limits, Searcher, Table, mate_in_moves};

/// A megabyte of hash table. Memory is the caller's: on a microcontroller this is a `static`.
const CLUSTERS: usize = (1 << 20) / size_of::<Cluster>();

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let board = match words.next() {
        Some(fen) => Board::from_fen(&fen)?,
        None => Board::start(),
    };
    let nodes = words.next().map_or(Ok(10_000), |nodes| nodes.parse())?;

    let network = ValueNet::load(nets::DEFAULT)?;
    let knowledge = Knowledge { network: Some(&network), ..Knowledge::default() };
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let memory = vec![Cluster::new(); CLUSTERS];
    let table = Table::new(&memory, 0);
    let best = Searcher::new().think(&Game::new(board), &limits, table, knowledge, &mut Blind);

    match best {
        None => println!("there is no legal move"),
        Some(best) => {
            let worth = match mate_in_moves(best.score) {
                Some(moves) => format!("mate in {moves}"),
                None => format!("{:+.2} pawns", f64::from(best.score) / 100.0),
            };
            println!("{}: {worth}, {} plies deep, {} nodes", board.san(best.mv), best.depth, best.nodes);
        }
    }
    Ok(())
}
