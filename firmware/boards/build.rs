//! What every board here is built with: its memory map, put where the linker looks for it, and its opening book.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Names the book to build in; a path from the board's folder.
const BOOK: &str = "KNIGHTLIGHT_BOOK";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    copy(Path::new("memory.x"), &out);
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=../build.rs");
    println!("cargo:rerun-if-env-changed={BOOK}");
    if env::var_os("CARGO_FEATURE_BOOK").is_some() {
        let book = env::var_os(BOOK).map_or_else(|| PathBuf::from("../openings.bin"), PathBuf::from);
        let book = fs::canonicalize(&book).unwrap_or_else(|error| panic!("{BOOK}: {}: {error}", book.display()));
        println!("cargo:rustc-env={BOOK}={}", book.display());
    }
}

fn copy(from: &Path, folder: &Path) {
    println!("cargo:rerun-if-changed={}", from.display());
    fs::copy(from, folder.join(from)).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
}
