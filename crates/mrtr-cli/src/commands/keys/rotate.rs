//! `mrtr keys rotate`

use std::time::{SystemTime, UNIX_EPOCH};

use mrtr::Timestamp;
use mrtr::state::{KeyText, Secret};

use super::file::KeyFile;
use super::print;
use crate::cli::keys::RotateArgs;
use crate::exit::Failure;
use crate::out::Out;

pub(super) fn run(args: RotateArgs, out: &Out) -> Result<(), Failure> {
    let at = |error: Failure| error.context(args.file.display());
    let file = KeyFile::lock(&args.file).map_err(|error| at(Failure::local(error)))?;
    let text = file.read().map_err(|error| at(Failure::local(error)))?;
    let mut keys = KeyText::parse(&text).map_err(|error| at(Failure::local(error)))?;
    change(&mut keys, &args).map_err(at)?;
    file.replace(&keys.to_text())
        .map_err(|error| at(Failure::local(error)))?;
    print(keys.key_ids(), out);
    Ok(())
}

fn change(keys: &mut KeyText, args: &RotateArgs) -> Result<(), Failure> {
    if let Some(id) = args.seal {
        return keys.seal_with(id).map_err(Failure::usage);
    }
    for id in &args.drop {
        keys.remove(*id).map_err(Failure::usage)?;
    }
    if !args.drop.is_empty() {
        return Ok(());
    }
    let new = Secret::generate(rand::random());
    keys.add(&new, &format!("made {}", now()))
        .map_err(Failure::usage)?;
    if args.add {
        return Ok(());
    }
    keys.seal_with(new.id()).map_err(Failure::usage)
}

fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_secs(since.as_secs())
}
