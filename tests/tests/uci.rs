//! Conversations with the native program, as chess programs hold them and as they should not.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tests::client::{Client, value};

/// A script for a program that is started for it, and what is then expected of the lines it says until it leaves.
fn conversation(script: &[u8]) -> Result<Vec<String>> {
    let mut engine = Client::native()?;
    engine.send_bytes(script)?;
    if !script.ends_with(b"quit\n") {
        engine.send_bytes(b"quit\n")?;
    }
    let mut lines = Vec::new();
    while let Some(line) = engine.line()? {
        lines.push(line);
    }
    engine.wait()?;
    Ok(lines)
}

fn best_moves(lines: &[String]) -> Vec<&str> {
    lines.iter().filter_map(|line| value(line, "bestmove")).collect()
}

#[test]
fn the_handshake_lists_every_option() -> Result<()> {
    let lines = conversation(b"uci\nisready\nuci\n")?;
    assert!(lines[0].starts_with("id name Knightlight "));
    let options = [
        "Hash",
        "Clear Hash",
        "Threads",
        "Ponder",
        "MultiPV",
        "OwnBook",
        "BookFile",
        "EvalFile",
        "Evaluation",
        "Selective",
        "Best Book Move",
        "Book Seed",
        "PolicyFile",
        "Mode",
        "UCI_Chess960",
        "UCI_ShowWDL",
        "UCI_LimitStrength",
        "UCI_Elo",
        "Move Overhead",
        "MoveOrderFile",
        "MoveOrder",
        "MoveOrderDepth",
    ];
    for option in options {
        let listed = lines.iter().filter(|line| line.starts_with(&format!("option name {option} type ")));
        assert_eq!(listed.count(), 2, "{option}");
    }
    assert_eq!(lines.iter().filter(|line| *line == "uciok").count(), 2);
    assert_eq!(lines.iter().filter(|line| *line == "readyok").count(), 1);
    Ok(())
}

#[test]
fn a_search_reports_every_field() -> Result<()> {
    let mut engine = Client::native()?;
    engine.send("setoption name UCI_ShowWDL value true")?;
    engine.send("setoption name MultiPV value 3")?;
    let lines = engine.go("position startpos moves e2e4", "go depth 6")?;
    let last: Vec<&String> = lines.iter().filter(|line| line.starts_with("info depth 6 ")).collect();
    assert_eq!(last.len(), 3);
    let mut firsts = Vec::new();
    let mut better = i32::MAX;
    for (line, number) in last.iter().zip(["1", "2", "3"]) {
        assert_eq!(value(line, "multipv"), Some(number));
        for field in ["seldepth", "cp", "nodes", "nps", "hashfull", "time", "pv"] {
            assert!(value(line, field).is_some(), "{field} in {line}");
        }
        let mut words = line.split(' ').skip_while(|&word| word != "wdl").skip(1);
        let chances =
            [words.next(), words.next(), words.next()].map(|word| word.and_then(|word| word.parse::<u32>().ok()));
        assert_eq!(chances.into_iter().flatten().sum::<u32>(), 1000, "{line}");
        firsts.extend(value(line, "pv"));
        let score: i32 = value(line, "cp").context("a score")?.parse()?;
        assert!(score <= better, "the better line comes first: {last:?}");
        better = score;
    }
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 3, "three lines begin with three moves");
    Ok(())
}

#[test]
fn a_node_limit_is_kept_to_the_node_and_repeats() -> Result<()> {
    let search = || -> Result<Vec<String>> {
        let lines = Client::native()?.go("position startpos", "go nodes 20000")?;
        let timeless = |line: &String| line.split(" nps ").next().unwrap_or_default().to_owned();
        Ok(lines.iter().map(timeless).collect())
    };
    let first = search()?;
    assert_eq!(first, search()?);
    let nodes = first.iter().rev().find_map(|line| value(line, "nodes")).context("a node count")?;
    assert!(nodes.parse::<u64>()? <= 20_000);
    Ok(())
}

