//! Help, completions and manual pages.

mod support;

use support::{run, stderr, stdout};

const COMMANDS: [&str; 8] = [
    "demo",
    "serve",
    "call",
    "resume",
    "list",
    "keys",
    "completions",
    "man",
];

#[test]
fn help_names_every_command_and_every_exit_code() {
    let output = run(&["--help"]);
    assert!(output.status.success());
    let text = stdout(&output);
    for command in COMMANDS {
        assert!(
            text.contains(&format!("\n  {command} ")),
            "{command}: {text}"
        );
    }
    for code in ["0", "1", "2", "3", "4", "5", "6", "130"] {
        assert!(
            text.contains(&format!("\n  {code:<5}")),
            "exit code {code}: {text}"
        );
    }
}

#[test]
fn help_of_commands_has_examples() {
    for command in [
        "serve",
        "call",
        "resume",
        "list",
        "keys",
        "completions",
        "man",
    ] {
        let output = run(&[command, "--help"]);
        assert!(output.status.success());
        let text = stdout(&output);
        let (_, examples) = text.split_once("Examples:\n").expect(command);
        assert!(examples.contains(&format!("mrtr {command}")), "{examples}");
    }
}

#[test]
fn a_wrong_command_line_is_exit_code_2_and_said_on_stderr() {
    for wrong in [
        &["no-such"][..],
        &["serve", "--http", "nonsense"],
        &["keys"],
        &[],
    ] {
        let output = run(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert_eq!(stdout(&output), "", "{wrong:?}");
        assert_ne!(stderr(&output), "", "{wrong:?}");
    }
}

#[test]
fn completions_of_every_shell_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(&["completions", shell]);
        assert!(output.status.success(), "{shell}");
        let script = stdout(&output);
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    assert_eq!(run(&["completions", "tcsh"]).status.code(), Some(2));
}

#[test]
fn manual_pages_are_roff() {
    let page = stdout(&run(&["man"]));
    assert!(page.contains(".TH mrtr 1"), "{page}");
    assert!(page.contains("Exit codes:"), "{page}");
    let page = stdout(&run(&["man", "keys", "show"]));
    assert!(page.contains(".TH mrtr-keys-show 1"), "{page}");
    let output = run(&["man", "no-such"]);
    assert_eq!(output.status.code(), Some(2));
}
