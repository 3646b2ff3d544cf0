//! Training from its command line.
#![cfg(all(unix, feature = "cpu"))]

mod common;

use std::{fs, path::Path, process::Stdio, thread, time::Duration};

use bulletformat::{BulletFormat, ChessBoard};
use common::{assert_has, finish, trainer};
use host_trainer::train::value::bench::random_boards;
use safetensors::SafeTensors;

/// Writes boards whose score is their material, and whose result is whoever has more of it.
fn count_material(path: &Path, positions: usize, seed: u64) {
    const WORTH: [i16; 6] = [100, 300, 300, 500, 900, 0];
    let mut boards = random_boards(positions, seed);
    for board in &mut boards {
        let worth = |code: u8| WORTH[usize::from(code & 7)] * if code & 8 == 0 { 1 } else { -1 };
        board.score = board.into_iter().map(|(code, _)| worth(code)).sum();
        board.result = (1 + board.score.signum()) as u8;
    }
    fs::write(path, ChessBoard::as_bytes_slice(&boards)).unwrap();
}

fn data(dir: &Path) {
    count_material(&dir.join("train.bullet"), 4000, 1);
    count_material(&dir.join("valid.bullet"), 500, 2);
}

const NEW: &str = "train value --data train.bullet --validation valid.bullet --width 16 --buckets 2 --batch 200 \
                   --epochs 4 --warm-up 5 --lr 0.01 --scale 400 --report-every 1 --validate-every 10";

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
fn material_is_learnt_and_the_folder_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    data(dir.path());
    let run = format!("{NEW} --out a --dense 8 --name tiny --fake-quantised 0.5");
    let (_, err) = finish(&trainer(dir.path(), &arguments(&run)).output().unwrap(), 0);
    assert_has(
        &err,
        &["4000 positions, 500 to validate; scale 400 centipawns; 4 epochs of 20 steps", "80/80  epoch 4"],
    );

    let rows = curve(&dir.path().join("a/curves.csv"));
    assert_eq!(rows.len(), 80);
    let (first, last) = (field(&rows[0], 3), field(&rows[79], 3));
    assert!(last < first / 2.0, "loss {first} and at last {last}");
    assert!(field(&rows[79], 4) < field(&rows[9], 4), "validation loss\n{}\n{}", rows[9], rows[79]);
    assert!(fs::read_to_string(dir.path().join("a/curves.svg")).unwrap().starts_with("<svg"));
    assert_has(&fs::read_to_string(dir.path().join("a/config.json")).unwrap(), &["\"width\": 16", "\"scale\": 400.0"]);

    for name in ["best", "last"] {
        let bytes = fs::read(dir.path().join("a").join(name).with_extension("safetensors")).unwrap();
        let net = SafeTensors::deserialize(&bytes).unwrap();
        let shape = |name: &str| net.tensor(name).unwrap().shape().to_vec();
        assert_eq!((shape("features.weight"), shape("features.bias")), (vec![704, 16], vec![16]));
        assert_eq!((shape("dense.0.weight"), shape("dense.0.bias")), (vec![32, 8], vec![8]));
        assert_eq!((shape("output.weight"), shape("output.bias")), (vec![8, 2], vec![2]));
        let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
        let metadata = header.metadata().clone().unwrap();
        for (key, value) in [
            ("name", "tiny"),
            ("width", "16"),
            ("dense", "8"),
            ("buckets", "2"),
            ("qa", "127"),
            ("qb", "128"),
            ("scale", "400"),
        ] {
            assert_eq!(metadata[key], value);
        }
        assert!(metadata["record"].contains("4000 positions"));
    }
}

