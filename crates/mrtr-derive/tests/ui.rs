//! What an author sees whose form is wrong.

use std::process::Command;

/// Compilers word their part of the messages differently; the expectations are those of this one.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn mistakes_are_reported_at_the_field_with_what_to_do() {
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
