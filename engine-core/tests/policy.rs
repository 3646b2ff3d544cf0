//! Policy nets: what they compute is what the document says, and what is wrong with a blob is found and named.

mod networks;

use engine_core::chess::{Board, Game, Move};
use engine_core::net::header::{MAX_POLICY_UNITS, PolicyShape};
use engine_core::net::{PolicyNet, ValueNet, move_planes, planes};
use fastrand::Rng;
use networks::{Blob, policy_blob, policy_shape, policy_weights};

/// Shapes that between them have every way through the arithmetic.
const SHAPES: [(u16, &[u16]); 5] =
    [(16, &[]), (64, &[32]), (48, &[16, 32, 16, 16, 16, 16, 16]), (256, &[128]), (32, &[256])];

/// All outputs of a net of this shape, computed as `docs/blob.md` describes it, as plainly as it does.
fn twin_outputs(shape: &PolicyShape, weights: &[u8], board: &Board, repetitions: usize) -> Vec<i64> {
    let mut at = 0;
    let mut take = |bytes: usize, count: usize| -> Vec<i64> {
        let numbers = weights[at..at + bytes * count].chunks(bytes).map(|number| match *number {
            [a] => i64::from(a as i8),
            // The multipliers come out as if they had a sign; they are put right where they are used.
            [a, b] => i64::from(i16::from_le_bytes([a, b])),
            [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
            _ => unreachable!(),
        });
        let numbers = numbers.collect();
        at += bytes * count;
        numbers
    };
    let scaled = |sum: i64, multiplier: i64, shift: u8| {
        let product = i128::from(sum) * i128::from(multiplier.rem_euclid(65_536));
        // To the nearest, halves up.
        let divisor = 1i128 << shift;
        (2 * product + divisor).div_euclid(2 * divisor) as i64
    };
    let width = usize::from(shape.width);
    let (columns, biases, multipliers) = (take(1, 896 * width), take(2, width), take(2, width));
    let active: Vec<usize> = planes::active(board, repetitions).collect();
    let mut numbers: Vec<i64> = (0..width)
        .map(|unit| biases[unit] + active.iter().map(|input| columns[input * width + unit]).sum::<i64>())
        .zip(multipliers)
        .map(|(sum, multiplier)| scaled(sum, multiplier, shape.shifts[0]).clamp(0, 127))
        .collect();
    let later = shape.dense.iter().map(|&units| usize::from(units)).chain([4672]);
    for (units, &shift) in later.zip(&shape.shifts[1..]) {
        let inputs = numbers.len();
        let (weights, biases, multipliers) = (take(1, inputs * units), take(4, units), take(2, units));
        let sum = |unit: usize| -> i64 { (0..inputs).map(|i| numbers[i] * weights[unit * inputs + i]).sum() };
        let (least, greatest) = if units == 4672 { (i32::MIN.into(), i32::MAX.into()) } else { (0, 127) };
        numbers = (0..units)
            .map(|unit| scaled(biases[unit] + sum(unit), multipliers[unit], shift).clamp(least, greatest))
            .collect();
    }
    numbers
}

/// Plays at random, and calls `visit` with every tenth position or so.
fn wander(random: &mut Rng, mut visit: impl FnMut(&Board, usize)) {
    let mut board = Board::start();
    for _ in 0..120 {
        let moves = board.legal_moves();
        if moves.is_empty() {
            return;
        }
        board.play(moves[random.usize(..moves.len())]);
        if random.u8(..10) == 0 {
            visit(&board, random.usize(..4));
        }
    }
}

#[test]
fn logits_are_those_of_the_document() {
    for (seed, (width, dense)) in (1..).zip(SHAPES) {
        let shape = policy_shape(width, dense);
        let weights = policy_weights(&shape, seed);
        let blob = Blob::of(&policy_blob(&shape, &weights));
        let net = PolicyNet::load(blob.bytes()).expect("a net");
        let mut alive = 0;
        wander(&mut Rng::with_seed(seed), |board, repetitions| {
            let moves = board.legal_moves();
            let logits = net.logits(board, repetitions, &moves);
            assert_eq!(logits.len(), moves.len());
            let outputs = twin_outputs(&shape, &weights, board, repetitions);
            for (&mv, &logit) in moves.iter().zip(&logits) {
                let wanted = outputs[usize::from(move_planes::index(board, mv))];
                assert_eq!(i64::from(logit), wanted, "{width} {dense:?} {} {mv:?}", board.fen());
                alive += usize::from(logit != logits[0]);
            }
        });
        assert!(alive > 20, "{width} {dense:?}: the net says the same of all moves");
    }
}

#[test]
fn the_likeliest_move_comes_first() {
    let shape = policy_shape(64, &[32]);
    let blob = Blob::of(&policy_blob(&shape, &policy_weights(&shape, 5)));
    let net = PolicyNet::load(blob.bytes()).expect("a net");
    let mut game = Game::new(Board::start());
    let mut orders = Vec::new();
    for text in "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split(' ') {
        game.play(game.board().parse_move(text.as_bytes()).expect("legal"));
        let moves = game.board().legal_moves();
        let preferences = net.preferences(&game, &moves);
        let repetitions = game.history().repetitions(game.board()).count();
        let mut wanted: Vec<_> = net.logits(game.board(), repetitions, &moves).into_iter().zip(moves).collect();
        wanted.sort_by_key(|&(logit, _)| std::cmp::Reverse(logit));
        let order: Vec<Move> = preferences.iter().map(|preference| preference.mv).collect();
        assert_eq!(order, wanted.iter().map(|&(_, mv)| mv).collect::<Vec<_>>(), "{repetitions}");
        assert!(preferences.is_sorted_by_key(|preference| std::cmp::Reverse(preference.chance)));
        let sum: u32 = preferences.iter().map(|preference| u32::from(preference.chance)).sum();
        assert!(sum <= 10_000 && sum + preferences.len() as u32 > 10_000, "{sum}");
        orders.push(order);
    }
    // The same position, once before and twice before: the net is told.
    assert_ne!(orders[3], orders[7]);
    assert!(net.preferences(&game, &[]).is_empty());
}

