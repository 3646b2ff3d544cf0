//! What every emulated board must do, over its serial line, held against the native engine.
//!
//! Needs QEMU, and the folder of the boards' builds in `KNIGHTLIGHT_BOARDS`; `sh tests/all` provides both.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use engine_core::bench::POSITIONS;
use tests::client::{Client, timeless, value};
use tests::emulator::{Emulator, emulated_boards};
use tests::twin::Twin;

/// A board answers when the emulator gets to it, and the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// A board, and how much is asked of it.
struct Board {
    /// Its folder under `firmware/boards`.
    folder: &'static str,
    hash_bytes: usize,
    bench_depth: u32,
    game_depth: u32,
    /// Whether its flash has room for a policy net.
    policy: bool,
}

impl Board {
    const fn new(folder: &'static str, hash_kilobytes: usize) -> Self {
        Self { folder, hash_bytes: hash_kilobytes << 10, bench_depth: 6, game_depth: 5, policy: true }
    }

    /// With 256 or 512 KB of flash.
    const fn small(folder: &'static str, hash_kilobytes: usize) -> Self {
        Self { policy: false, ..Self::new(folder, hash_kilobytes) }
    }

    /// The same, where the emulator is slow.
    const fn slow(folder: &'static str, hash_kilobytes: usize) -> Self {
        Self { bench_depth: 4, game_depth: 3, ..Self::small(folder, hash_kilobytes) }
    }

    /// Starts it, and listens until it has said all that it says by itself.
    fn start(&self) -> Result<Client> {
        let mut board = Client::start(&mut Emulator::of(self.folder)?.command("stdio"), PATIENCE)?;
        board.until("Knightlight")?;
        board.until("info string network 'knightlight-128', 128 wide")?;
        Ok(board)
    }
}

/// Every test for every board, each under a name of its own.
macro_rules! boards {
    ($($name:ident: $board:expr;)*) => {
        const FOLDERS: &[&str] = &[$($board.folder),*];
        $(mod $name {
            use super::*;

            const BOARD: Board = $board;

            #[test]
            fn says_who_it_is() -> Result<()> {
                super::says_who_it_is(&BOARD)
            }

            #[test]
            fn benches_the_same_nodes_as_the_native_program() -> Result<()> {
                super::benches_the_same_nodes_as_the_native_program(&BOARD)
            }

            #[test]
            fn takes_a_long_line_at_full_speed() -> Result<()> {
                super::takes_a_long_line(&BOARD, usize::MAX, Duration::ZERO)
            }

            #[test]
            fn takes_a_long_line_at_115200_baud() -> Result<()> {
                super::takes_a_long_line(&BOARD, PACED_BYTES, PACED_WAIT)
            }

            #[test]
            fn answers_while_it_thinks() -> Result<()> {
                super::answers_while_it_thinks(&BOARD)
            }

            #[test]
            fn plays_as_the_engine_does_here() -> Result<()> {
                super::plays_as_the_engine_does_here(&BOARD)
            }

            #[test]
            fn plays_by_policy_where_it_has_one() -> Result<()> {
                super::plays_by_policy_where_it_has_one(&BOARD)
            }
        })*
    };
}

boards! {
    cortex_m3: Board::small("qemu-lm3s6965evb", 4);
    cortex_m4: Board::new("qemu-mps2-an386", 1024);
    cortex_m7: Board::new("qemu-mps2-an500", 1024);
    cortex_m33: Board::new("qemu-mps2-an505", 1024);
    // QEMU is slow at the core's vector instructions.
    cortex_m55: Board::slow("qemu-mps3-an547", 256);
    stm32f405: Board::new("qemu-netduinoplus2", 32);
    riscv32: Board::new("qemu-virt-rv32", 1024);
}

#[test]
fn no_board_is_forgotten() -> Result<()> {
    let mut folders = FOLDERS.to_vec();
    folders.sort_unstable();
    assert_eq!(emulated_boards()?, folders);
    Ok(())
}

#[test]
fn two_cores_search_together() -> Result<()> {
    let mut board = Client::start(&mut Emulator::of("qemu-virt-rv32")?.with_cores(2).command("stdio"), PATIENCE)?;
    board.until("info string network 'knightlight-128', 128 wide")?;
    let options = board.ask("uci", "uciok")?;
    ensure!(options.iter().any(|line| line == "option name Threads type spin default 1 min 1 max 2"), "{options:?}");

    board.ask("isready", "readyok")?;
    // One searches as ever.
    let mut twin = Twin::new(1 << 20);
    let (position, go) = ("position startpos moves e2e4", "go depth 8");
    assert_eq!(timeless(&board.go(position, go)?), timeless(&twin.say(&[position, go])));

    board.send("setoption name Threads value 2")?;
    for moves in ["", " e7e5", " e7e5 g1f3", " e7e5 g1f3 b8c6"] {
        let lines = board.go(&format!("{position}{moves}"), go)?;
        ensure!(lines.iter().any(|line| line.starts_with("info depth 8 ")), "{lines:?}");
    }
    // Both end when one is told to.
    board.send("go infinite")?;
    thread::sleep(Duration::from_millis(300));
    board.ask("stop", "bestmove")?;
    leaves_with_stack_to_spare(board)
}

