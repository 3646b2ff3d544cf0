//! Runs the program and reads what it says.
#![allow(dead_code, reason = "each test program takes what it needs")]

use std::{
    path::Path,
    process::{Command, Output},
};

/// The folder of the scripted engines.
#[allow(dead_code, reason = "only what plays needs engines")]
pub(crate) const FAKES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes");

/// The program with some arguments, in a folder of its own.
pub(crate) fn trainer(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trainer"));
    command.current_dir(dir).args(arguments).env_remove("RUST_LOG");
    command
}

/// What the program printed, checked for its exit status.
pub(crate) fn finish(output: &Output, status: i32) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "out:\n{out}\nerr:\n{err}");
    (out, err)
}

/// Fails unless every part is in the text.
pub(crate) fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}
