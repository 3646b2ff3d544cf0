//! What the linker script of a board that is short of memory keeps for the stack is enough, whatever it is told to do.
//!
//! Needs llvm-objdump, and the folder of the boards' builds in `KNIGHTLIGHT_BOARDS`; `sh tests/all` provides both.

use anyhow::{Context, Result};
use engine_core::{MAX_PLY_LARGE, MAX_PLY_MEDIUM, MAX_PLY_SMALL};
use tests::call_graph::CallGraph;
use tests::emulator::{program, text};
use tests::stack_bound::StackBound;

/// The boards that are short of memory. The others' code is not read yet: what their HALs call through pointers is not known
/// here, and at the highest level of optimisation data among the code is taken for code.
const BOARDS: [&str; 2] = ["nucleo-f446re", "qemu-lm3s6965evb"];

/// `engine_core::MAX_PLY` as a board has it, by the feature that its package names.
fn plies(board: &str) -> Result<u32> {
    let manifest = text(board, "Cargo.toml")?;
    let has = |feature| manifest.contains(feature);
    let plies = if has("\"small-memory\"") {
        MAX_PLY_SMALL
    } else if has("\"medium-memory\"") {
        MAX_PLY_MEDIUM
    } else {
        MAX_PLY_LARGE
    };
    Ok(u32::try_from(plies)?)
}

#[test]
fn no_program_takes_more_stack_than_there_is() -> Result<()> {
    println!("| board | plies | their nodes | around them | an interrupt | in all | of |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut too_small = Vec::new();
    for board in BOARDS {
        let plies = plies(board)?;
        let graph = CallGraph::read(&program(board)?).context(board)?;
        let bound = StackBound::of(&graph, plies).context(board)?;
        let (StackBound { line, around, interrupt }, total, reserve) = (bound, bound.total(), graph.reserve);
        println!("| {board} | {plies} | {line} | {around} | {interrupt} | {total} | {reserve} |");
        if total > reserve {
            too_small.push(format!("{board}: {} bytes of stack are missing", total - reserve));
        }
    }
    assert!(too_small.is_empty(), "{too_small:#?}");
    Ok(())
}
