//! The most stack that a board's program can ever take, whatever it is told to do.
//!
//! It is the dearest path through the [call graph](CallGraph). What calls itself is bounded by what the engine promises:
//! no line is longer than `MAX_PLY`.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use anyhow::{Context, Result, bail, ensure};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use crate::call_graph::CallGraph;

/// What a processor with floating point puts on the stack when an interrupt comes, and the word that aligns it (Armv7-M
/// Architecture Reference Manual, B1.5.7).
const EXCEPTION_FRAME: u32 = 104 + 4;

/// In the names of all that makes text of values, and calls one another by pointers.
const TEXT: &str = "core::fmt::";

/// How many positions of a perft are counted at once: the deepest that UCI takes, and the one that it begins with.
const PERFT_POSITIONS: u32 = 20 + 1;

/// The most passes in a line. Each takes three plies and a quarter of the depth that is left, and no move gives any back.
fn passes(plies: u32) -> u32 {
    let after = |depth: &u32| depth.checked_sub(3 + depth / 4).filter(|&left| left > 0);
    iter::successors(Some(plies), after).count() as u32
}

/// A program's bound, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct StackBound {
    /// The nodes of the longest line of a search.
    pub line: u32,
    /// Whatever else there is below and above them.
    pub around: u32,
    /// The dearest interrupt. All have one priority, so that there is one at a time.
    pub interrupt: u32,
}

impl StackBound {
    /// The sum.
    #[must_use]
    pub const fn total(self) -> u32 {
        self.line + self.around + self.interrupt
    }

    /// The bound of a program whose lines are that long.
    ///
    /// # Errors
    /// If something calls itself, or what a pointer says, that is not known here.
    pub fn of(program: &CallGraph, plies: u32) -> Result<Self> {
        let calls = calls(program)?;
        let mut line = 0;
        let mut deepest = BTreeMap::<u32, u32>::new();
        // Those that are called come first.
        for group in tarjan_scc(&calls) {
            let frames = |wanted: fn(&str) -> bool| -> u32 {
                let functions = group.iter().map(|address| &program.functions[address]);
                functions.filter(|function| wanted(&function.name)).map(|function| function.frame).sum()
            };
            let own = match Recursion::of(program, &calls, &group)? {
                Recursion::Perft => PERFT_POSITIONS * frames(|_| true),
                Recursion::Search => {
                    // One node more verifies a pass.
                    line = (plies + 1) * frames(|name| !is_pass(name)) + passes(plies) * frames(is_pass);
                    line
                }
                Recursion::None | Recursion::Quiescence | Recursion::Text => frames(|_| true),
            };
            let group: BTreeSet<u32> = group.into_iter().collect();
            let called = group.iter().flat_map(|&one| calls.neighbors(one)).filter(|one| !group.contains(one));
            let above = called.map(|one| deepest[&one]).max().unwrap_or(0);
            deepest.extend(group.iter().map(|&one| (one, own + above)));
        }
        let (start, handlers) = program.entries.split_first().context("a program without a start")?;
        let around = deepest[start].checked_sub(line).context("the search is not what takes most")?;
        let interrupt = EXCEPTION_FRAME + handlers.iter().map(|handler| deepest[handler]).max().unwrap_or(0);
        Ok(Self { line, around, interrupt })
    }
}

fn is_pass(name: &str) -> bool {
    name.ends_with("::null_move")
}

/// Who calls whom, through pointers too.
fn calls(program: &CallGraph) -> Result<DiGraphMap<u32, ()>> {
    let mut calls = DiGraphMap::new();
    for (&address, function) in &program.functions {
        calls.add_node(address);
        for &called in &function.calls {
            calls.add_edge(address, called, ());
        }
        if function.calls_pointers {
            // A handler of an interrupt wakes who waits, which is nobody: the engine looks by itself.
            if program.entries.contains(&address) {
                continue;
            }
            ensure!(function.name.contains(TEXT), "what does {} call?", function.name);
            for (&called, _) in program.functions.iter().filter(|(_, called)| called.name.contains(TEXT)) {
                calls.add_edge(address, called, ());
            }
        }
    }
    Ok(calls)
}

/// How functions call themselves, or one another in a circle.
#[derive(Clone, Copy, Debug)]
enum Recursion {
    None,
    /// A node a ply.
    Search,
    /// A node a ply of the same line, in a smaller frame.
    Quiescence,
    Perft,
    /// A text within a text, a panic within that: each function once.
    Text,
}

impl Recursion {
    fn of(program: &CallGraph, calls: &DiGraphMap<u32, ()>, group: &[u32]) -> Result<Self> {
        let names: Vec<&str> = group.iter().map(|address| program.functions[address].name.as_str()).collect();
        let some = |wanted: fn(&str) -> bool| names.iter().any(|name| wanted(name));
        Ok(match group {
            &[one] if !calls.contains_edge(one, one) => Self::None,
            _ if some(|name| name.ends_with("::search")) => Self::Search,
            _ if some(|name| name.ends_with("::quiesce")) => Self::Quiescence,
            _ if some(|name| name.contains("::perft")) => Self::Perft,
            _ if some(|name| name == "core::fmt::write") => Self::Text,
            _ => bail!("how deep do these call themselves? {names:?}"),
        })
    }
}
