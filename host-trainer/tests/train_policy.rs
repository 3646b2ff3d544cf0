//! Training a policy network from its command line.
#![cfg(all(unix, feature = "cpu"))]

mod common;

use std::{fs, path::Path, process::Stdio, thread, time::Duration};

use common::{assert_has, finish, trainer};
use engine_core::{chess::Board, net::move_planes};
use host_trainer::{
    arena::random::SplitMix64,
    data::{
        game::{Game, Outcome, Sample},
        viri,
    },
};
use safetensors::SafeTensors;

/// Writes games of a player with a simple rule, after a few moves at random: of all legal moves it makes the one with
/// the lowest number.
fn simple_games(path: &Path, games: usize, seed: u64) {
    let mut random = SplitMix64::new(seed);
    let mut bytes = Vec::new();
    for _ in 0..games {
        let mut board = Board::start();
        let mut samples = Vec::new();
        for ply in 0..40 {
            let moves = board.legal_moves();
            let simple = moves.iter().copied().min_by_key(|&mv| move_planes::index(&board, mv));
            let at_random = moves.get((random.next_u64() % moves.len().max(1) as u64) as usize).copied();
            let Some(mv) = (if ply < 8 { at_random } else { simple }) else { break };
            samples.push(Sample { board, played: Some(mv), score: Some(0), outcome: Outcome::Draw, ply: None });
            board.play(mv);
        }
        viri::write(&mut bytes, &Game { samples: samples.split_off(8.min(samples.len())) }).unwrap();
    }
    fs::write(path, bytes).unwrap();
}

const NEW: &str = "train policy --data games.viri --layers 16 --batch 100 --epochs 4 --warm-up 4 --lr 0.02 \
                   --validation 0.2 --report-every 1 --validate-every 9";

fn arguments(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The rows of a curve without their last field, the speed.
fn curve(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().skip(1).filter_map(|line| Some(line.rsplit_once(',')?.0.to_owned())).collect()
}

fn field(row: &str, index: usize) -> f64 {
    row.split(',').nth(index).unwrap().parse().unwrap()
}

#[test]
fn a_simple_player_is_imitated_and_the_folder_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    simple_games(&dir.path().join("games.viri"), 40, 1);
    let run = NEW.replace("--layers 16", "--layers 32,16") + " --out a --name simple --best best.safetensors";
    let (_, err) = finish(&trainer(dir.path(), &arguments(&run)).output().unwrap(), 0);
    assert_has(&err, &["896-32-16-4672 (103936 weights)", "4 epochs of ", "top1 "]);

    let path = dir.path().join("a/curves.csv");
    let heading = fs::read_to_string(&path).unwrap().lines().next().unwrap().to_owned();
    assert_eq!(heading, "step,epoch,learning_rate,train_loss,validation_loss,top1,top5,positions_per_second");
    let rows = curve(&path);
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    assert!(field(last, 3) < field(first, 3) / 2.0, "loss\n{first}\n{last}");
    // By chance it would be one move in twenty or thirty.
    assert!(field(last, 5) > 0.5 && field(last, 6) >= field(last, 5), "{last}");
    assert_has(&fs::read_to_string(dir.path().join("a/curves.svg")).unwrap(), &["validation", "top5"]);
    assert_has(&fs::read_to_string(dir.path().join("a/config.json")).unwrap(), &["\"preset\": \"small\""]);

    for name in ["a/best", "a/last", "best"] {
        let bytes = fs::read(dir.path().join(name).with_extension("safetensors")).unwrap();
        let net = SafeTensors::deserialize(&bytes).unwrap();
        let shape = |name: &str| net.tensor(name).unwrap().shape().to_vec();
        assert_eq!((shape("features.weight"), shape("features.bias")), (vec![896, 32], vec![32]));
        assert_eq!((shape("dense.0.weight"), shape("dense.0.bias")), (vec![32, 16], vec![16]));
        assert_eq!((shape("output.weight"), shape("output.bias")), (vec![16, 4672], vec![4672]));
        let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
        let metadata = header.metadata().clone().unwrap();
        for (key, value) in
            [("model", "policy"), ("activation", "relu"), ("name", "simple"), ("width", "32"), ("dense", "16")]
        {
            assert_eq!(metadata[key], value);
        }
    }

    // A worse run leaves the shared best as it is; one that is judged otherwise cannot be compared.
    let best = fs::read(dir.path().join("best.safetensors")).unwrap();
    let worse = NEW.replace("--lr 0.02", "--lr 0.00001") + " --out b --best best.safetensors";
    finish(&trainer(dir.path(), &arguments(&worse)).output().unwrap(), 0);
    assert!(fs::read(dir.path().join("best.safetensors")).unwrap() == best, "a worse network replaced the best");
    let other = format!("{NEW} --out c --seed 2 --best best.safetensors");
    let (_, err) = finish(&trainer(dir.path(), &arguments(&other)).output().unwrap(), 1);
    assert_has(&err, &["best.safetensors holds a network that was judged by other positions"]);
}

