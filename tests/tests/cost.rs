//! What things cost on the emulated Cortex-M4, held to what they cost before; and what a stack that is too small comes to.
//!
//! Needs QEMU, and the folder of the boards' builds in `KNIGHTLIGHT_BOARDS`; `sh tests/all` provides both.

use std::fs;

use anyhow::{Context, Result, ensure};
use tests::emulator::Emulator;

/// A work and its instructions a line; the compiler that it was measured with.
const BASELINE: &str = include_str!("../instructions.txt");

/// So many hundredths more than before are too many. Other compilers than the one that was measured with give other code.
const SAME_COMPILER: u64 = 2;
const OTHER_COMPILER: u64 = 10;

/// What a program prints that counts its work on a board.
fn said(board: &str, work: &str) -> Result<String> {
    let output = Emulator::of(board)?.measuring(work)?.command("stdio").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

/// Whether a program says that this compiler made it.
fn is_made_by(board: &str, compiler: &str) -> Result<bool> {
    let emulator = Emulator::of(board)?.measuring("")?;
    let program = fs::read(emulator.program())?;
    Ok(program.windows(compiler.len()).any(|window| window == compiler.as_bytes()))
}

#[test]
fn nothing_costs_more_instructions_than_before() -> Result<()> {
    let board = "qemu-mps2-an386";
    let (compiler, works) = BASELINE.split_once('\n').context("an empty baseline")?;
    let tolerance = if is_made_by(board, compiler)? { SAME_COMPILER } else { OTHER_COMPILER };
    let mut dearer = Vec::new();
    for line in works.lines() {
        let (work, before) = line.rsplit_once(' ').with_context(|| line.to_owned())?;
        let before: u64 = before.parse().with_context(|| line.to_owned())?;
        let said = said(board, work)?;
        let now = said.lines().find_map(|line| line.strip_prefix("instructions ")?.parse::<u64>().ok());
        let now = now.with_context(|| format!("{work}: {said}"))?;
        println!("{work} {now} ({:+.2} %)", (now as f64 / before as f64 - 1.0) * 100.0);
        if now * 100 > before * (100 + tolerance) {
            dearer.push(format!("{work}: {before} instructions before, {now} now"));
        }
    }
    ensure!(
        dearer.is_empty(),
        "dearer than tests/instructions.txt by more than {tolerance} %; if it must be, write there what it costs now: {dearer:#?}"
    );
    Ok(())
}

#[test]
fn a_stack_that_is_too_small_faults() -> Result<()> {
    let said = said("qemu-netduinoplus2", "overflow")?;
    ensure!(said.contains("info string panic: stack overflow"), "{said}");
    Ok(())
}