#[test]
fn all_processors_search_where_they_are_asked_to() -> Result<()> {
    let mut engine = Client::native()?;
    let options = engine.ask("uci", "uciok")?;
    let threads = options.iter().find(|line| line.starts_with("option name Threads ")).context("the option")?;
    let most: u32 = value(threads, "max").context("its maximum")?.parse()?;
    assert_eq!(most as usize, std::thread::available_parallelism()?.get().min(64));

    engine.send(&format!("setoption name Threads value {most}"))?;
    let lines = engine.go("position startpos", "go nodes 200000")?;
    let last = lines.iter().rev().find_map(|line| value(line, "nodes")).context("a node count")?;
    assert!(last.parse::<u64>()? > 1_000);
    assert_eq!(best_moves(&engine.go("position startpos moves e2e4", "go movetime 100")?).len(), 1);

    // Under a limit of strength the nodes are counted, so there is one processor and one result.
    engine.send("setoption name UCI_LimitStrength value true")?;
    engine.send("setoption name UCI_Elo value 1800")?;
    let mut results = [String::new(), String::new()];
    for result in &mut results {
        engine.send("ucinewgame")?;
        let lines = engine.go("position startpos moves d2d4", "go depth 30")?;
        *result = (*best_moves(&lines).first().context("a move")?).to_owned();
    }
    assert_eq!(results[0], results[1]);

    let complaint = engine.ask(&format!("setoption name Threads value {}\nisready", most + 1), "readyok")?;
    assert!(complaint[0].contains("Threads: a number from 1 to"), "{complaint:?}");
    Ok(())
}

#[test]
fn it_answers_while_it_searches() -> Result<()> {
    let mut engine = Client::native()?;
    engine.send("position startpos")?;
    engine.send("go infinite")?;
    for _ in 0..3 {
        let lines = engine.ask("isready", "readyok")?;
        assert_eq!(best_moves(&lines), Vec::<&str>::new());
    }
    assert_eq!(best_moves(&engine.ask("stop", "bestmove")?).len(), 1);

    engine.send("position startpos moves e2e4 e7e5")?;
    engine.send("go ponder wtime 200 btime 200")?;
    let lines = engine.ask("isready", "readyok")?;
    assert_eq!(best_moves(&lines), Vec::<&str>::new());
    assert_eq!(best_moves(&engine.ask("ponderhit", "bestmove")?).len(), 1);

    // A search that would never end gives way to the next command; one that will end is waited for.
    engine.send("go infinite")?;
    engine.send("position startpos moves e2e4")?;
    engine.send("go depth 3")?;
    engine.until("bestmove")?;
    let lines = engine.until("bestmove")?;
    assert!(lines.iter().any(|line| line.starts_with("info depth 3 ")));
    engine.send("go depth 5")?;
    engine.send("go depth 4")?;
    assert!(engine.until("bestmove")?.iter().any(|line| line.starts_with("info depth 5 ")));
    engine.until("bestmove")?;

    engine.send("go infinite")?;
    engine.send("quit")?;
    engine.wait()
}

#[test]
fn whatever_waits_for_a_search_stop_and_quit_still_end_it() -> Result<()> {
    for (go, waiting) in [
        ("go", "position startpos"),
        ("go depth 90", "setoption name MultiPV value 2"),
        ("go movetime 100000000", "position startpos moves e2e4 e7e5\ngo depth 1"),
        ("go mate 3", "d"),
        ("go infinite\nponderhit", "d"),
        ("go ponder movetime 100000000\nponderhit", "eval"),
        ("perft 20", "d"),
        ("bench 90", "isready"),
    ] {
        let mut engine = Client::native()?;
        engine.send(&format!("{go}\n{waiting}\nstop\nisready"))?;
        engine.until("readyok").context(go)?;
        engine.send(&format!("{go}\n{waiting}\nquit"))?;
        engine.wait().context(go)?;
    }
    Ok(())
}

#[test]
fn a_flood_does_not_keep_the_search_from_its_clock() -> Result<()> {
    // Lines that take far longer to answer than the search may last.
    const FLOOD: usize = 1_000_000;
    let mut engine = Client::native()?;
    let start = Instant::now();
    engine.send("go movetime 200")?;
    let flood = "x\n".repeat(FLOOD);
    engine.send_bytes(flood.as_bytes())?;
    let lines = engine.until("bestmove")?;
    let complaints = lines.iter().filter(|line| line.contains("unknown command 'x'")).count();
    assert!(complaints < FLOOD, "the answer came before the flood had ended, after {:?}", start.elapsed());
    Ok(())
}

