//! Alpha-beta and nothing else: no hash table, no pruning, no quiescence, no deepening. Its value does not depend on the
//! order of moves, so its calls measure the order alone: at best about the square root of what minimax makes (Knuth and
//! Moore, "An Analysis of Alpha-Beta Pruning", 1975).

use engine_core::{
    chess::{Board, Move, MoveList, Role},
    eval,
    net::MoveOrder,
    search::see,
};

/// More than any evaluation, and what being mated at once counts.
const MATE: i32 = 30_000;

/// What orders the moves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order<'a> {
    /// Captures first, the most valuable victim and the least valuable attacker before others.
    CapturesFirst,
    /// A model where this many plies or more are left, captures first below that.
    Model(&'a MoveOrder<'a>, u32),
}

/// The value of a position by alpha-beta to a depth, and the calls that it took.
pub(super) fn search(board: &Board, depth: u32, order: Order<'_>) -> (i32, u64) {
    let mut calls = 0;
    let value = alpha_beta(board, (-MATE - 1, MATE + 1), depth, order, &mut calls);
    (value, calls)
}

fn alpha_beta(board: &Board, (mut alpha, beta): (i32, i32), depth: u32, order: Order<'_>, calls: &mut u64) -> i32 {
    *calls += 1;
    let mut moves = board.legal_moves();
    if moves.is_empty() {
        // The sooner the mate, the greater the depth that is left.
        return if board.in_check() { -MATE + 100 - depth as i32 } else { 0 };
    }
    if depth == 0 {
        return eval::evaluate(board, None);
    }
    sort(board, &mut moves, depth, order);
    let mut best = -MATE - 1;
    for &mv in &moves {
        let score = -alpha_beta(&board.after(mv), (-beta, -alpha), depth - 1, order, calls);
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// Puts moves in order, the best first.
fn sort(board: &Board, moves: &mut MoveList, depth: u32, order: Order<'_>) {
    match order {
        Order::Model(model, least) if depth >= least => {
            let look = model.look(board);
            moves.sort_by_cached_key(|&mv| -look.score(mv));
        }
        _ => moves.sort_by_cached_key(|&mv| -capture_score(board, mv)),
    }
}

/// What a capture takes or a promotion gains, less a little for the piece that does it; 0 for a quiet move.
fn capture_score(board: &Board, mv: Move) -> i32 {
    if !board.is_capture(mv) && mv.promotes_to().is_none() {
        return 0;
    }
    let victim = board.role_on(mv.to()).map_or(see::value(Role::Pawn), see::value);
    let gain = mv.promotes_to().map_or(0, see::value);
    victim + gain - board.role_on(mv.from()).map_or(0, Role::index) as i32
}

#[cfg(test)]
mod tests {
    use engine_core::{
        bench::POSITIONS,
        net::{
            header::{MoveOrderShape, PriorShape},
            move_order::prior::weights,
        },
    };

    use super::{super::blob::Blob, *};

    /// The value without a window: the oracle.
    fn minimax(board: &Board, depth: u32) -> i32 {
        let moves = board.legal_moves();
        if moves.is_empty() {
            return if board.in_check() { -MATE + 100 - depth as i32 } else { 0 };
        }
        if depth == 0 {
            return eval::evaluate(board, None);
        }
        moves.iter().map(|&mv| -minimax(&board.after(mv), depth - 1)).max().unwrap_or(0)
    }

    #[test]
    fn the_value_is_that_of_minimax_in_any_order() {
        let numbers: Vec<i8> = (0..weights(1)).map(|index| (index * 7919 % 251) as u8 as i8).collect();
        let shape = MoveOrderShape::Prior(PriorShape { stages: 1, scale: 1024 });
        let blob = Blob::new("any", "made up", shape, bytemuck::cast_slice(&numbers)).unwrap();
        let model = blob.model().unwrap();
        let mut differ = 0;
        for fen in POSITIONS {
            let board = Board::from_fen(fen).unwrap();
            let value = minimax(&board, 2);
            let found = [Order::CapturesFirst, Order::Model(&model, 1), Order::Model(&model, 2)]
                .map(|order| search(&board, 2, order));
            assert!(found.iter().all(|&(found, _)| found == value), "{fen}: {found:?}, {value}");
            differ += usize::from(found[0].1 != found[1].1);
        }
        assert!(differ > 10, "another order takes other calls, but for {differ} positions only");
    }
}
