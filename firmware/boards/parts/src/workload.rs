//! What can be measured: work that the emulator's `-append` names, as a word and a number.

use engine_core::bench;
use engine_core::chess::Board;
use engine_core::eval::{Evaluator, evaluate};
use engine_core::net::{self, ValueNet};
use engine_core::search::{Blind, Cluster, Knowledge, Searcher};
use firmware::Resources;

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
/// - `kernels N`: the fast kernels held to the portable ones N times;
/// - `overflow`: more than any stack holds, which must end in a fault.
pub fn work(command: Option<&str>, number: Option<u32>, resources: &mut impl Resources) -> u64 {
    let times = number.unwrap_or(1);
    let network = resources.network().expect("a network that can be used").expect("a network");
    let board = Board::from_fen(POSITION).expect("a position");
    match command.unwrap_or("bench") {
        "bench" => search(resources.clusters(), number, Knowledge { network: Some(&network), ..Knowledge::default() }),
        "classical" => search(resources.clusters(), number, Knowledge::default()),
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
        "overflow" => overflow(u64::MAX),
        command => panic!("no such work: {command}"),
    }
}

/// Calls itself so often, in a frame that cannot be done without.
#[inline(never)]
fn overflow(times: u64) -> u64 {
    let frame = core::hint::black_box([times; 16]);
    if times == 0 { 0 } else { overflow(times - 1) + core::hint::black_box(frame)[0] }
}

fn search(hash: &[Cluster], depth: Option<u32>, knowledge: Knowledge<'_>) -> u64 {
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
