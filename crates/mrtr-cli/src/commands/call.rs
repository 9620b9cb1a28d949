//! `mrtr call`

use std::path::Path;

use mrtr::client::{Call, CallOutcome, Client, saved_call};
use mrtr::wire::RawObject;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::answers::Given;
use crate::arguments::Arguments;
use crate::cli::call::CallArgs;
use crate::connect::{self, Reach};
use crate::drive::Driver;
use crate::exit::{Exit, Failure};
use crate::faults;
use crate::out::Out;
use crate::show::status::Status;
use crate::show::{Screen, result};

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tool,
    Prompt,
    Resource,
}

pub(crate) async fn run(args: CallArgs, out: &Out) -> Result<Exit, Failure> {
    let mut words = args.words.iter();
    let reach = match &args.connect.command {
        Some(command) => Reach::command(command)?,
        None => Reach::Url(words.next().cloned().unwrap_or_default()),
    };
    let name = words.next().ok_or_else(|| {
        Failure::usage("name what to call: a tool, a resource's URI, or a prompt with --prompt")
    })?;
    let kind = match (args.prompt, name.contains("://")) {
        (true, _) => Kind::Prompt,
        (false, true) => Kind::Resource,
        (false, false) => Kind::Tool,
    };
    let arguments = Arguments::read(words.as_slice(), args.input_json.as_deref())?;
    if kind == Kind::Resource && !arguments.is_empty() {
        return Err(Failure::usage(
            "a resource takes no arguments: they are in its URI",
        ));
    }
    if let Some(path) = &args.save {
        free(path)?;
    }
    let given = Given::read(&args.answers)?;
    let status = Status::new();
    let client = connect::client(&reach, &args.connect, out, &status)?;
    let mut driver = Driver {
        screen: Screen::new(out),
        status,
        client: &client,
        given,
        save: args.save.as_deref(),
        refused: false,
    };
    let outcome = async {
        let call = prepare(&client, kind, name, arguments).await?;
        driver.drive(call).await
    }
    .await;
    client.close().await;
    finish(kind, &outcome?, &client, out)
}

/// A file that is there is somebody's: a call is saved to a new one.
fn free(path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let name = path.display().to_string();
    let name = shell_words::quote(&name);
    Err(Failure::message(
        Exit::Local,
        match saved_call(path) {
            Ok(_) => format!(
                "{name} holds a saved call\nhint: `mrtr resume {name}` goes on with it; or choose another name"
            ),
            Err(_) => format!("{name} exists and is not a saved call\nhint: choose another name"),
        },
    ))
}

async fn prepare(
    client: &Client,
    kind: Kind,
    name: &str,
    arguments: Arguments,
) -> Result<Call, Failure> {
    let call = match kind {
        Kind::Resource => client.resource(name),
        Kind::Prompt => client.prompt(name, &some(arguments.for_prompt()?)),
        Kind::Tool => {
            let schema = match arguments.need_types() {
                true => input_schema(client, name).await?,
                false => None,
            };
            client.tool(name, &some(arguments.for_tool(schema.as_ref())?))
        }
    };
    call.map_err(|error| faults::failure(&error, None))
}

/// No arguments at all are left out.
fn some(arguments: RawObject) -> Option<RawObject> {
    Some(arguments).filter(|arguments| !arguments.is_empty())
}

/// A tool that is not listed may still exist; the server says so itself if it does not.
async fn input_schema(client: &Client, name: &str) -> Result<Option<RawObject>, Failure> {
    let tools = match client.list_tools().await {
        Ok(tools) => tools,
        Err(error) if faults::is_rejected(&error) => return Ok(None),
        Err(error) => return Err(faults::failure(&error, None)),
    };
    let tool = tools.into_iter().find(|tool| tool.name == name);
    Ok(tool.map(|tool| tool.input_schema))
}

/// Shows the result and says how the program ends.
pub(super) fn finish(
    kind: Kind,
    outcome: &CallOutcome,
    client: &Client,
    out: &Out,
) -> Result<Exit, Failure> {
    #[derive(Serialize)]
    struct Document<'a> {
        status: &'static str,
        exit: u8,
        server: String,
        result: &'a RawValue,
    }
    let unreadable = |error: serde_json::Error| {
        let message = format!("the server's result cannot be read: {error}");
        Failure::message(Exit::Server, message)
    };
    let raw = outcome.raw();
    let mut exit = Exit::Done;
    let text = match kind {
        Kind::Tool => {
            let tool = serde_json::from_str(raw.get()).map_err(unreadable)?;
            if mrtr::wire::CallToolResult::is_error(&tool) {
                exit = Exit::Refused;
            }
            result::tool(&tool)
        }
        Kind::Prompt => result::prompt(&serde_json::from_str(raw.get()).map_err(unreadable)?),
        Kind::Resource => result::resource(&serde_json::from_str(raw.get()).map_err(unreadable)?),
    };
    if out.is_json() {
        out.document(&Document {
            status: exit.name(),
            exit: exit as u8,
            server: client.target().to_string(),
            result: raw,
        });
    } else if !text.is_empty() {
        out.line(text);
    }
    if exit == Exit::Refused {
        out.note("The tool reports an error.");
    }
    Ok(exit)
}
