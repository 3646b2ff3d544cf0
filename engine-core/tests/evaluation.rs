//! The evaluation is incremental and fair, by a network or without: carried along a line it is what it would be from
//! scratch, and it does not care which colour is which; a network does not care which wing is which either.

mod networks;

use engine_core::MAX_PLY;
use engine_core::chess::Board;
use engine_core::eval::{Evaluator, FITTED, SIMPLIFIED, Tables, evaluate};
use engine_core::net::ValueNet;
use engine_core::net::header::ValueShape;
use networks::{Blob, blob, shape};
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
    read(&format!("{} {side} {} {en_passant} 0 1", placement.join("/"), swap_case(fields[2])))
}

/// The position with the wings exchanged, and nobody allowed to castle.
fn mirrored(board: &Board) -> Board {
    let fen = board.fen().to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    let placement: Vec<String> = fields[0].split('/').map(|rank| rank.chars().rev().collect()).collect();
    read(&format!("{} {} - - 0 1", placement.join("/"), fields[1]))
}

fn read(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

const START: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Wanders through a tree of moves: forth by a random move or a pass, now and then back, and looks at the score now and
/// then only.
fn wander(steps: Vec<(u16, u8)>, network: Option<&ValueNet<'_>>, tables: &'static Tables) -> Result<(), TestCaseError> {
    let mut line = vec![read(START)];
    let mut evaluator = Evaluator::new(&line[0]);
    evaluator.set_tables(tables);
    evaluator.reset(&line[0]);
    let evaluate = |board: &Board| if network.is_some() { evaluate(board, network) } else { tables.evaluate(board) };
    for (choice, action) in steps {
        let board = line[line.len() - 1];
        match action {
            _ if line.len() > MAX_PLY || (action < 3 && line.len() > 1) => {
                evaluator.pop(network);
                line.pop();
            }
            3 if !board.in_check() => {
                evaluator.push_null(network);
                line.push(board.after_null());
            }
            _ => {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[usize::from(choice) % moves.len()];
                evaluator.push(&board, mv, network);
                line.push(board.after(mv));
            }
        }
        if choice % 3 == 0 {
            let board = line[line.len() - 1];
            let score = evaluate(&board);
            prop_assert_eq!(evaluator.evaluate(&board, network), score, "{}", board.fen());
            prop_assert_eq!(evaluate(&exchanged(&board)), score, "{}", board.fen());
            prop_assert!(network.is_none() || evaluate(&mirrored(&board)) == score, "{}", board.fen());
        }
    }
    Ok(())
}

/// Shapes of all kinds.
fn any_shape() -> impl Strategy<Value = ValueShape> {
    let dense = prop::sample::select(vec![vec![], vec![16], vec![32, 16]]);
    (prop::sample::select(vec![16u16, 32, 64, 128]), dense, prop::sample::select(vec![1, 8]), 64u16..=255)
        .prop_map(|(width, dense, buckets, qa)| shape(width, &dense, buckets, qa))
}

fn steps() -> impl Strategy<Value = Vec<(u16, u8)>> {
    prop::collection::vec((any::<u16>(), 0u8..12), 1..200)
}

#[test]
fn the_simplified_evaluation_is_the_published_one() {
    for (fen, score) in [
        // Both sides have the same; the move is worth 10.
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 10),
        // 20 for the pawn's square instead of -20.
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 10 - 40),
        // A pawn, 25 for its square; the kings of an endgame, 40 and -30.
        ("4k3/8/8/3KP3/8/8/8/8 w - - 0 1", 10 + 125 + 40 - -30),
        // On a4 a queen is worth 5 more than on h4, and than on either end of the fifth rank.
        ("6k1/8/8/8/Q6q/8/8/6K1 w - - 0 1", 10 + 5),
        ("6k1/8/8/8/q6Q/8/8/6K1 w - - 0 1", 10),
    ] {
        assert_eq!(SIMPLIFIED.evaluate(&read(fen)), score, "{fen}");
    }
}

proptest! {
    #[test]
    fn the_classical_evaluation_depends_on_the_position_alone(steps in steps()) {
        wander(steps.clone(), None, &FITTED)?;
        wander(steps, None, &SIMPLIFIED)?;
    }

    #[test]
    fn a_network_depends_on_the_position_alone(steps in steps(), shape in any_shape(), seed: u64) {
        let blob = Blob::of(&blob(&shape, seed));
        wander(steps, Some(&ValueNet::load(blob.bytes()).expect("a network")), &FITTED)?;
    }
}