#[test]
fn both_clocks_count() -> Result<()> {
    let mut engine = Client::native()?;
    let start = Instant::now();
    engine.go("position startpos", "go wtime 500 btime 500 movetime 60000")?;
    engine.go("position startpos", "go wtime 60000000 btime 60000000 movetime 50")?;
    assert!(start.elapsed() < Duration::from_secs(10));
    engine.go("position startpos", "go wtime 9223372036854775807 winc 9223372036854775807 depth 3")?;
    engine.go("position startpos", "go wtime -9223372036854775808 winc -9223372036854775808")?;
    Ok(())
}

#[test]
fn a_mate_ends_the_search_for_it_but_not_an_infinite_one() -> Result<()> {
    let mut engine = Client::native()?;
    let position = "position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    let lines = engine.go(position, "go mate 1")?;
    assert_eq!(best_moves(&lines), ["d1d8"]);
    assert!(lines.iter().any(|line| line.contains("score mate 1 ")));
    engine.send("go infinite")?;
    let lines = engine.ask("isready", "readyok")?;
    assert_eq!(best_moves(&lines), Vec::<&str>::new());
    engine.ask("stop", "bestmove")?;
    Ok(())
}

#[test]
fn however_little_time_there_is_a_legal_move_comes() -> Result<()> {
    let mut engine = Client::native()?;
    for go in [
        "go wtime 1 btime 1",
        "go wtime 0 btime 0 winc 0 binc 0",
        "go wtime -50 btime -50",
        "go movetime 0",
        "go movetime 1",
        "go wtime 1 btime 1 movestogo 1",
        "go wtime 1000 btime 1000 movestogo 0",
        "go depth 0",
        "go depth -5",
        "go nodes 0",
        "go nodes 1",
    ] {
        let lines = engine.go("position startpos", go)?;
        let best = best_moves(&lines);
        assert!(best.len() == 1 && best[0] != "(none)", "{go}: {lines:?}");
    }
    // Not the whole clock, even for the last move before the control.
    let start = Instant::now();
    engine.go("position startpos", "go wtime 2000 btime 2000 movestogo 1")?;
    assert!(start.elapsed() < Duration::from_secs(2));
    Ok(())
}

#[test]
fn the_root_restricts_and_ends() -> Result<()> {
    let mut engine = Client::native()?;
    assert_eq!(best_moves(&engine.go("position startpos", "go depth 3 searchmoves a2a3")?), ["a2a3"]);
    let only_move = "position fen 2b5/kpPp4/1p1P4/1P6/6p1/4p1P1/4PpPK/5B2 w - - 0 1";
    assert_eq!(best_moves(&engine.go(only_move, "go wtime 60000 btime 60000")?).len(), 1);
    let mated = "position startpos moves f2f3 e7e5 g2g4 d8h4";
    let lines = engine.go(mated, "go depth 3")?;
    assert_eq!(best_moves(&lines), ["(none)"]);
    assert!(lines.iter().any(|line| line == "info depth 0 score mate 0"));
    let stalemate = "position fen 7k/8/5KQ1/8/8/8/8/8 b - - 0 1";
    let lines = engine.go(stalemate, "go depth 3")?;
    assert!(lines.iter().any(|line| line == "info depth 0 score cp 0"));
    Ok(())
}

#[test]
fn draws_by_rule_are_seen() -> Result<()> {
    let mut engine = Client::native()?;
    let score = |lines: &[String]| lines.iter().rev().find_map(|line| value(line, "cp")).map(str::to_owned);
    // Any queen move is the hundredth ply without progress.
    let lines = engine.go("position fen 8/8/4k3/8/8/3QK3/8/8 w - - 99 80", "go depth 4")?;
    assert_eq!(score(&lines).as_deref(), Some("0"));
    // Ahead by a queen, it does not let the position come a third time.
    let repeating = "position fen 6k1/8/8/8/8/8/5Q2/6K1 w - - 0 1 moves f2f3 g8g7 f3f2 g7g8 f2f3 g8g7 f3f2 g7g8";
    let lines = engine.go(repeating, "go depth 8")?;
    assert_ne!(best_moves(&lines), ["f2f3"]);
    // Mate on the hundredth ply is still mate.
    let lines = engine.go("position fen k7/8/1K6/8/8/8/8/7R w - - 99 80", "go depth 4")?;
    assert_eq!(best_moves(&lines), ["h1h8"]);
    assert!(lines.iter().any(|line| line.contains("score mate 1 ")));
    Ok(())
}

