//! What can be measured: work that the emulator's `-append` names, as a word and a number.

use engine_core::chess::Board;
use engine_core::eval::{Evaluator, evaluate};
use engine_core::net::{self, ValueNet};
use engine_core::search::{Blind, Cluster, Knowledge, Searcher};
use engine_core::{bench, nets};

/// A middlegame with all but a few pieces on the board; White's quiet move and White's capture are measured.
const POSITION: &str = "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9";
const QUIET: &[u8] = b"g2g4";
const CAPTURE: &[u8] = b"d4c6";

/// Does what the words say, and gives how often: nodes searched, networks asked, kernels tried.
///
/// - `bench D`: the bench to depth D, by the network; `classical D`: by the hand-written evaluation;
/// - `scratch N`: N full evaluations by the network;
/// - `output N`: N evaluations of a position whose first layer is known;
/// - `quiet N`, `capture N`: N evaluations after a move;
/// - `kernels N`: the fast kernels held to the portable ones N times.
pub fn work(words: &str, hash: &mut [Cluster]) -> u64 {
    let mut words = words.split_ascii_whitespace();
    let (command, number) = (words.next().unwrap_or("bench"), words.next().and_then(|number| number.parse().ok()));
    let times = number.unwrap_or(1);
    let network = ValueNet::load(nets::DEFAULT).expect("the network that comes with the program");
    let board = Board::from_fen(POSITION).expect("a position");
    match command {
        "bench" => search(hash, number, Knowledge { network: Some(&network), ..Knowledge::default() }),
        "classical" => search(hash, number, Knowledge::default()),
        "scratch" => {
            for _ in 0..times {
                core::hint::black_box(evaluate(core::hint::black_box(&board), Some(&network)));
            }
            times.into()
        }
        "output" => follow(&board, None, times, &network),
        "quiet" => follow(&board, Some(QUIET), times, &network),
        "capture" => follow(&board, Some(CAPTURE), times, &network),
        "kernels" => {
            assert!(net::kernels_agree(times), "the kernels disagree");
            times.into()
        }
        _ => panic!("no such work: {command}"),
    }
}

fn search(hash: &mut [Cluster], depth: Option<u32>, knowledge: Knowledge<'_>) -> u64 {
    let depth = depth.unwrap_or(bench::DEFAULT_DEPTH);
    bench::run(&mut Searcher::new(), hash, depth, knowledge, &mut Blind, |_, _, _| ()).nodes
}

/// Evaluates after a move, and takes it back, again and again.
fn follow(board: &Board, mv: Option<&[u8]>, times: u32, network: &ValueNet<'_>) -> u64 {
    let mut evaluator = Evaluator::new(board);
    core::hint::black_box(evaluator.evaluate(board, Some(network)));
    let mv = mv.map(|text| board.parse_move(text).expect("a legal move"));
    let after = mv.map_or(*board, |mv| board.after(mv));
    for _ in 0..times {
        if let Some(mv) = mv {
            evaluator.push(board, mv, Some(network));
        }
        core::hint::black_box(evaluator.evaluate(core::hint::black_box(&after), Some(network)));
        if mv.is_some() {
            evaluator.pop(Some(network));
        }
    }
    times.into()
}