#[test]
fn a_killed_run_goes_on_as_if_nothing_had_been() {
    let dir = tempfile::tempdir().unwrap();
    data(dir.path());
    let whole = format!("{NEW} --out whole");
    finish(&trainer(dir.path(), &arguments(&whole)).output().unwrap(), 0);

    let killed = format!("{NEW} --out killed --checkpoint-every 3");
    let mut child = trainer(dir.path(), &arguments(&killed)).stderr(Stdio::null()).spawn().unwrap();
    let path = dir.path().join("killed/curves.csv");
    while curve(&path).len() < 20 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it was killed");
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let done = curve(&path).len();
    assert!(done < 80, "the run was over before it was killed");

    let resume = "train value --resume --out killed";
    let (_, err) = finish(&trainer(dir.path(), &arguments(resume)).output().unwrap(), 0);
    let first = err.lines().find_map(|line| line.split_once("/80 ")?.0.parse::<usize>().ok()).unwrap();
    // What is repeated is at most what a checkpoint is apart, and the row that the kill may have torn.
    assert!(first > 1 && first + 3 >= done, "{done} steps were done, and it went on with {first}");
    assert_eq!(curve(&path), curve(&dir.path().join("whole/curves.csv")));
    let file = |run: &str| fs::read(dir.path().join(run).join("last.safetensors")).unwrap();
    let (whole, killed) = (file("whole"), file("killed"));
    let (whole, killed) = (SafeTensors::deserialize(&whole).unwrap(), SafeTensors::deserialize(&killed).unwrap());
    for (name, tensor) in whole.tensors() {
        assert!(killed.tensor(&name).unwrap().data() == tensor.data(), "{name} differs");
    }
}

/// Every kind of card that this build knows, be there one or not.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
#[test]
fn a_card_learns_what_the_processor_does_or_says_that_it_is_not_there() {
    let dir = tempfile::tempdir().unwrap();
    data(dir.path());
    let few = NEW.replace("--epochs 4", "--epochs 1");
    finish(&trainer(dir.path(), &arguments(&format!("{few} --out cpu"))).output().unwrap(), 0);
    let on_processor = curve(&dir.path().join("cpu/curves.csv"));
    for device in [cfg!(feature = "wgpu").then_some("wgpu"), cfg!(feature = "cuda").then_some("cuda")] {
        let Some(device) = device else { continue };
        let run = format!("{few} --out {device} --device {device}");
        let output = trainer(dir.path(), &arguments(&run)).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        println!("--device {device}: {}", err.trim_end().lines().last().unwrap_or_default());
        if output.status.success() {
            let on_card = curve(&dir.path().join(device).join("curves.csv"));
            assert_eq!(on_card.len(), on_processor.len());
            for (card, processor) in on_card.iter().zip(&on_processor) {
                assert!(
                    (field(card, 3) - field(processor, 3)).abs() < 1e-4,
                    "{card}, but on the processor {processor}"
                );
            }
        } else {
            assert_eq!(output.status.code(), Some(1), "{err}");
            assert_has(&err, &[&format!("--device {device}: ")]);
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    data(dir.path());
    fs::write(dir.path().join("torn.bullet"), [0; 33]).unwrap();
    fs::write(dir.path().join("zeros.bullet"), [0; 64]).unwrap();
    let fault = |text: &str| finish(&trainer(dir.path(), &arguments(text)).output().unwrap(), 1).1;
    finish(
        &trainer(dir.path(), &arguments(&(NEW.replace("--epochs 4", "--epochs 1") + " --out a"))).output().unwrap(),
        0,
    );
    for (text, expected) in [
        (format!("{NEW} --out a"), "a already holds a run: go on with it by --resume"),
        ("train value --resume --out b".to_owned(), "there is no run to go on with"),
        (
            "train value --resume --out a --width 32".to_owned(),
            "--width was 16 when this run began and cannot become 32",
        ),
        ("train value --resume --out a --lr 0.1".to_owned(), "--lr was 0.01 when this run began and cannot become 0.1"),
        ("train value --out c --validation valid.bullet".to_owned(), "a new run needs --data FILE"),
        (
            NEW.replace("train.bullet", "torn.bullet") + " --out c",
            "torn.bullet has 33 bytes, which is no multiple of 32",
        ),
        (
            NEW.replace("valid.bullet", "zeros.bullet") + " --out c",
            "zeros.bullet, position 1: each side must have one king",
        ),
        (
            NEW.replace("train.bullet", "valid.bullet").replace("--batch 200", "--batch 501") + " --out c",
            "500 positions, too few for one batch",
        ),
        (format!("{NEW} --out c --devices 2"), "the processor is one device"),
        #[cfg(not(feature = "wgpu"))]
        (format!("{NEW} --out c2 --device wgpu"), "built without --device wgpu: build it again with cargo build"),
        #[cfg(not(feature = "cuda"))]
        (format!("{NEW} --out c3 --device cuda"), "--features cuda"),
    ] {
        assert_has(&fault(&text), &[expected]);
    }
    assert!(!dir.path().join("c/checkpoint").exists());
}