#[test]
fn bad_lines_are_named_and_change_nothing() -> Result<()> {
    let mut engine = Client::native()?;
    engine.send("position startpos moves e2e4 c7c5")?;
    for (bad, complaint) in [
        ("position fen blah", "info string position fen: piece placement: 'l'"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "info string position fen: White must have one king"),
        ("position startpos moves d2d4 a1f8", "info string position: move 2 'a1f8' is not legal here"),
        ("position startpos moves d2d4 0000", "info string position: move 2 '0000' is not a move"),
        ("position", "info string position: "),
        ("setoption name Hash value abc", "info string Hash: a number from 1 to "),
        ("setoption name Hash value -1", "info string Hash: a number from 1 to "),
        ("setoption name Hash value 99999999999", "info string Hash: a number from 1 to "),
        ("setoption name No Such Option value 1", "info string setoption: there is no option 'No Such Option'"),
        ("setoption name Ponder value perhaps", "info string Ponder: 'true' or 'false' wanted"),
        ("setoption name EvalFile value /nowhere/net.bin", "info string EvalFile: "),
        ("setoption name PolicyFile value /nowhere/net.bin", "info string PolicyFile: '/nowhere/net.bin': "),
        ("setoption name Mode value Guess", "info string Mode: 'Search' or 'Policy' wanted, not 'Guess'"),
        ("setoption name BookFile value /nowhere/book.bin", "info string BookFile: '/nowhere/book.bin': "),
        ("setoption name MoveOrderFile value /nowhere/a.net", "info string MoveOrderFile: '/nowhere/a.net': "),
        (
            "setoption name MoveOrder value no",
            "info string MoveOrder: 'Seed', 'Quiet', 'All' or 'Root' wanted, not 'no'",
        ),
        ("xyzzy", "info string unknown command 'xyzzy'"),
    ] {
        let lines = engine.ask(bad, "info string")?;
        assert!(lines.last().is_some_and(|line| line.starts_with(complaint)), "{bad}: {lines:?}");
        let fen = "Fen: rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        assert_eq!(engine.ask("d", "Fen: ")?.last().map(String::as_str), Some(fen), "{bad}");
    }
    Ok(())
}

#[test]
fn chess960_castles_in_its_own_notation() -> Result<()> {
    let mut engine = Client::native()?;
    engine.send("setoption name UCI_Chess960 value true")?;
    let position = "position fen 4k3/8/8/8/8/8/8/R4K1R w AH - 0 1 moves f1h1";
    engine.send(position)?;
    assert_eq!(engine.ask("d", "Fen: ")?.last().map(String::as_str), Some("Fen: 4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"));
    let lines = engine.go("position fen 4k3/8/8/8/8/8/8/R4K1R w AH - 0 1", "go depth 1 searchmoves f1h1")?;
    assert_eq!(best_moves(&lines), ["f1h1"]);
    Ok(())
}

#[test]
fn the_line_may_end_anywhere_and_be_of_any_length() -> Result<()> {
    let shuffles = "g1f3 g8f6 f3g1 f6g8 ".repeat(5_000);
    let long = format!("position startpos moves {shuffles}e2e4\nd\n");
    assert!(long.len() > 100_000);
    let lines = conversation(long.as_bytes())?;
    assert!(lines.iter().any(|line| line.starts_with("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b")));
    let lines = conversation(b"uci\r\nisready\r\nposition startpos\rgo depth 1\rquit\n")?;
    assert_eq!((lines.iter().filter(|line| *line == "readyok").count(), best_moves(&lines).len()), (1, 1));
    Ok(())
}

#[test]
fn a_closed_line_is_the_end() -> Result<()> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let program = tests::program::program("knightlight")?;
    for (script, answers) in [("", 0), ("position startpos\ngo depth 3", 1), ("go infinite\n", 1), ("isready", 0)] {
        let mut engine = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        engine.stdin.take().context("standard input")?.write_all(script.as_bytes())?;
        let output = engine.wait_with_output()?;
        assert!(output.status.success());
        let said = String::from_utf8(output.stdout)?;
        assert_eq!(said.lines().filter(|line| line.starts_with("bestmove")).count(), answers, "{script:?}: {said}");
        assert_eq!(said.contains("readyok"), script == "isready");
    }
    Ok(())
}
