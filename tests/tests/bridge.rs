//! A chess program, the bridge, a serial port, and the emulated board behind it; and the cable between them pulled.
//!
//! Needs QEMU, and the folder of the boards' builds in `KNIGHTLIGHT_BOARDS`; `sh tests/all` provides both.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serialport::{SerialPort, TTYPort};
use shakmaty::{Chess, Position, uci::UciMove};
use tempfile::TempDir;
use tests::cable::Cable;
use tests::client::{Client, value};
use tests::desk::Desk;
use tests::program::program;

/// A board answers when the emulator gets to it, and the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

fn desk() -> Result<Desk> {
    Desk::with::<&str>(&[])
}

fn bridge() -> Result<Command> {
    Ok(Command::new(program("knightlight-bridge")?))
}

fn bridge_to(port: &str) -> Result<Client> {
    Client::start(bridge()?.arg(port).stderr(Stdio::inherit()), PATIENCE)
}

/// A board, and a cable to it.
struct Bench {
    cable: Cable,
    /// Later than the cable, which holds its port.
    _desk: Desk,
    _folder: TempDir,
}

impl Bench {
    fn new() -> Result<Self> {
        let (desk, folder) = (desk()?, tempfile::tempdir()?);
        Ok(Self { cable: Cable::new(desk.port(), &folder.path().join("ttyACM0"))?, _desk: desk, _folder: folder })
    }

    /// Starts a bridge, as a chess program does.
    fn bridge(&self) -> Result<Client> {
        let mut bridge = bridge_to(self.cable.path())?;
        bridge.ask("uci", "uciok")?;
        bridge.ask("isready", "readyok")?;
        Ok(bridge)
    }
}

/// The move that was chosen, last of all lines.
fn best(lines: &[String]) -> Result<&str> {
    lines.last().and_then(|line| value(line, "bestmove")).context("a best move")
}

/// A game that an engine plays against itself.
#[derive(Default)]
struct Game {
    position: Chess,
    moves: String,
}

impl Game {
    fn line(&self) -> String {
        let moves = if self.moves.is_empty() { "" } else { " moves" };
        format!("position startpos{moves}{}", self.moves)
    }

    fn play(&mut self, mv: &str) -> Result<()> {
        let legal = mv.parse::<UciMove>()?.to_move(&self.position)?;
        self.position.play_unchecked(legal);
        write!(self.moves, " {mv}")?;
        Ok(())
    }
}

#[test]
fn every_byte_passes_in_both_directions() -> Result<()> {
    let bench = Bench::new()?;
    let mut bridge = bench.bridge()?;
    let before = bench.cable.passed();
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(1_000);
    let lines = [format!("position startpos moves {moves}e2e4"), "d".to_owned(), "isready".to_owned()];
    lines.iter().try_for_each(|line| bridge.send(line))?;
    let answer = bridge.until("readyok")?;
    let fen = "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2001";
    assert!(answer.iter().any(|line| line == fen), "{answer:?}");
    let after = bench.cable.passed();
    let bytes = |lines: &[String]| lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>();
    // The client cuts blanks off the ends of lines, and the board's drawing has none there.
    assert_eq!((after.0 - before.0, after.1 - before.1), (bytes(&lines), bytes(&answer)));
    Ok(())
}

#[test]
fn a_game_over_the_bridge_is_that_of_the_native_program() -> Result<()> {
    const PLIES: usize = 40;
    let bench = Bench::new()?;
    let mut bridge = bench.bridge()?;
    let mut native = Client::native()?;
    native.send("setoption name Hash value 1")?;
    let mut game = Game::default();
    for _ in 0..PLIES {
        let answer = bridge.go(&game.line(), "go nodes 3000")?;
        let mv = best(&answer)?;
        assert_eq!(mv, best(&native.go(&game.line(), "go nodes 3000")?)?, "{}", game.line());
        game.play(mv)?;
    }
    Ok(())
}

#[test]
fn a_game_goes_on_when_the_cable_is_put_back() -> Result<()> {
    const PLIES: usize = 10;
    let mut bench = Bench::new()?;
    let mut bridge = bench.bridge()?;
    // Options that show in every search, and so that the board has been told of them again.
    bridge.send("setoption name MultiPV value 3")?;
    bridge.send("setoption name UCI_ShowWDL value true")?;
    bridge.send("ucinewgame")?;
    let mut game = Game::default();
    for ply in 0..PLIES {
        bridge.send(&game.line())?;
        // By nodes, as a busy machine may let no time of the emulator's pass.
        bridge.send(if ply == 3 { "go nodes 150000" } else { "go nodes 5000" })?;
        // Once it is pulled while the board thinks; once between moves, so that the board is told of the next one late.
        match ply {
            3 => {
                bridge.until("info depth 2")?;
                bench.cable.pull();
                bridge.until("info string the board on ")?;
                thread::sleep(Duration::from_millis(500));
                bench.cable.put_in()?;
                bridge.until("info string the board on ")?;
            }
            7 => bench.cable.put_in()?,
            _ => {}
        }
        let answer = bridge.until("bestmove")?;
        ensure!(answer.iter().any(|line| line.contains(" multipv 3 ") && line.contains(" wdl ")), "{answer:?}");
        game.play(best(&answer)?)?;
        if ply == 6 {
            bench.cable.pull();
            bridge.until("info string the board on ")?;
            // A board that is away is not dead.
            bridge.ask("isready", "readyok")?;
        }
    }
    Ok(())
}

