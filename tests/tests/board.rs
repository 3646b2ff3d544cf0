//! The emulated board over its serial line, held against the native program, and played by a person.
//!
//! Needs QEMU, and the folder of the boards' builds in `KNIGHTLIGHT_BOARDS`; `sh tests/all` provides both.

use std::fmt::Write;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use shakmaty::{Chess, Position, uci::UciMove};
use tests::client::{Client, timeless, value};
use tests::desk::Desk;
use tests::emulator::Emulator;
use tests::program::program;

/// A board answers when the emulator gets to it, and the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// QEMU with the board's serial port at this end.
fn emulator(serial: &str) -> Result<Command> {
    Ok(Emulator::of("qemu-mps2-an386")?.command(serial))
}

fn board() -> Result<Client> {
    let mut board = Client::start(&mut emulator("stdio")?, PATIENCE)?;
    board.until("Knightlight")?;
    board.until("info string network")?;
    Ok(board)
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
