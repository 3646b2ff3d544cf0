//! Puts the memory map where the linker looks for it, and finds the opening book.

use std::{env, fs, path::PathBuf};

/// Names the book to build in; a path from this folder.
const BOOK: &str = "KNIGHTLIGHT_BOOK";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("memory.x"), include_str!("memory.x")).expect("OUT_DIR is writable");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={BOOK}");
    let book = env::var_os(BOOK).map_or_else(|| PathBuf::from("../openings.bin"), PathBuf::from);
    if env::var_os("CARGO_FEATURE_BOOK").is_some() {
        let path = fs::canonicalize(&book).unwrap_or_else(|error| panic!("{BOOK}: {}: {error}", book.display()));
        println!("cargo:rustc-env={BOOK}={}", path.display());
    }
}