fn says_who_it_is(board: &Board) -> Result<()> {
    let mut line = board.start()?;
    let lines = line.ask("uci", "uciok")?;
    assert!(lines[0].starts_with("id name Knightlight "), "{lines:?}");
    line.ask("isready", "readyok")?;
    Ok(())
}

fn benches_the_same_nodes_as_the_native_program(board: &Board) -> Result<()> {
    let nodes = |engine: &mut Client| -> Result<Vec<String>> {
        engine.send(&format!("bench {}", board.bench_depth))?;
        engine.send("isready")?;
        let lines = engine.until("readyok")?;
        let signature = |line: &String| line.split(" nodes").next().unwrap_or_default().to_owned();
        Ok(lines.iter().map(signature).collect())
    };
    let mut line = board.start()?;
    assert_eq!(nodes(&mut line)?, nodes(&mut Client::native()?)?);
    leaves_with_stack_to_spare(line)
}

/// At 115,200 baud a byte takes ten bits, so that these bytes take as long.
const PACED_BYTES: usize = 36;
const PACED_WAIT: Duration = Duration::from_micros(PACED_BYTES as u64 * 10 * 1_000_000 / 115_200);

/// Sends more than 20,000 bytes in pieces, with a wait after each, and asks whether all have come.
fn takes_a_long_line(board: &Board, piece: usize, wait: Duration) -> Result<()> {
    let mut line = board.start()?;
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(1_000);
    let text = format!("position startpos moves {moves}e2e4\nd\n");
    assert!(text.len() > 20_000);
    for piece in text.as_bytes().chunks(piece) {
        line.send_bytes(piece)?;
        thread::sleep(wait);
    }
    let fen = "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2001";
    assert_eq!(line.until("Fen: ")?.last().map(String::as_str), Some(fen));
    // Pieces that no token respects.
    for piece in b"position startpos moves e2e4 e7e5 g1f3\r\nd\r\n".chunks(3) {
        line.send_bytes(piece)?;
    }
    let fen = "Fen: rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    assert_eq!(line.until("Fen: ")?.last().map(String::as_str), Some(fen));
    Ok(())
}

fn answers_while_it_thinks(board: &Board) -> Result<()> {
    let mut line = board.start()?;
    line.send("position startpos")?;
    line.send("go infinite")?;
    line.until("info depth 3")?;
    let lines = line.ask("isready", "readyok")?;
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    let lines = line.ask("stop", "bestmove")?;
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 1);
    line.send("position fen 8/8/8/8 w - -")?;
    assert!(line.line()?.is_some_and(|line| line.starts_with("info string position fen: ")));
    assert!(line.ask("go depth 1", "bestmove")?.last().is_some_and(|line| !line.contains("(none)")));
    leaves_with_stack_to_spare(line)
}

fn plays_as_the_engine_does_here(board: &Board) -> Result<()> {
    const PLIES: usize = 16;
    let mut line = board.start()?;
    let mut twin = Twin::new(board.hash_bytes);
    let mut position = String::from("position startpos moves e2e4 e7e5 g1f3 b8c6");
    let go = format!("go depth {}", board.game_depth);
    for _ in 0..PLIES {
        let on_board = line.go(&position, &go)?;
        assert_eq!(timeless(&on_board), timeless(&twin.say(&[&position, &go])), "{position}");
        let best = on_board.last().and_then(|last| value(last, "bestmove")).context("a best move")?;
        position = format!("{position} {best}");
    }
    leaves_with_stack_to_spare(line)
}

fn plays_by_policy_where_it_has_one(board: &Board) -> Result<()> {
    const POLICY: &str = "setoption name Mode value Policy";
    const GO: &str = "go depth 1";
    let mut line = board.start()?;
    let mut twin = Twin::new(board.hash_bytes);
    line.send(POLICY)?;
    line.send("setoption name MultiPV value 16")?;
    twin.say(&[POLICY, "setoption name MultiPV value 16"]);
    for fen in POSITIONS {
        let position = format!("position fen {fen}");
        let on_board = line.go(&position, GO)?;
        if board.policy {
            // The chance of every move, too.
            assert_eq!(timeless(&on_board), timeless(&twin.say(&[&position, GO])), "{fen}");
        } else {
            assert_eq!(on_board[0], "info string Mode Policy: no policy net, so the search plays");
        }
    }
    leaves_with_stack_to_spare(line)
}

/// Tells the board to quit: it says how much stack it has used, and its restart ends the emulator.
fn leaves_with_stack_to_spare(mut line: Client) -> Result<()> {
    /// What an interrupt may use, and a little.
    const SPARE: usize = 1_024;
    let said = line.ask("quit", "info string stack: ")?;
    let said = said.last().context("how much stack was used")?;
    let number = |word| value(said, word).and_then(|number| number.parse::<usize>().ok());
    let (used, size) = number("stack:").zip(number("of")).with_context(|| said.clone())?;
    ensure!(used + SPARE <= size, "{said}");
    line.wait()
}
