//! What the table of requirements names must exist.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

#[test]
fn every_file_and_function_in_the_table_of_requirements_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let table = fs::read_to_string(crates.join("../docs/requirements.md")).unwrap();
    let named = table
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| code.contains(".rs"));
    let named: HashSet<&str> = named.collect();
    assert!(named.len() > 50, "the table is read: {}", named.len());
    let missing = named.into_iter().filter(|code| {
        let (file, item) = code.split_once("::").unwrap_or((code, ""));
        let text = fs::read_to_string(crates.join(file)).unwrap_or_default();
        let is_there = ["fn ", "struct ", "enum ", "trait "].iter().any(|kind| {
            let definition = format!("{kind}{item}");
            text.match_indices(&definition).any(|(at, _)| {
                let next = text[at + definition.len()..].chars().next();
                !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
            })
        });
        text.is_empty() || !(item.is_empty() || is_there)
    });
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
}
