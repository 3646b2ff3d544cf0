//! The evaluation is incremental and fair: carried along a line it is what it would be from scratch, and it does not
//! care which colour is which.

use engine_core::chess::Board;
use engine_core::eval::{Evaluator, evaluate};
use proptest::prelude::*;

/// The position with the colours exchanged: ranks turned round, the case of every letter changed.
fn exchanged(board: &Board) -> Board {
    let fen = board.fen().to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    let swap_case = |text: &str| -> String {
        let swap = |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        text.chars().map(swap).collect()
    };
    let placement: Vec<String> = fields[0].split('/').rev().map(swap_case).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    let en_passant = fields[3].replace('3', "x").replace('6', "3").replace('x', "6");
    let fen = format!("{} {side} {} {en_passant} 0 1", placement.join("/"), swap_case(fields[2]));
    Board::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

proptest! {
    #[test]
    fn it_is_the_same_carried_along_and_from_scratch(choices in prop::collection::vec(any::<u16>(), 1..90)) {
        let mut line = vec![Board::start()];
        let mut evaluator = Evaluator::new(&line[0]);
        for choice in choices {
            let board = line[line.len() - 1];
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[usize::from(choice) % moves.len()];
            evaluator.push(&board, mv);
            let after = board.after(mv);
            prop_assert_eq!(evaluator.evaluate(&after), evaluate(&after), "{}", after.fen());
            prop_assert_eq!(evaluate(&exchanged(&after)), evaluate(&after), "{}", after.fen());
            line.push(after);
        }
        // And back again.
        while line.len() > 1 {
            line.pop();
            evaluator.pop();
            let board = line[line.len() - 1];
            prop_assert_eq!(evaluator.evaluate(&board), evaluate(&board));
        }
    }
}