#[test]
fn an_analysis_that_is_stopped_while_the_board_is_away_is_answered() -> Result<()> {
    let mut bench = Bench::new()?;
    let mut bridge = bench.bridge()?;
    bridge.send("position startpos moves e2e4")?;
    bridge.send("go infinite")?;
    bridge.until("info depth 4")?;
    bench.cable.pull();
    bridge.until("info string the board on ")?;
    let answer = bridge.ask("stop", "bestmove")?;
    let mut game = Game::default();
    game.play("e2e4")?;
    game.play(best(&answer)?)?;
    // The board may think on: what it still has to say of it is not for the next search.
    bench.cable.put_in()?;
    bridge.until("info string the board on ")?;
    game.play(best(&bridge.go(&game.line(), "go depth 3")?)?)
}

#[test]
fn another_board_takes_the_place_of_the_first() -> Result<()> {
    let mut bench = Bench::new()?;
    let mut bridge = bench.bridge()?;
    bridge.send("setoption name MultiPV value 2")?;
    bridge.go("position startpos", "go depth 2")?;
    bench.cable.pull();
    bridge.until("info string the board on ")?;
    let other = desk()?;
    bench.cable = Cable::new(other.port(), Path::new(bench.cable.path()))?;
    bridge.until("info string the board on ")?;
    let answer = bridge.ask("go depth 2", "bestmove")?;
    ensure!(answer.iter().any(|line| line.contains(" multipv 2 ")), "{answer:?}");
    Ok(())
}

#[test]
fn it_leaves_when_told_and_the_board_starts_anew() -> Result<()> {
    let bench = Bench::new()?;
    let mut bridge = bench.bridge()?;
    bridge.send("setoption name MultiPV value 4")?;
    bridge.send("go infinite")?;
    bridge.until("info depth 2")?;
    bridge.send("quit")?;
    bridge.wait()?;
    let answer = bench.bridge()?.ask("go depth 2", "bestmove")?;
    ensure!(!answer.iter().any(|line| line.contains(" multipv 2 ")), "the next program gets old options: {answer:?}");
    Ok(())
}

/// Runs the bridge with this input, and nothing after it.
fn run(arguments: &[&str], input: &str) -> Result<Output> {
    let mut child =
        bridge()?.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // One that has something to complain of may leave without reading.
    let _ = child.stdin.take().context("no standard input")?.write_all(input.as_bytes());
    Ok(child.wait_with_output()?)
}

#[test]
fn it_leaves_when_the_program_does() -> Result<()> {
    let bench = Bench::new()?;
    // The input ends, and what was asked is answered, the last line without its end too.
    let output = run(&[bench.cable.path()], "position startpos\ngo depth 5\nd")?;
    let said = String::from_utf8(output.stdout)?;
    ensure!(output.status.success() && said.contains("\nbestmove ") && said.contains("\nFen: "), "{said}");
    let output = run(&[bench.cable.path()], "go infinite\n")?;
    ensure!(output.status.success() && String::from_utf8(output.stdout)?.contains("\nbestmove "));
    // Nobody reads any more.
    let mut child = bridge()?.arg(bench.cable.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    drop(child.stdout.take());
    child.stdin.as_mut().context("no standard input")?.write_all(b"uci\n")?;
    ensure!(child.wait()?.success());
    Ok(())
}

#[test]
fn what_is_wrong_with_a_port_is_said() -> Result<()> {
    let complaint = |port: &str| -> Result<String> {
        let output = run(&[port], "uci\n")?;
        let said = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.code(), Some(1), "{said}");
        // The chess program's log has it too.
        assert_eq!(
            String::from_utf8(output.stdout)?.trim_start_matches("info string "),
            &said["knightlight-bridge: ".len()..]
        );
        Ok(said)
    };
    let folder = tempfile::tempdir()?;
    let cannot_open = "cannot open the serial port";
    assert!(complaint("/dev/no-such-port")?.contains(cannot_open));
    let file = folder.path().join("no-port");
    fs::write(&file, "")?;
    assert!(complaint(file.to_str().context("a path")?)?.contains(cannot_open));
    let (_nobody, port) = TTYPort::pair()?;
    let silent = complaint(&port.name().context("a name")?)?;
    assert!(silent.contains("answers `isready` within") && silent.contains("115200 baud"), "{silent}");
    assert!(run(&["--list"], "")?.status.success());
    assert_eq!(run(&["--no-such-flag"], "")?.status.code(), Some(2));
    Ok(())
}
