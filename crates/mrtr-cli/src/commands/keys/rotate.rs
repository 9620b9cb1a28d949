//! `mrtr keys rotate`

use std::time::{SystemTime, UNIX_EPOCH};

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
    keys.add(&new, &format!("made {}", date(today())))
        .map_err(Failure::usage)?;
    if args.add {
        return Ok(());
    }
    keys.seal_with(new.id()).map_err(Failure::usage)
}

/// The day, counted from 1970-01-01.
fn today() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    since.as_secs() / (24 * 60 * 60)
}

/// As `2026-07-28`, in UTC.
fn date(mut day: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", day + 1)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn a_day_is_written_as_a_date() {
        for (day, written) in [
            (0, "1970-01-01"),
            (364, "1970-12-31"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (20_662, "2026-07-28"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(day), written);
        }
    }
}
