//! Models that order moves: their integers beside floats, what is wrong with a blob, and what a search makes of them.

use engine_core::bench::POSITIONS;
use engine_core::chess::{Board, Game, Move, MoveKind};
use engine_core::net::header::{ClusterShape, Distance, Header, Model, MoveOrderShape, PriorShape};
use engine_core::net::move_order::features::{self, FEATURES};
use engine_core::net::move_order::prior::{Look, weights};
use engine_core::net::move_order::{MAX_SCORE, MoveOrder};
use engine_core::net::{ValueNet, blob};
use engine_core::search::{Best, Blind, Cluster, Knowledge, Limits, Ordering, Place, Searcher, Table};
use networks::Blob;
use proptest::prelude::*;

mod networks;

fn blob_of(shape: MoveOrderShape, weights: &[u8]) -> Blob {
    let header = Header { name: "a model", record: "made up", model: Model::MoveOrder(shape) };
    let front = blob::front(&header, weights).expect("a short header");
    Blob::of(&[&front, weights].concat())
}

fn bytes(numbers: &[i16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn refusal(blob: &Blob) -> String {
    MoveOrder::load(blob.bytes()).expect_err("no model").to_string()
}

/// A position that random moves lead to.
fn wander(start: usize, choices: &[u16]) -> Board {
    let mut board = Board::from_fen(POSITIONS[start]).expect("a position");
    for &choice in choices {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        board.play(moves[usize::from(choice) % moves.len()]);
    }
    board
}

fn position() -> impl Strategy<Value = Board> {
    (0..POSITIONS.len(), prop::collection::vec(any::<u16>(), 0..60))
        .prop_map(|(start, choices)| wander(start, &choices))
}

/// The position with the colours changed and the board turned over.
fn mirrored(board: &Board) -> Board {
    let fen = board.shredder_fen().to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    let swapped = |text: &str| -> String {
        let other = |c: char| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
        text.chars().map(other).collect()
    };
    let placement: Vec<&str> = fields[0].split('/').rev().collect();
    let turned_rank = |c: char| {
        if c == '3' {
            '6'
        } else if c == '6' {
            '3'
        } else {
            c
        }
    };
    let en_passant: String = fields[3].chars().map(turned_rank).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    let (placement, castling) = (swapped(&placement.join("/")), swapped(fields[2]));
    Board::from_fen(&format!("{placement} {side} {castling} {en_passant} 0 1")).expect("a position")
}

fn turned(mv: Move) -> Move {
    let (from, to) = (mv.from().flip_rank(), mv.to().flip_rank());
    match mv.kind() {
        MoveKind::Normal => Move::normal(from, to),
        MoveKind::Castling => Move::castling(from, to),
        MoveKind::EnPassant => Move::en_passant(from, to),
        MoveKind::Promotion(role) => Move::promotion(from, to, role),
    }
}

/// The score of features by a model of centres, in floats.
fn float_twin(shape: &ClusterShape, numbers: &[i16], features: &[i8; FEATURES]) -> f64 {
    let float = |numbers: &[i16]| numbers.iter().map(|&number| f64::from(number)).collect::<Vec<_>>();
    let (mixing, centres) = numbers.split_at(if shape.mixed { FEATURES * FEATURES } else { FEATURES });
    let features: Vec<f64> = features.iter().map(|&feature| f64::from(feature)).collect();
    let at: Vec<f64> = (0..FEATURES)
        .map(|coordinate| {
            let at = if shape.mixed {
                let row = float(&mixing[coordinate * FEATURES..][..FEATURES]);
                row.iter().zip(&features).map(|(weight, feature)| weight * feature).sum()
            } else {
                f64::from(mixing[coordinate]) * features[coordinate]
            };
            f64::clamp(at, -2047.0, 2047.0)
        })
        .collect();
    let distances: Vec<f64> = centres
        .chunks(FEATURES)
        .map(|centre| {
            let differences = float(centre).into_iter().zip(&at).map(|(centre, at)| centre - at);
            match shape.distance {
                Distance::Manhattan => differences.map(f64::abs).sum(),
                Distance::Euclidean => differences.map(|d| d * d).sum::<f64>().sqrt().floor(),
            }
        })
        .collect();
    let nearest = |distances: &[f64]| distances.iter().copied().fold(f64::INFINITY, f64::min);
    let (good, bad) = distances.split_at(shape.good.into());
    let score = (nearest(bad) - nearest(good)) * f64::from(shape.scale) / 256.0;
    score.floor().clamp(f64::from(-MAX_SCORE), f64::from(MAX_SCORE))
}

fn cluster_shape() -> impl Strategy<Value = ClusterShape> {
    (1u8..5, 1u8..5, any::<bool>(), any::<bool>(), 1u16..=8192).prop_map(|(good, bad, manhattan, mixed, scale)| {
        let distance = if manhattan { Distance::Manhattan } else { Distance::Euclidean };
        ClusterShape { good, bad, distance, mixed, scale }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn distances_are_those_of_floats(
        shape in cluster_shape(),
        board in position(),
        mixing in prop::collection::vec(any::<i16>(), FEATURES * FEATURES),
        small: bool,
        centres in prop::collection::vec(-2047i16..=2047, 8 * FEATURES),
    ) {
        let mixing = &mixing[..if shape.mixed { FEATURES * FEATURES } else { FEATURES }];
        // Small weights, so that not every coordinate is at its bound.
        let mut numbers: Vec<i16> = mixing.iter().map(|&weight| if small { weight >> 9 } else { weight }).collect();
        numbers.extend(&centres[..(usize::from(shape.good) + usize::from(shape.bad)) * FEATURES]);
        let blob = blob_of(MoveOrderShape::Clusters(shape.clone()), &bytes(&numbers));
        let model = MoveOrder::load(blob.bytes()).expect("a model");
        for mv in board.legal_moves() {
            let expected = float_twin(&shape, &numbers, &features::of(&board, mv));
            prop_assert_eq!(f64::from(model.look(&board).score(mv)), expected);
        }
    }

    #[test]
    fn both_colours_see_a_move_alike(board in position(), stages in 1usize..=8) {
        let other = mirrored(&board);
        for mv in board.legal_moves() {
            prop_assert_eq!(features::of(&board, mv), features::of(&other, turned(mv)), "{} {:?}", board.fen(), mv);
            let terms = Look::at(&board, stages).terms(mv);
            prop_assert_eq!(&terms, &Look::at(&other, stages).terms(turned(mv)), "{} {:?}", board.fen(), mv);
            prop_assert!(terms.iter().all(|&term| usize::from(term) < weights(stages)));
        }
    }

    #[test]
    fn a_prior_adds_the_weights_of_a_moves_terms(
        board in position(),
        stages in 1u8..=8,
        scale in 1u16..=8192,
        numbers in prop::collection::vec(any::<i8>(), weights(8)),
    ) {
        let numbers = &numbers[..weights(stages.into())];
        let shape = MoveOrderShape::Prior(PriorShape { stages, scale });
        let blob = blob_of(shape, bytemuck::cast_slice(numbers));
        let model = MoveOrder::load(blob.bytes()).expect("a model");
        for mv in board.legal_moves() {
            let terms = Look::at(&board, stages.into()).terms(mv);
            let sum: i32 = terms.iter().map(|&term| i32::from(numbers[usize::from(term)])).sum();
            let expected = (sum * i32::from(scale)).div_euclid(16).clamp(-MAX_SCORE, MAX_SCORE);
            prop_assert_eq!(model.look(&board).score(mv), expected);
        }
    }
}

#[test]
fn a_blob_tells_its_name_and_what_is_wrong_with_it() {
    let shape = ClusterShape { good: 1, bad: 2, distance: Distance::Manhattan, mixed: false, scale: 256 };
    let mut numbers = vec![1i16; 4 * FEATURES];
    let whole = blob_of(MoveOrderShape::Clusters(shape.clone()), &bytes(&numbers));
    let model = MoveOrder::load(whole.bytes()).expect("a model");
    assert_eq!((model.name(), model.record()), ("a model", "made up"));
    assert_eq!(
        ValueNet::load(whole.bytes()).expect_err("no value net").to_string(),
        "this is a move-order model; a value net is wanted here"
    );
    let value = Blob::of(&networks::blob(&networks::shape(16, &[], 1, 255), 7));
    assert_eq!(refusal(&value), "this is a value net; a move-order model is wanted here");

    numbers[3 * FEATURES + 5] = -2048;
    assert_eq!(
        refusal(&blob_of(MoveOrderShape::Clusters(shape.clone()), &bytes(&numbers))),
        "coordinate 5 of centre 2 is -2048: -2047 to 2047 wanted"
    );
    let mixed = ClusterShape { mixed: true, ..shape.clone() };
    assert_eq!(
        refusal(&blob_of(MoveOrderShape::Clusters(mixed), &bytes(&numbers))),
        "the weights have 256 bytes, but a network of this shape has 2240"
    );
    for (shape, problem) in [
        (
            MoveOrderShape::Clusters(ClusterShape { bad: 65, ..shape.clone() }),
            "header: there are 65 centres of a kind: 1 to 64 wanted",
        ),
        (
            MoveOrderShape::Clusters(ClusterShape { scale: 0, ..shape }),
            "header: the scale of the move order is 0: 1 to 8192 wanted",
        ),
        (MoveOrderShape::Prior(PriorShape { stages: 9, scale: 1 }), "header: stages is 9: 1 to 8 wanted"),
    ] {
        assert_eq!(refusal(&blob_of(shape, &bytes(&numbers))), problem);
    }
}

fn think(board: Board, ordering: Ordering<'_>) -> Best {
    let memory = vec![Cluster::new(); 128];
    let table = Table::new(&memory, 0);
    let (mut searcher, game) = (Box::new(Searcher::new()), Game::new(board));
    let limits = Limits { depth: Some(5), ..Limits::default() };
    let knowledge = Knowledge { ordering, ..Knowledge::default() };
    searcher.think(&game, &limits, table, knowledge, &mut Blind).expect("a move")
}

fn prior(numbers: &[i8]) -> Blob {
    blob_of(MoveOrderShape::Prior(PriorShape { stages: 1, scale: 1024 }), bytemuck::cast_slice(numbers))
}

#[test]
fn a_model_that_says_nothing_changes_nothing_where_it_is_added() {
    let blob = prior(&vec![0; weights(1)]);
    let model = MoveOrder::load(blob.bytes()).expect("a model");
    for fen in POSITIONS {
        let board = Board::from_fen(fen).expect("a position");
        let without = think(board, Ordering::default());
        let ordering = Ordering { model: Some(&model), place: Place::Seed, ..Ordering::default() };
        assert_eq!(think(board, ordering), without, "{fen}");
    }
}

#[test]
fn any_model_anywhere_gives_a_legal_move_and_the_same_one_again() {
    let numbers: Vec<i8> = (0..weights(1)).map(|index| (index * 7919 % 251) as u8 as i8).collect();
    let blob = prior(&numbers);
    let model = MoveOrder::load(blob.bytes()).expect("a model");
    let mut changed = 0;
    for fen in POSITIONS {
        let board = Board::from_fen(fen).expect("a position");
        let without = think(board, Ordering::default());
        for place in [Place::Root, Place::All, Place::Quiet, Place::Seed] {
            for history in [false, true] {
                let ordering = Ordering { model: Some(&model), place, least_depth: 0, history };
                let best = think(board, ordering);
                assert!(board.is_legal(best.mv), "{fen} {place:?}");
                assert_eq!(think(board, ordering), best, "{fen} {place:?}");
                changed += usize::from(best.nodes != without.nodes);
            }
        }
    }
    assert!(changed > 100, "an order that is asked changes the nodes: {changed} of 160");
}

#[test]
fn below_its_depth_a_model_is_not_asked() {
    let numbers: Vec<i8> = (0..weights(1)).map(|index| (index * 7919 % 251) as u8 as i8).collect();
    let blob = prior(&numbers);
    let model = MoveOrder::load(blob.bytes()).expect("a model");
    let nodes = |place, least_depth| {
        let ordering = Ordering { model: Some(&model), place, least_depth, history: true };
        POSITIONS.map(|fen| think(Board::from_fen(fen).expect("a position"), ordering).nodes)
    };
    // Where it is never asked below the root, it does not matter for what.
    assert_eq!(nodes(Place::Quiet, 90), nodes(Place::Seed, 90));
    assert_ne!(nodes(Place::Quiet, 1), nodes(Place::Seed, 1));
}

#[test]
fn the_order_that_comes_with_the_engine_loads() {
    let blob = Blob::of(include_bytes!("../nets/order.net"));
    let model = MoveOrder::load(blob.bytes()).expect("a model");
    assert!(model.record().contains("quiet moves"), "{}", model.record());
}
