//! The emulated board over its serial line, held against the native program, and played by a person.
//!
//! Needs QEMU, and the path of the board's program in `KNIGHTLIGHT_QEMU_ELF`; `sh tests/all` provides both.

use std::env;
use std::fmt::Write;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use shakmaty::{Chess, Position, uci::UciMove};
use tests::client::{Client, value};
use tests::desk::Desk;
use tests::program::program;

/// A board answers when the emulator gets to it, and the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// QEMU with the board's serial port at this end.
fn emulator(serial: &str) -> Result<Command> {
    let program = env::var("KNIGHTLIGHT_QEMU_ELF").context("KNIGHTLIGHT_QEMU_ELF: the path of the board's program")?;
    let mut emulator = Command::new("qemu-system-arm");
    emulator.args(["-M", "mps2-an386", "-display", "none", "-monitor", "none", "-serial", serial, "-no-reboot"]);
    emulator.args(["-kernel", &program]).stderr(Stdio::inherit());
    Ok(emulator)
}

fn board() -> Result<Client> {
    let mut board = Client::start(&mut emulator("stdio")?, PATIENCE)?;
    board.until("Knightlight")?;
    board.until("info string network")?;
    Ok(board)
}

/// The lines of a search without what depends on time.
fn timeless(lines: &[String]) -> Vec<String> {
    let timed = ["nps", "time"];
    let strip = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        let kept = words.iter().enumerate().filter(|&(index, word)| {
            !timed.contains(word) && index.checked_sub(1).is_none_or(|before| !timed.contains(&words[before]))
        });
        kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    };
    lines.iter().map(strip).collect()
}

/// Plays a game of both engines' moves, held equal at every ply; gives its length in plies.
fn equal_game(board: &mut Client, native: &mut Client, opening: &str) -> Result<usize> {
    const DEPTH: u32 = 6;
    const LONGEST: usize = 120;
    for engine in [&mut *board, &mut *native] {
        engine.send("ucinewgame")?;
        engine.ask("isready", "readyok")?;
    }
    let mut position = Chess::default();
    for text in opening.split_ascii_whitespace() {
        let mv = text.parse::<UciMove>()?.to_move(&position)?;
        position.play_unchecked(mv);
    }
    let mut line = format!("position startpos moves {opening}");
    let mut plies = opening.split_ascii_whitespace().count();
    while plies < LONGEST && !position.is_game_over() {
        let on_board = board.go(&line, &format!("go depth {DEPTH}"))?;
        let natively = native.go(&line, &format!("go depth {DEPTH}"))?;
        assert_eq!(timeless(&on_board), timeless(&natively), "{line}");
        let best = on_board.last().and_then(|last| value(last, "bestmove")).context("a best move")?;
        let mv = best.parse::<UciMove>()?.to_move(&position)?;
        position.play_unchecked(mv);
        write!(line, " {best}")?;
        plies += 1;
    }
    Ok(plies)
}

#[test]
fn whole_games_are_the_same_on_the_board_and_natively() -> Result<()> {
    let mut board = board()?;
    let mut native = Client::native()?;
    // The board's hash table has one megabyte, and node counts depend on its size.
    native.send("setoption name Hash value 1")?;
    let openings = ["e2e4 e7e5 g1f3 b8c6", "d2d4 d7d5 c2c4 e7e6", "e2e4 c7c5 g1f3 d7d6", "c2c4 e7e5 b1c3 g8f6"];
    for opening in openings {
        // Some games end early by mate: forty moves a side show more.
        if equal_game(&mut board, &mut native, opening)? >= 80 {
            return Ok(());
        }
    }
    bail!("no game of {} lasted forty moves", openings.len())
}

#[test]
fn the_bench_searches_the_same_nodes_on_the_board_and_natively() -> Result<()> {
    let nodes = |engine: &mut Client| -> Result<Vec<String>> {
        engine.send("bench 8")?;
        engine.send("isready")?;
        let lines = engine.until("readyok")?;
        let signature = |line: &String| line.split(" nodes").next().unwrap_or_default().to_owned();
        Ok(lines.iter().map(signature).collect())
    };
    assert_eq!(nodes(&mut board()?)?, nodes(&mut Client::native()?)?);
    Ok(())
}

