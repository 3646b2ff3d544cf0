//! Who calls whom in a board's program, and how much stack each function takes, read out of its machine code.
//!
//! The compiler's own list of stack sizes needs a nightly compiler, and has nothing on functions in assembly or in
//! ready-made libraries. The code itself has all of it: every change of the stack pointer stands there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use rustc_demangle::demangle;

/// A function of a program.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Its path, without hashes.
    pub name: String,
    /// The most bytes of stack that it takes itself.
    pub frame: u32,
    /// The addresses of the functions that it calls by name.
    pub calls: BTreeSet<u32>,
    /// Whether it also calls what a register points to.
    pub calls_pointers: bool,
}

/// The functions of an Arm program, by address.
#[derive(Clone, Debug)]
pub struct CallGraph {
    /// The functions.
    pub functions: BTreeMap<u32, Function>,
    /// What the processor calls: the start first, then the handlers of exceptions and interrupts.
    pub entries: Vec<u32>,
    /// The bytes that the linker has kept for the stack.
    pub reserve: u32,
}

impl CallGraph {
    /// Reads a program with LLVM's `llvm-objdump`.
    ///
    /// # Errors
    /// If that cannot be run, or a function moves the stack pointer in a way that is not known here.
    pub fn read(program: &Path) -> Result<Self> {
        let symbols = objdump(program, &["--syms"])?;
        let address = |name| {
            let line = symbols.lines().find(|line| line.split_ascii_whitespace().last() == Some(name));
            line.and_then(|line| hexadecimal(line.split(' ').next()?)).with_context(|| format!("no symbol {name}"))
        };
        let reserve = address("_stack_start")? - address("_stack_end")?;
        let code = objdump(program, &["--disassemble", "--no-show-raw-insn"])?;
        let functions = functions(&code)?;
        let vectors = objdump(program, &["--full-contents", "--section=.vector_table"])?;
        let entries: Vec<u32> = words(&vectors).skip(1).map(|word| word & !1).collect();
        ensure!(entries.first().is_some_and(|start| functions.contains_key(start)), "no vector of the start");
        let entries = entries.into_iter().filter(|entry| functions.contains_key(entry)).collect();
        Ok(Self { functions, entries, reserve })
    }
}

fn objdump(program: &Path, arguments: &[&str]) -> Result<String> {
    let output =
        Command::new("llvm-objdump").args(arguments).arg(program).output().context("cannot run llvm-objdump")?;
    ensure!(output.status.success(), "llvm-objdump: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

fn hexadecimal(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok()
}

/// The words of a hexadecimal dump: lines of an address, four words and the same as text.
fn words(dump: &str) -> impl Iterator<Item = u32> {
    let lines = dump.lines().filter(|line| line.starts_with(' '));
    lines.flat_map(|line| line.split_ascii_whitespace().skip(1).take(4)).filter_map(hexadecimal).map(u32::swap_bytes)
}

/// The functions of a disassembly.
fn functions(code: &str) -> Result<BTreeMap<u32, Function>> {
    let mut functions = BTreeMap::<u32, Function>::new();
    for line in code.lines() {
        let Some((address, name)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) else { continue };
        // Marks of where code and data begin are no functions.
        if !name.starts_with('$') {
            let address = hexadecimal(address).with_context(|| line.to_owned())?;
            functions.insert(address, Function { name: format!("{:#}", demangle(name)), ..Function::default() });
        }
    }
    let starts: BTreeSet<u32> = functions.keys().copied().collect();
    let constants = constants(code);
    let mut before = "";
    for (address, text) in lines(code).filter(|(_, text)| !text.contains("\t.")) {
        let Some((&start, function)) = functions.range_mut(..=address).next_back() else { continue };
        let (mnemonic, operands) = text.split_once('\t').unwrap_or((text, ""));
        let taken = growth(mnemonic, operands, before, &constants);
        function.frame += taken.with_context(|| format!("{}: {address:x}: {text}", function.name))?;
        if matches!(mnemonic, "blx" | "bx") && operands.starts_with('r') {
            function.calls_pointers = true;
        } else if mnemonic.starts_with('b') || mnemonic.starts_with("cb") {
            let target = operands.split([',', ' ']).find_map(|word| hexadecimal(word.strip_prefix("0x")?));
            let target = target.and_then(|target| starts.range(..=target).next_back());
            // A jump within the function is none.
            function.calls.extend(target.filter(|&&target| target != start || mnemonic == "bl"));
        }
        before = text;
    }
    Ok(functions)
}

/// The lines of code and of data, with their addresses.
fn lines(code: &str) -> impl Iterator<Item = (u32, &str)> {
    code.lines().filter_map(|line| {
        let (address, text) = line.split_once(':')?;
        Some((hexadecimal(address.trim_start())?, text.trim()))
    })
}

/// The words among the code.
fn constants(code: &str) -> BTreeMap<u32, u32> {
    let word = |(address, text): (u32, &str)| Some((address, hexadecimal(text.split_once("\t.word\t0x")?.1)?));
    lines(code).filter_map(word).collect()
}

/// How many bytes an instruction makes the stack grow, which follows another.
fn growth(mnemonic: &str, operands: &str, before: &str, constants: &BTreeMap<u32, u32>) -> Result<u32> {
    let immediate = || {
        let number = operands.rsplit_once('#').map(|(_, number)| number.trim_start_matches('-').trim_end_matches("]!"));
        number.and_then(|number| number.parse::<u32>().ok()).context("no number")
    };
    let registers = || operands.split_once('{').map_or(0, |(_, list)| list.split(',').count() as u32);
    match mnemonic.trim_end_matches(".w") {
        "push" | "stmdb" if !operands.starts_with('r') => Ok(4 * registers()),
        "vpush" => Ok(if operands.starts_with("{s") { 4 } else { 8 } * registers()),
        store if store.starts_with("str") && operands.ends_with("]!") && operands.contains("[sp, ") => immediate(),
        "sub" | "subw" if operands.starts_with("sp, #") || operands.starts_with("sp, sp, #") => immediate(),
        // More than an instruction can hold: out of the constants behind the function.
        "add" if operands.starts_with("sp, r") => {
            let constant = before.split_once("0x").map(|(_, place)| place.split(' ').next().unwrap_or_default());
            let constant =
                constant.and_then(hexadecimal).and_then(|place| constants.get(&place)).context("no constant")?;
            Ok(constant.wrapping_neg())
        }
        // The stack pointer goes to a multiple of 2^n, at most so many bytes further down.
        "bfc" if operands.contains(", #0, #") => Ok((1 << immediate()?) - 8),
        // What is left of a frame is given back.
        "add" | "addw" if operands.starts_with("sp, ") => Ok(0),
        "mov" | "sub" if operands.starts_with("sp, r") => Ok(0),
        // Those only use it.
        use_ if ["stm", "ldm", "vstm", "vldm", "cmp"].iter().any(|uses| use_.starts_with(uses)) => Ok(0),
        _ if operands.starts_with("sp,") => bail!("the stack pointer moves in a way unknown here"),
        _ => Ok(0),
    }
}