#[test]
fn a_killed_run_goes_on_as_if_nothing_had_been() {
    let dir = tempfile::tempdir().unwrap();
    simple_games(&dir.path().join("games.viri"), 40, 2);
    let whole = format!("{NEW} --out whole");
    finish(&trainer(dir.path(), &arguments(&whole)).output().unwrap(), 0);

    let killed = format!("{NEW} --out killed --checkpoint-every 3");
    let mut child = trainer(dir.path(), &arguments(&killed)).stderr(Stdio::null()).spawn().unwrap();
    let path = dir.path().join("killed/curves.csv");
    while curve(&path).len() < 10 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it was killed");
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    finish(&trainer(dir.path(), &arguments("train policy --resume --out killed")).output().unwrap(), 0);
    assert_eq!(curve(&path), curve(&dir.path().join("whole/curves.csv")));
    let file = |run: &str| fs::read(dir.path().join(run).join("last.safetensors")).unwrap();
    let (whole, killed) = (file("whole"), file("killed"));
    let (whole, killed) = (SafeTensors::deserialize(&whole).unwrap(), SafeTensors::deserialize(&killed).unwrap());
    for (name, tensor) in whole.tensors() {
        assert!(killed.tensor(&name).unwrap().data() == tensor.data(), "{name} differs");
    }
}

#[test]
fn the_preset_of_the_document_learns_over_all_moves() {
    let dir = tempfile::tempdir().unwrap();
    simple_games(&dir.path().join("games.viri"), 10, 3);
    let run = "train policy --preset document --data games.viri --out a --layers 16,8 --batch 20 --epochs 2 --lr 0.05 \
               --report-every 1";
    finish(&trainer(dir.path(), &arguments(run)).output().unwrap(), 0);
    let rows = curve(&dir.path().join("a/curves.csv"));
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    // At first all 4672 moves are about as likely.
    assert!((field(first, 3) - 4672f64.ln()).abs() < 0.5, "{first}");
    assert!(field(last, 3) < field(first, 3), "{first}\n{last}");
    // Loss, and both shares twice: what is first of all moves is first of the legal ones.
    assert!(field(last, 5) >= field(last, 7) && field(last, 6) >= field(last, 8), "{last}");
    assert_has(
        &fs::read_to_string(dir.path().join("a/config.json")).unwrap(),
        &["\"preset\": \"document\"", "\"method\": \"sgd\"", "\"loss\": \"all\"", "\"final-lr\": 0.001"],
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    simple_games(&dir.path().join("games.viri"), 20, 4);
    fs::write(dir.path().join("a.bullet"), [0; 32]).unwrap();
    fs::write(dir.path().join("torn.viri"), [255; 100]).unwrap();
    let fault = |text: &str| finish(&trainer(dir.path(), &arguments(text)).output().unwrap(), 1).1;
    for (text, expected) in [
        ("train policy --out a".to_owned(), "a new run needs --data FILE"),
        ("train policy --resume --out a".to_owned(), "there is no run to go on with"),
        (
            NEW.replace("--layers 16", "--layers 20") + " --out a",
            "--layers [20]: a sparse first layer must be a multiple of 16 wide",
        ),
        (NEW.replace("games.viri", "a.bullet") + " --out a", "a.bullet has positions without moves"),
        (NEW.replace("games.viri", "torn.viri") + " --out a", "torn.viri"),
        (
            NEW.replace("--validation 0.2", "--validation 0.0001") + " --out a",
            "--validation 0.0001 leaves a side empty",
        ),
        (
            NEW.replace("--batch 100", "--batch 5000") + " --out a",
            "too few for one batch: --batch 5000 must be smaller",
        ),
    ] {
        assert_has(&fault(&text), &[expected]);
    }
    assert!(!dir.path().join("a").exists());
}
