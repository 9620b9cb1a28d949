//! What the documents at the root of the repository say of it is so: links lead somewhere, and tests
//! they name exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below `folder` with this extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a text file")
}

fn documents() -> Vec<PathBuf> {
    let root = root();
    let at_root = fs::read_dir(&root).expect("a folder").flatten();
    let mut found: Vec<_> = at_root
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|own| own == "md"))
        .collect();
    found.extend(files(&root.join("docs"), "md"));
    found
}

/// The targets of `[text](target)` outside of code.
fn links(text: &str) -> Vec<&str> {
    let mut prose = true;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            prose = !prose;
        }
        if prose {
            let ends = line.split("](").skip(1);
            found.extend(ends.filter_map(|rest| rest.split(')').next()));
        }
    }
    found
}

/// A heading as GitHub makes an anchor of it.
fn anchor(heading: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let dashed = heading.trim().to_lowercase().replace(' ', "-");
    dashed.chars().filter(|c| kept(*c)).collect()
}

fn has_anchor(document: &Path, wanted: &str) -> bool {
    let text = read(document);
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    headings.any(|line| anchor(line.trim_start_matches('#')) == wanted)
}

#[test]
fn relative_links_lead_somewhere() {
    for document in documents() {
        let text = read(&document);
        for link in links(&text) {
            if link.contains("://") {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => document.clone(),
                file => document.parent().expect("a folder").join(file),
            };
            assert!(target.exists(), "{}: {link}", document.display());
            if !fragment.is_empty() {
                let found = has_anchor(&target, fragment);
                assert!(found, "{}: no heading {link}", document.display());
            }
        }
    }
}

#[test]
fn tests_named_in_the_security_document_exist() {
    let root = root();
    let mut functions = BTreeSet::new();
    for file in files(&root.join("crates"), "rs") {
        for rest in read(&file).split("fn ").skip(1) {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            functions.insert(rest.split(|c| !is_name(c)).next().unwrap_or("").to_owned());
        }
    }
    let text = read(&root.join("SECURITY.md"));
    let mut named = 0;
    for paragraph in text.split("\n\n").filter(|text| text.starts_with("Tests:")) {
        for name in paragraph.split('`').skip(1).step_by(2) {
            assert!(functions.contains(name), "there is no test `{name}`");
            named += 1;
        }
    }
    assert!(named > 100, "only {named} tests were found");
}

#[test]
fn every_file_and_function_in_the_table_of_requirements_exists() {
    let crates = root().join("crates");
    let table = read(&root().join("docs/requirements.md"));
    let named = table
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| code.contains(".rs"));
    let named: BTreeSet<&str> = named.collect();
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

#[test]
fn every_case_has_a_test_named_after_it_and_every_such_test_a_case() {
    let is_case = |part: &str| {
        let (letter, number) = part.split_at(part.len().min(1));
        matches!(letter, "a" | "b" | "c" | "d" | "e" | "f" | "g")
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && !matches!(part, "f32" | "f64")
    };
    let mut tested = BTreeSet::new();
    for file in files(&root().join("crates"), "rs") {
        for rest in read(&file).split("fn ").skip(1) {
            let name = rest.split('(').next().unwrap_or("");
            tested.extend(
                name.split('_')
                    .filter(|part| is_case(part))
                    .map(str::to_uppercase),
            );
        }
    }
    let table = read(&root().join("docs/cases.md"));
    let cells = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(' ').next());
    let listed = cells
        .filter(|cell| is_case(&cell.to_lowercase()))
        .map(str::to_owned);
    assert_eq!(listed.collect::<BTreeSet<_>>(), tested);
}
