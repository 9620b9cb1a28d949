//! `mrtr keys`

mod file;
mod rotate;

use std::env;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use mrtr::state::{KeyId, Keyring, Secret};
use serde::Serialize;

use crate::cli::keys::{KeysArgs, KeysCommand};
use crate::exit::{Exit, Failure};
use crate::out::Out;

const VARIABLE: &str = "MRTR_KEYS";
/// Far more than any keyring needs.
const MOST_BYTES: u64 = 1024 * 1024;

pub(crate) fn run(args: KeysArgs, out: &Out) -> Result<Exit, Failure> {
    match args.command {
        KeysCommand::New => new(out),
        KeysCommand::Show(args) => show(args.file.as_deref(), out)?,
        KeysCommand::Rotate(args) => rotate::run(args, out)?,
    }
    Ok(Exit::Done)
}

fn new(out: &Out) {
    #[derive(Serialize)]
    struct New {
        id: String,
        key: String,
    }
    let secret = Secret::generate(rand::random());
    if out.is_json() {
        out.document(&New {
            id: secret.id().to_string(),
            key: secret.expose(),
        });
    } else {
        out.line(secret.expose());
    }
}

fn show(file: Option<&Path>, out: &Out) -> Result<(), Failure> {
    let keyring = read(file)?.ok_or_else(|| {
        Failure::usage(format!(
            "no keys given: name a file of keys, or set {VARIABLE}"
        ))
    })?;
    print(keyring.key_ids(), out);
    Ok(())
}

/// Prints which keys there are; the first one seals.
fn print(ids: impl Iterator<Item = KeyId>, out: &Out) {
    #[derive(Serialize)]
    struct Shown {
        id: String,
        seals: bool,
    }
    let shown = ids.enumerate().map(|(place, id)| Shown {
        id: id.to_string(),
        seals: place == 0,
    });
    if out.is_json() {
        out.document(&shown.collect::<Vec<_>>());
        return;
    }
    for Shown { id, seals } in shown {
        out.line(format_args!(
            "{id}  {}",
            if seals { "seals and opens" } else { "opens" }
        ));
    }
}

/// The keys in `file`, else those of the environment, if there are any.
pub(crate) fn read(file: Option<&Path>) -> Result<Option<Keyring>, Failure> {
    let (from, text) = match file {
        Some(path) => (path.display().to_string(), text(path)?),
        None => match env::var(VARIABLE) {
            Ok(text) => (VARIABLE.to_owned(), text),
            Err(env::VarError::NotPresent) => return Ok(None),
            Err(error) => return Err(Failure::local(error).context(VARIABLE)),
        },
    };
    let keyring = Keyring::parse(&text).map_err(|error| Failure::local(error).context(from))?;
    Ok(Some(keyring))
}

fn text(path: &Path) -> Result<String, Failure> {
    let read = || {
        let mut text = String::new();
        if path == Path::new("-") {
            io::stdin().take(MOST_BYTES).read_to_string(&mut text)?;
        } else {
            fs::File::open(path)?
                .take(MOST_BYTES)
                .read_to_string(&mut text)?;
        }
        Ok::<_, io::Error>(text)
    };
    read().map_err(|error| Failure::local(error).context(format!("cannot read {}", path.display())))
}
