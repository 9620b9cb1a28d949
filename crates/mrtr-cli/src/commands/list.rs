//! `mrtr list`

use mrtr::client::{Client, ClientError};
use mrtr::wire::{Prompt, RawObject, Resource, ResourceTemplate, Tool};
use serde::Serialize;
use serde_json::Value;

use crate::cli::list::ListArgs;
use crate::connect::{self, Reach};
use crate::exit::{Exit, Failure};
use crate::faults;
use crate::out::Out;
use crate::show::status::Status;
use crate::show::{LABEL, clean, name};

/// How much of a description is shown.
const DESCRIPTION: usize = 400;

/// What a server offers.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Offer {
    status: &'static str,
    exit: u8,
    server: String,
    tools: Vec<Tool>,
    prompts: Vec<Prompt>,
    resources: Vec<Resource>,
    resource_templates: Vec<ResourceTemplate>,
}

pub(crate) async fn run(args: ListArgs, out: &Out) -> Result<Exit, Failure> {
    let reach = match (&args.connect.command, &args.server) {
        (Some(command), _) => Reach::command(command)?,
        (None, server) => Reach::Url(server.clone().unwrap_or_default()),
    };
    let client = connect::client(&reach, &args.connect, out, &Status::new())?;
    let offer = tokio::select! {
        offer = ask(&client) => offer.map_err(|error| faults::failure(&error, None)),
        Ok(()) = tokio::signal::ctrl_c() => {
            Err(Failure::message(Exit::Interrupted, "interrupted"))
        }
    };
    client.close().await;
    let offer = offer?;
    if out.is_json() {
        out.document(&offer);
    } else {
        offer.show(out, &name(client.target()));
    }
    Ok(Exit::Done)
}

async fn ask(client: &Client) -> Result<Offer, ClientError> {
    let has = client.discover().await?.capabilities;
    let mut offer = Offer {
        status: Exit::Done.name(),
        exit: Exit::Done as u8,
        server: client.target().to_string(),
        tools: Vec::new(),
        prompts: Vec::new(),
        resources: Vec::new(),
        resource_templates: Vec::new(),
    };
    if has.tools.is_some() {
        offer.tools = client.list_tools().await?;
    }
    if has.prompts.is_some() {
        offer.prompts = client.list_prompts().await?;
    }
    if has.resources.is_some() {
        offer.resources = client.list_resources().await?;
        offer.resource_templates = client.list_resource_templates().await?;
    }
    Ok(offer)
}

impl Offer {
    fn show(&self, out: &Out, server: &str) {
        let tools = self.tools.iter().map(|tool| {
            let usage = format!("{}{}", line(&tool.name), tool_arguments(&tool.input_schema));
            (usage, &tool.description)
        });
        let prompts = self.prompts.iter().map(|prompt| {
            let mut usage = line(&prompt.name);
            for argument in prompt.arguments.iter().flatten() {
                let required = argument.required == Some(true);
                usage.push_str(&option(&line(&argument.name), "text", required));
            }
            (usage, &prompt.description)
        });
        let resources = self.resources.iter();
        let resources = resources.map(|resource| (line(&resource.uri), &resource.description));
        let templates = self.resource_templates.iter();
        let templates = templates.map(|one| (line(&one.uri_template), &one.description));
        let sections = [
            ("tools", tools.collect::<Vec<_>>()),
            ("prompts (with --prompt)", prompts.collect()),
            ("resources", resources.collect()),
            ("resources by pattern", templates.collect()),
        ];
        let mut any = false;
        for (title, entries) in sections {
            if entries.is_empty() {
                continue;
            }
            let gap = if any { "\n" } else { "" };
            any = true;
            let title = format!("{server}: {title}");
            let bold = clap::builder::styling::Style::new().bold();
            out.line(format_args!("{gap}{}", out.paint(bold, title)));
            for (usage, description) in entries {
                out.line(format_args!("  {usage}"));
                if let Some(description) = description {
                    out.line(format_args!(
                        "      {}",
                        clean::line(description, DESCRIPTION)
                    ));
                }
            }
        }
        if !any {
            out.line(format_args!("{server} offers nothing that could be listed"));
        }
    }
}

fn line(text: &str) -> String {
    clean::line(text, LABEL)
}

/// The arguments in the way that `mrtr call` takes them; optional ones in brackets.
fn tool_arguments(schema: &RawObject) -> String {
    let required: Vec<String> = schema.get_as("required").unwrap_or_default();
    let properties: RawObject = schema.get_as("properties").unwrap_or_default();
    let mut out = String::new();
    for (name, property) in properties.iter() {
        let property: Value = serde_json::from_str(property.get()).unwrap_or_default();
        let kind = match &property["type"] {
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                kinds.collect::<Vec<_>>().join("|")
            }
            _ => "value".to_owned(),
        };
        let required = required.iter().any(|known| known == name);
        out.push_str(&option(&line(name), &line(&kind), required));
    }
    out
}

fn option(name: &str, kind: &str, required: bool) -> String {
    let kind = kind.to_uppercase();
    if required {
        format!(" {name}={kind}")
    } else {
        format!(" [{name}={kind}]")
    }
}