#[test]
fn a_long_position_line_passes_through_the_short_queue() -> Result<()> {
    let mut board = board()?;
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(1_000);
    let line = format!("position startpos moves {moves}e2e4\n");
    assert!(line.len() > 20_000);
    // At once, as fast as the board takes it.
    board.send_bytes(line.as_bytes())?;
    let fen = "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2001";
    assert_eq!(board.ask("d", "Fen: ")?.last().map(String::as_str), Some(fen));
    // Byte by byte, in pieces that no token respects.
    board.send_bytes(b"position startpos mov")?;
    for piece in b"es e2e4 e7e5 g1f3\r\nd\r\n".chunks(3) {
        board.send_bytes(piece)?;
    }
    let fen = "Fen: rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    assert_eq!(board.until("Fen: ")?.last().map(String::as_str), Some(fen));
    Ok(())
}

#[test]
fn the_board_answers_while_it_thinks_and_leaves_when_told() -> Result<()> {
    let mut board = board()?;
    board.send("position startpos")?;
    board.send("go infinite")?;
    board.until("info depth 4")?;
    let lines = board.ask("isready", "readyok")?;
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    let lines = board.ask("stop", "bestmove")?;
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 1);
    board.send("position fen 8/8/8/8 w - -")?;
    assert!(board.line()?.is_some_and(|line| line.starts_with("info string position fen: ")));
    assert!(board.ask("go depth 1", "bestmove")?.last().is_some_and(|line| !line.contains("(none)")));
    // A restart ends the emulator.
    board.send("quit")?;
    board.wait()
}

#[test]
fn a_person_plays_the_board_over_its_serial_port() -> Result<()> {
    const MOVES: usize = 6;
    let trainer = program("trainer")?;
    let desk = Desk::start(&mut emulator("pty")?)?;
    let folder = tempfile::tempdir()?;
    let play = |name: &str, seats: &[&str]| -> Result<Client> {
        let mut command = Command::new(&trainer);
        command.args(["play", "--nodes", "2000", "--ascii", "--pgn", name]).args(seats).current_dir(folder.path());
        Client::start(command.stderr(Stdio::inherit()), PATIENCE)
    };
    // The same engine in the trainer's own thread, with as much of a hash table, must answer the same.
    let mut on_desk = play("desk.pgn", &["--serial", desk.port()])?;
    let mut inside = play("inside.pgn", &["--option", "Hash=1"])?;
    for number in 1..=MOVES {
        let mut lists = Vec::new();
        for game in [&mut on_desk, &mut inside] {
            game.send("moves")?;
            game.until(&format!("{number}. moves"))?;
            lists.push(game.line()?.context("the legal moves")?);
        }
        assert_eq!(lists[0], lists[1], "move {number}");
        let moves: Vec<&str> = lists[0].split(' ').collect();
        let mv = moves[moves.len() / 2];
        let mut answers = Vec::new();
        for game in [&mut on_desk, &mut inside] {
            game.send(mv)?;
            let said = game.until("Knightlight")?;
            let (answer, _) = said.last().and_then(|line| line.split_once("   ")).context("an answer")?;
            answers.push(answer.to_owned());
        }
        assert_eq!(answers[0], answers[1], "after {mv}");
    }
    for mut game in [on_desk, inside] {
        game.send("resign")?;
        game.send("quit")?;
        game.until("The game is saved in")?;
        game.wait()?;
    }
    let text = fs::read_to_string(folder.path().join("desk.pgn"))?;
    for tag in ["[Black \"Knightlight ", "[Result \"0-1\"]", &format!("[PlyCount \"{}\"]", 2 * MOVES)] {
        assert!(text.contains(tag), "{tag}\n{text}");
    }
    // The board is still there for the next game.
    play("desk.pgn", &["--serial", desk.port(), "--side", "black"])?.until("Knightlight 0")?;
    Ok(())
}
