//! What the compiler says about the likeliest mistakes of an author.

use std::process::Command;

/// Compilers word their part of the messages differently; the expectations are those of this one.
const COMPILER: &str = "rustc 1.95.";

/// Compiles each file and compares with the messages beside it. To accept new
/// messages, run with `TRYBUILD=overwrite`.
#[test]
fn the_compiler_names_the_mistake() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(COMPILER) {
        eprintln!("SKIPPED: the expected messages are those of {COMPILER}x, not of {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