fn refusal(shape: &PolicyShape, weights: &[u8]) -> String {
    PolicyNet::load(Blob::of(&policy_blob(shape, weights)).bytes()).expect_err("no network").to_string()
}

#[test]
fn a_shape_that_cannot_be_is_named() {
    let shape = policy_shape(16, &[16]);
    for (wrong, problem) in [
        (
            PolicyShape { width: 24, ..shape.clone() },
            format!("width is 24: a multiple of 16 from 16 to {MAX_POLICY_UNITS} wanted"),
        ),
        (
            policy_shape(16, &[16, 2048]),
            format!("dense layer 1 has 2048 units: a multiple of 16 from 16 to {MAX_POLICY_UNITS} wanted"),
        ),
        (
            PolicyShape { shifts: policy_shape(16, &[]).shifts, ..shape.clone() },
            "2 shifts: 3 wanted, one for each layer".into(),
        ),
        (
            PolicyShape { shifts: heapless::Vec::from_slice(&[0, 47, 0]).expect("few"), ..shape.clone() },
            "shift 1 is 47: 0 to 46 wanted".into(),
        ),
    ] {
        assert_eq!(refusal(&wrong, &[]), format!("header: {problem}"));
    }
    let bytes = shape.weight_bytes();
    let message = format!("the weights have 12 bytes, but a network of this shape has {bytes}");
    assert_eq!(refusal(&shape, &[0; 12]), message);
}

#[test]
fn sums_that_could_overflow_are_refused() {
    let shape = policy_shape(16, &[16]);
    let mut weights = vec![0u8; shape.weight_bytes()];
    let loads = |weights: &[u8]| PolicyNet::load(Blob::of(&policy_blob(&shape, weights)).bytes()).map(drop);
    // 160 active inputs of -128, and this.
    let bias = 896 * 16 + 2 * 3;
    weights[bias..bias + 2].copy_from_slice(&(-12_288i16).to_le_bytes());
    assert_eq!(refusal(&shape, &weights), "first layer: unit 3 could overflow 16-bit sums");
    weights[bias..bias + 2].copy_from_slice(&(-12_287i16).to_le_bytes());
    assert_eq!(loads(&weights), Ok(()));
    // Sixteen activations of 127 times -128, and this.
    let dense = 900 * 16;
    weights[dense..dense + 16].fill(128);
    let bias = dense + 16 * 16;
    weights[bias..bias + 4].copy_from_slice(&(i32::MAX - 16 * 127 * 128).to_le_bytes());
    assert_eq!(loads(&weights), Ok(()));
    weights[bias..bias + 4].copy_from_slice(&(i32::MAX - 16 * 127 * 128 + 1).to_le_bytes());
    assert_eq!(refusal(&shape, &weights), "dense layer 0: unit 0 could overflow 32-bit sums");
    weights[bias..bias + 4].fill(0);
    let output_bias = weights.len() - 2 * 4672 - 4;
    weights[output_bias..output_bias + 4].copy_from_slice(&i32::MIN.to_le_bytes());
    assert_eq!(refusal(&shape, &weights), "output: unit 4671 could overflow 32-bit sums");
}

#[test]
fn a_network_for_another_use_is_named() {
    let shape = policy_shape(16, &[]);
    let policy = Blob::of(&policy_blob(&shape, &policy_weights(&shape, 1)));
    let value = Blob::of(&networks::blob(&networks::shape(16, &[], 1, 255), 1));
    let message = |error: Option<engine_core::net::BlobError>| error.expect("refused").to_string();
    assert_eq!(message(ValueNet::load(policy.bytes()).err()), "this is a policy net; a value net is wanted here");
    assert_eq!(message(PolicyNet::load(value.bytes()).err()), "this is a value net; a policy net is wanted here");
}

#[test]
fn a_damaged_blob_is_refused() {
    let shape = policy_shape(16, &[16]);
    let whole = policy_blob(&shape, &policy_weights(&shape, 9));
    let mut random = Rng::with_seed(3);
    for _ in 0..64 {
        let mut bytes = whole.clone();
        let at = random.usize(..bytes.len());
        bytes[at] ^= 1 << random.u8(..8);
        assert!(PolicyNet::load(Blob::of(&bytes).bytes()).is_err(), "byte {at}");
        assert!(PolicyNet::load(Blob::of(&whole[..at]).bytes()).is_err(), "cut at {at}");
    }
}
