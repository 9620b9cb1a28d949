//! `mrtr resume`

use std::path::Path;

use mrtr::client::{ClientError, IfSent, Pending, SaveError, saved_call};

use super::call::{Kind, finish};
use crate::answers::Given;
use crate::cli::resume::ResumeArgs;
use crate::connect::{self, Reach};
use crate::drive::Driver;
use crate::exit::{Exit, Failure};
use crate::faults;
use crate::out::Out;
use crate::show::status::Status;
use crate::show::{Screen, name};

pub(crate) async fn run(args: ResumeArgs, out: &Out) -> Result<Exit, Failure> {
    let file = args.file.as_path();
    let pending = saved_call(file).map_err(unusable)?;
    let reach = reach(&args, &pending)?;
    let kind = match pending.method() {
        "tools/call" => Kind::Tool,
        "prompts/get" => Kind::Prompt,
        _ => Kind::Resource,
    };
    let given = Given::read(&args.answers)?;
    let status = Status::new();
    let client = connect::client(&reach, &args.connect, out, &status)?;
    out.note(format_args!(
        "Going on with a call of {}",
        name(client.target())
    ));
    let mut driver = Driver {
        screen: Screen::new(out),
        status,
        client: &client,
        given,
        save: Some(file),
        refused: false,
    };
    let if_sent = if args.send_again {
        IfSent::SendAgain
    } else {
        IfSent::Refuse
    };
    let outcome = async {
        let call = client.resume(file, if_sent).await;
        let call = call.map_err(|error| faults::failure(&error, Some(file)))?;
        driver.drive(call).await
    }
    .await;
    client.close().await;
    finish(kind, &outcome?, &client, out)
}

fn unusable(error: SaveError) -> Failure {
    faults::failure(&ClientError::Save(error), None)
}

/// The server that the file names. Whoever can write the file decides what is started here, or where
/// answers and credentials go: so only a file that is the person's alone decides that.
fn reach(args: &ResumeArgs, pending: &Pending) -> Result<Reach, Failure> {
    if let Some(command) = &args.connect.command {
        return Reach::command(command);
    }
    if let Some(url) = &args.server {
        return Ok(Reach::Url(url.clone()));
    }
    let target = &pending.peer().target;
    if !is_private(&args.file) {
        let option = if target.url().is_some() {
            "--server URL"
        } else {
            "--command"
        };
        return Err(Failure::usage(format_args!(
            "{} is not yours alone, so others may have changed it. It names {}: if that is right, say so \
             with {option}",
            args.file.display(),
            name(target)
        )));
    }
    Ok(match (target.url(), target.words()) {
        (Some(url), _) => Reach::Url(url.to_owned()),
        (None, words) => Reach::Command(words.unwrap_or_default().to_vec()),
    })
}

#[cfg(unix)]
fn is_private(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let me = rustix::process::geteuid().as_raw();
    std::fs::metadata(file).is_ok_and(|file| file.uid() == me && file.mode() & 0o022 == 0)
}

/// Elsewhere a new file belongs to the person's own folder, and is trusted like one.
#[cfg(not(unix))]
fn is_private(_file: &Path) -> bool {
    true
}
