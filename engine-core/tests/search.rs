//! What the search must find, and what it must not depend on.

use engine_core::chess::{Board, Game, Move};
use engine_core::search::{Best, Blind, Cluster, Knowledge, Limits, Searcher, Table, is_mate, mate_in_moves};

fn think(fen: &str, limits: &Limits, clusters: usize) -> Option<Best> {
    let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    let memory = vec![Cluster::new(); clusters];
    let table = Table::new(&memory, 0);
    Searcher::new().think(&Game::new(board), limits, table, Knowledge::default(), &mut Blind)
}

fn to_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// The score of a position by plain minimax to a depth, counting only mates and stalemates: the oracle of the mates.
fn mates(board: &Board, depth: u32, ply: i32) -> i32 {
    const MATE: i32 = 1_000;
    let moves = board.legal_moves();
    if moves.is_empty() {
        return if board.in_check() { ply - MATE } else { 0 };
    }
    if depth == 0 {
        return 0;
    }
    moves.iter().map(|&mv| -mates(&board.after(mv), depth - 1, ply + 1)).max().unwrap_or(0)
}

#[test]
fn mates_are_found_and_as_short_as_minimax_says() {
    for fen in [
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
        "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1",
        "k7/8/1K6/8/8/8/8/7R w - - 0 1",
        "4k3/R7/8/4K3/8/8/8/8 w - - 0 1",
    ] {
        let board = Board::from_fen(fen).unwrap();
        let oracle = mates(&board, 3, 0);
        let best = think(fen, &to_depth(8), 1 << 14).unwrap();
        if oracle > 0 {
            let plies = 1_000 - oracle;
            assert_eq!(mate_in_moves(best.score), Some((plies + 1) / 2), "{fen}");
        }
    }
}

#[test]
fn full_width_finds_a_mate_at_its_own_depth() {
    for (fen, plies) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3),
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", 1),
    ] {
        let board = Board::from_fen(fen).unwrap();
        assert_eq!(1_000 - mates(&board, plies, 0), plies as i32, "{fen}");
        let limits = Limits { full_width: true, ..to_depth(plies) };
        let best = think(fen, &limits, 1 << 10).unwrap();
        assert_eq!(mate_in_moves(best.score), Some(plies.div_ceil(2) as i32), "{fen}");
    }
}

#[test]
fn a_lost_position_is_known_to_be_lost() {
    // Black is mated on the next move, whatever it plays.
    let best = think("7k/R7/6K1/8/8/8/8/8 b - - 0 1", &to_depth(6), 1 << 12).unwrap();
    assert!(is_mate(best.score) && best.score < 0, "{best:?}");
    assert_eq!(think("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", &to_depth(3), 64), None);
}

#[test]
fn a_table_of_any_size_serves() {
    for clusters in [0, 1, 3, 1_000] {
        let best = think("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", &to_depth(6), clusters).unwrap();
        assert_eq!(mate_in_moves(best.score), Some(1), "{clusters} clusters");
    }
}

#[test]
fn limits_are_kept() {
    let start = Board::start().fen().to_string();
    for nodes in [1, 2, 100, 12_345] {
        let best = think(&start, &Limits { nodes: Some(nodes), ..Limits::default() }, 1 << 10).unwrap();
        assert_eq!(best.nodes, nodes);
    }
    assert_eq!(think(&start, &to_depth(4), 1 << 10).unwrap().depth, 4);
    let only: Move = Board::start().parse_move(b"a2a3").unwrap();
    let mut limits = to_depth(4);
    limits.search_moves.push(only).unwrap();
    assert_eq!(think(&start, &limits, 1 << 10).unwrap().mv, only);
}

#[test]
fn every_depth_and_line_of_a_crowded_position_is_searched_to_its_end() {
    // 218 moves, the most that a legal position is known to have; and what nine queens can do in quiescence.
    let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    assert_eq!(Board::from_fen(fen).unwrap().legal_moves().len(), 218);
    let limits = Limits { nodes: Some(50_000), multi_pv: 16, ..Limits::default() };
    assert!(think(fen, &limits, 1 << 10).is_some());
}

#[test]
fn a_position_with_few_lines_is_searched_deep() {
    let limits = Limits { depth: Some(u32::MAX), nodes: Some(2_000_000), ..Limits::default() };
    let best = think("8/8/8/1p1k4/1P6/1K6/8/8 w - - 0 1", &limits, 1 << 12).unwrap();
    assert!(best.depth >= 40, "{best:?}");
}
