//! The programs of the workspace, built for the tests that run them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The path of a program, which is built in the profile of the running test if need be.
///
/// # Errors
/// If it does not build.
pub fn program(name: &str) -> Result<PathBuf> {
    // The test runs in target/PROFILE/deps.
    let test = std::env::current_exe()?;
    let profile = test.parent().and_then(Path::parent).context("tests run in target/PROFILE/deps")?;
    let target = profile.parent().context("tests run in target/PROFILE/deps")?;
    let mut cargo = Command::new(env!("CARGO"));
    // The whole workspace is named, so that its crates are built with the features that the tests have them with, and
    // are not built twice.
    cargo.args(["build", "--quiet", "--workspace", "--features", "firmware/bridge", "--bin", name, "--target-dir"]);
    cargo.arg(target);
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().context("cannot run cargo")?;
    ensure!(status.success(), "{name} did not build: {status}");
    Ok(profile.join(name))
}
