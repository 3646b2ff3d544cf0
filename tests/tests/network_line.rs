//! From nothing to a network that plays, by the four commands that anyone would type, with a tiny setting.

use std::ffi::OsStr;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use shakmaty::{Chess, Position, uci::UciMove};
use tests::client::{Client, value};
use tests::program::program;

/// Runs a program to its end, and gives what it said.
fn run<S: AsRef<OsStr>>(name: &str, arguments: impl IntoIterator<Item = S>) -> Result<String> {
    let output = Command::new(program(name)?).args(arguments).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "{name}: {said}{}", String::from_utf8_lossy(&output.stderr));
    Ok(said)
}

#[test]
fn a_network_is_mined_trained_quantised_and_plays() -> Result<()> {
    // The programs are built before the clock starts.
    for name in ["trainer", "quantize", "knightlight"] {
        program(name)?;
    }
    let start = Instant::now();
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).into_os_string();
    let text = |word: &str| OsStr::new(word).to_owned();
    let trainer = |words: &str, paths: &[(&str, &str)]| {
        let words = words.split(' ').map(text);
        let paths = paths.iter().flat_map(|&(option, name)| [text(option), path(name)]);
        run("trainer", words.chain(paths).collect::<Vec<_>>())
    };

    trainer("mine --self-play --nodes 200 --games 40 --choose 80,15,5 --workers 2 --seed 3", &[("--out", "mined")])?;
    let games = [path("mined/worker-1.viri"), path("mined/worker-2.viri")];
    let prepare = ["data", "prepare", "--validation", "0.1"].map(text).into_iter().chain(games);
    run("trainer", prepare.chain([text("--out"), path("prepared")]))?;
    trainer(
        "train value --width 16 --buckets 2 --epochs 3 --batch 256 --warm-up 2 --name tiny --no-tui",
        &[("--data", "prepared/train.bullet"), ("--validation", "prepared/validation.bullet"), ("--out", "run")],
    )?;
    let (weights, net) = (path("run/best.safetensors"), path("tiny.net"));
    run("quantize", [text("convert"), weights.clone(), text("-o"), net.clone()])?;
    let verify = [text("verify"), weights, net.clone()].into_iter();
    run("quantize", verify.chain(["--count", "200", "--max-mean", "4"].map(text)))?;

    let mut engine = Client::native()?;
    let net = net.into_string().expect("a temporary path is text");
    engine.send(&format!("setoption name EvalFile value {net}"))?;
    ensure!(engine.until("info string EvalFile")?.last().is_some_and(|said| said.contains("loaded")));
    ensure!(engine.ask("eval", "Evaluation")?.last().is_some_and(|said| said.contains("network")));
    let mut game = Chess::default();
    let mut moves = String::new();
    for _ in 0..40 {
        let answer = engine.go(&format!("position startpos{moves}"), "go nodes 300")?;
        let best = answer.last().and_then(|line| value(line, "bestmove")).unwrap_or_default().to_owned();
        game.play_unchecked(best.parse::<UciMove>()?.to_move(&game)?);
        if game.is_game_over() {
            break;
        }
        moves = if moves.is_empty() { format!(" moves {best}") } else { format!("{moves} {best}") };
    }
    // Not a measurement: the promise that the line can be tried in a coffee break.
    ensure!(start.elapsed() < Duration::from_secs(120), "the line took {:?}", start.elapsed());
    Ok(())
}
