//! What a node of the search costs on the emulated Cortex-M4, taken apart.
//!
//! QEMU writes down every block of instructions that it runs; `llvm-symbolizer` says which function, inlined ones
//! included, each instruction is of. A shallower bench is taken off, and with it what starting costs.
//!
//! ```text
//! cd firmware/boards/qemu-mps2-an386 && cargo build --release --features measure
//! cargo run --release -p tests --bin node_cost -- PROGRAM [DEPTH [SHALLOWER]]
//! ```

use std::collections::{BTreeMap, HashMap};
use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, ensure};

/// How an emulated board counts: an instruction lasts 256 nanoseconds of its time.
const QEMU: &str = "-M mps2-an386 -icount shift=8,align=off,sleep=off -rtc clock=vm -nographic -monitor none -serial none \
                    -semihosting-config enable=on,target=native -d exec,nochain,in_asm";

/// A part of a node's work, and what tells it: how the source of a function's file ends, and what the function's name
/// holds. The first that fits counts; of functions that were inlined into one another the innermost that fits any.
const PARTS: [(&str, &str, &str); 18] = [
    ("output of the network", "net/value.rs", "output"),
    ("output of the network", "net/kernels/dsp.rs", "screlu"),
    ("output of the network", "net/layers.rs", ""),
    ("accumulator", "net/kernels/dsp.rs", ""),
    ("accumulator", "net/accumulator.rs", ""),
    ("accumulator", "net/features.rs", ""),
    ("accumulator", "net/value.rs", ""),
    ("exchanges", "search/see.rs", ""),
    ("picking", "search/picker.rs", ""),
    ("picking", "search/ordering.rs", ""),
    ("picking", "search/history.rs", ""),
    ("hash table", "search/table.rs", ""),
    ("make", "chess/make.rs", ""),
    ("make", "chess/changes.rs", ""),
    ("make", "chess/board.rs", "find_checks_and_pins"),
    ("move generation", "chess/movegen.rs", ""),
    ("move generation", "chess/attacks/", ""),
    ("search", "search/", ""),
];

/// Copies that the compiler makes are calls, of which nobody knows what for.
const COPYING: &str = "copying";
const REST: &str = "the rest";

fn main() -> Result<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let program = words.first().context("node_cost PROGRAM [DEPTH [SHALLOWER]]: which program?")?;
    let depth = |place: usize, default| words.get(place).map_or(Ok(default), |word| word.parse::<u32>());
    let (deep, shallow) = (depth(1, 4)?, depth(2, 1)?);
    ensure!(shallow < deep, "the shallower bench is not shallower");
    let (shallow, deep) = (Run::of(program, shallow)?, Run::of(program, deep)?);
    let nodes = (deep.nodes - shallow.nodes) as f64;

    let mut parts = BTreeMap::<&str, u64>::new();
    let mut all = 0;
    let addresses: Vec<u32> = deep.times.keys().copied().collect();
    for (address, part) in addresses.iter().zip(parts_of(program, &addresses)?) {
        let times = deep.times[address].saturating_sub(shallow.times.get(address).copied().unwrap_or(0));
        *parts.entry(part).or_default() += times;
        all += times;
    }
    let mut parts: Vec<_> = parts.into_iter().collect();
    parts.sort_by_key(|&(_, times)| std::cmp::Reverse(times));
    println!("| part of a node | instructions | share |\n| --- | --- | --- |");
    for (part, times) in parts.into_iter().chain([("all", all)]) {
        println!("| {part} | {:.0} | {:.1} % |", times as f64 / nodes, 100.0 * times as f64 / all as f64);
    }
    Ok(())
}

/// A bench that was run.
struct Run {
    nodes: u64,
    /// How often each instruction was.
    times: HashMap<u32, u64>,
}

impl Run {
    fn of(program: &str, depth: u32) -> Result<Self> {
        let mut emulator = Command::new("qemu-system-arm")
            .args(QEMU.split_ascii_whitespace())
            .args(["-append", &format!("bench {depth}"), "-kernel", program])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start qemu-system-arm")?;
        let times = executed(BufReader::new(emulator.stderr.take().context("no log")?))?;
        let mut said = String::new();
        emulator.stdout.take().context("no output")?.read_to_string(&mut said)?;
        ensure!(emulator.wait()?.success(), "the emulator failed: {said}");
        let nodes = said.lines().find_map(|line| line.strip_prefix("nodes ")?.parse().ok());
        Ok(Self { nodes: nodes.with_context(|| format!("no nodes: {said}"))?, times })
    }
}

/// Reads QEMU's log of the blocks that it translates, instruction by instruction, and of those that it runs.
fn executed(log: impl BufRead) -> Result<HashMap<u32, u64>> {
    // A block is known by its address and by flags: near a tick of the clock it is translated anew, to end sooner.
    let mut blocks = HashMap::<String, (Vec<u32>, u64)>::new();
    let mut translated = Vec::new();
    for line in log.lines() {
        let line = line?;
        if let Some(trace) = line.strip_prefix("Trace ") {
            // Trace 0: 0x7fd18c000bc0 [00800408/000000000000040a/00000110/ff022201] Reset
            let (_, rest) = trace.split_once('[').context("a block without an address")?;
            let (block, _) = rest.split_once(']').context("a block without an end")?;
            if translated.is_empty() {
                let known = blocks.get_mut(block);
                known.with_context(|| format!("a block that was not translated: {block}"))?.1 += 1;
            } else {
                let (instructions, often) = blocks.entry(block.to_owned()).or_default();
                *instructions = std::mem::take(&mut translated);
                *often += 1;
            }
        } else if line.starts_with("IN:") {
            translated.clear();
        } else if let Some((address, _)) = line.strip_prefix("0x").and_then(|line| line.split_once(':')) {
            translated.push(u32::from_str_radix(address, 16)?);
        }
    }
    let mut times = HashMap::new();
    for (block, often) in blocks.into_values() {
        for address in block {
            *times.entry(address).or_default() += often;
        }
    }
    Ok(times)
}

/// The part that each instruction belongs to.
fn parts_of(program: &str, addresses: &[u32]) -> Result<Vec<&'static str>> {
    let mut symbolizer = Command::new("llvm-symbolizer")
        .args(["--inlines", "--demangle", "--output-style=LLVM", "--obj", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start llvm-symbolizer")?;
    let mut questions = symbolizer.stdin.take().context("no input")?;
    let asked: String = addresses.iter().map(|address| format!("{address:#x}\n")).collect();
    let asking = thread::spawn(move || questions.write_all(asked.as_bytes()));
    let mut answers = String::new();
    symbolizer.stdout.take().context("no output")?.read_to_string(&mut answers)?;
    asking.join().expect("writing does not panic")?;
    ensure!(symbolizer.wait()?.success(), "llvm-symbolizer failed");
    let parts: Vec<_> = answers.trim_end().split("\n\n").map(part).collect();
    ensure!(parts.len() == addresses.len(), "llvm-symbolizer did not answer for every address");
    Ok(parts)
}

/// The part that an answer names: functions and their places in turn, the innermost first.
fn part(answer: &str) -> &'static str {
    let lines: Vec<&str> = answer.lines().collect();
    let mut functions = lines.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    let found = functions.find_map(|(name, place)| {
        PARTS.iter().find(|(_, file, function)| place.contains(file) && name.contains(function)).map(|part| part.0)
    });
    let copies = lines.first().is_some_and(|name| name.contains("mem"));
    found.unwrap_or(if copies { COPYING } else { REST })
}
