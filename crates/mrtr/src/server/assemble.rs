//! From what was registered to the registry of a server.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use mrtr_core::wire::{self, RawObject};
use serde::Serialize;

use super::build_error::Problems;
use super::check::{Check, Promise};
use super::lists::{List, ListStyle};
use super::registry::{PromptEntry, Registry, ResourceEntry, TemplateEntry, ToolEntry};
use super::schema::Schema;
use super::settings::{Defaults, Settings};
use super::{Prompt, Resource, ResourceTemplate, Tool};
use crate::headers::ParamHeaders;

fn list<T: Serialize>(
    key: &'static str,
    items: &[T],
    style: &ListStyle<'_>,
    problems: &mut Problems,
) -> Option<List> {
    List::new(key, items, style)
        .map_err(|error| problems.add(key, error))
        .ok()
}

pub(super) fn add_tools(
    registry: &mut Registry,
    tools: Vec<Tool>,
    defaults: &Defaults,
    style: &ListStyle<'_>,
    problems: &mut Problems,
) {
    let mut definitions = Vec::with_capacity(tools.len());
    for tool in tools {
        let at = format!("tool `{}`", tool.definition.name);
        check(&at, &tool.problems, &tool.settings, defaults, problems);
        if let Err(problem) = tool_name(&tool.definition.name) {
            problems.add(&at, problem);
        }
        let mut definition = tool.definition;
        let mut headers = ParamHeaders::default();
        let mut input = None;
        match &tool.input {
            Ok(schema) => {
                let mirrored = ParamHeaders::from_schema(schema.as_value());
                headers = problems.ok(&at, mirrored).unwrap_or_default();
                let written = problems.ok(&at, schema.to_object());
                definition.input_schema = written.unwrap_or_default();
                input = problems.ok(&at, input_check(schema)).flatten();
            }
            Err(problem) => problems.add(&at, problem),
        }
        if let Some(schema) = &tool.output {
            definition.output_schema = problems.ok(&at, schema.to_object());
        }
        let output = output_promise(tool.output.as_ref(), definition.output_schema.as_ref());
        let name: Box<str> = definition.name.as_str().into();
        let entry = ToolEntry {
            handler: tool.handler,
            headers,
            input,
            output: problems.ok(&at, output).flatten(),
            rules: tool.settings.over(defaults),
        };
        insert(&mut registry.tools, name, entry, &at, problems);
        definitions.push(definition);
    }
    if !definitions.is_empty() {
        registry.tool_list = list("tools", &definitions, style, problems);
    }
}

pub(super) fn add_prompts(
    registry: &mut Registry,
    prompts: Vec<Prompt>,
    defaults: &Defaults,
    style: &ListStyle<'_>,
    problems: &mut Problems,
) {
    let mut definitions = Vec::with_capacity(prompts.len());
    for prompt in prompts {
        let at = format!("prompt `{}`", prompt.definition.name);
        check(&at, &prompt.problems, &prompt.settings, defaults, problems);
        if let Err(problem) = prompt_name(&prompt.definition.name) {
            problems.add(&at, problem);
        }
        let name: Box<str> = prompt.definition.name.as_str().into();
        let entry = PromptEntry {
            handler: prompt.handler,
            completions: prompt.completions,
            rules: prompt.settings.over(defaults),
        };
        insert(&mut registry.prompts, name, entry, &at, problems);
        definitions.push(prompt.definition);
    }
    if !definitions.is_empty() {
        registry.prompt_list = list("prompts", &definitions, style, problems);
    }
}

pub(super) fn add_resources(
    registry: &mut Registry,
    (resources, templates): (Vec<Resource>, Vec<ResourceTemplate>),
    defaults: &Defaults,
    style: &ListStyle<'_>,
    problems: &mut Problems,
) {
    let any = !resources.is_empty() || !templates.is_empty();
    let mut definitions = Vec::with_capacity(resources.len());
    for resource in resources {
        let at = format!("resource `{}`", resource.definition.uri);
        check(
            &at,
            &resource.problems,
            &resource.settings,
            defaults,
            problems,
        );
        let entry = ResourceEntry {
            handler: resource.handler,
            rules: resource.settings.over(defaults),
            hints: resource.hints,
            mime_type: resource.definition.mime_type.as_deref().map(Into::into),
        };
        let uri: Box<str> = resource.definition.uri.as_str().into();
        insert(&mut registry.resources, uri, entry, &at, problems);
        definitions.push(resource.definition);
    }
    let mut template_definitions: Vec<wire::ResourceTemplate> = Vec::with_capacity(templates.len());
    for template in templates {
        let at = format!("resource template `{}`", template.definition.uri_template);
        check(
            &at,
            &template.problems,
            &template.settings,
            defaults,
            problems,
        );
        if template_definitions
            .iter()
            .any(|known| known.uri_template == template.definition.uri_template)
        {
            problems.add(&at, "it is registered twice");
        }
        if let Some(uri_template) = template.template {
            registry.templates.push(TemplateEntry {
                template: uri_template,
                text: template.definition.uri_template.as_str().into(),
                completions: template.completions,
                entry: ResourceEntry {
                    handler: template.handler,
                    rules: template.settings.over(defaults),
                    hints: template.hints,
                    mime_type: template.definition.mime_type.as_deref().map(Into::into),
                },
            });
        }
        template_definitions.push(template.definition);
    }
    if any {
        registry.resource_list = list("resources", &definitions, style, problems);
        registry.template_list = list("resourceTemplates", &template_definitions, style, problems);
    }
}

/// What of the arguments the type of the handler does not check.
fn input_check(schema: &Schema) -> Result<Option<Check>, String> {
    #[cfg(feature = "json-schema")]
    if schema.is_by_hand() {
        if schema.as_value()["type"] != "object" {
            return Err("the schema of arguments must say `\"type\": \"object\"`".to_owned());
        }
        return Check::full(schema.as_value()).map(Some);
    }
    Check::beyond_type(schema.as_value())
}

/// What of the structured content the type of the result does not ensure.
fn output_promise(
    by_hand: Option<&Schema>,
    listed: Option<&RawObject>,
) -> Result<Option<Promise>, String> {
    #[cfg(feature = "json-schema")]
    if let Some(schema) = by_hand {
        return Promise::by_hand(schema.as_value()).map(Some);
    }
    let (None, Some(listed)) = (by_hand, listed) else {
        return Ok(None);
    };
    let schema = serde_json::to_value(listed).map_err(|error| error.to_string())?;
    Promise::beyond_type(&schema)
}

fn check(
    at: &str,
    own: &[String],
    settings: &Settings,
    defaults: &Defaults,
    problems: &mut Problems,
) {
    for problem in own {
        problems.add(at, problem);
    }
    for problem in settings.over(defaults).problems() {
        problems.add(at, problem);
    }
}

fn insert<E>(
    entries: &mut HashMap<Box<str>, E>,
    name: Box<str>,
    entry: E,
    at: &str,
    problems: &mut Problems,
) {
    match entries.entry(name) {
        Entry::Occupied(_) => problems.add(at, "it is registered twice"),
        Entry::Vacant(place) => drop(place.insert(entry)),
    }
}

fn tool_name(name: &str) -> Result<(), &'static str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    match name.len() {
        1..=128 if name.chars().all(legal) => Ok(()),
        _ => Err("a name has 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `-` and `.`"),
    }
}

fn prompt_name(name: &str) -> Result<(), &'static str> {
    match name.chars().count() {
        1..=128 if !name.contains(char::is_control) => Ok(()),
        _ => Err("a name has 1 to 128 characters, none of them a control character"),
    }
}
