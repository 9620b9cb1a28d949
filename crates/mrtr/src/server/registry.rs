//! All that a server offers, by name.

use std::collections::HashMap;

use mrtr_core::wire::{
    CacheHints, ListCapability, RawObject, ResourcesCapability, ServerCapabilities,
};

use super::args::text::Texts;
use super::check::{Check, Promise};
use super::completion::Completions;
use super::handler::{PromptHandler, ResourceHandler, ToolHandler};
use super::lists::List;
use super::settings::Rules;
use super::template::UriTemplate;
use crate::headers::ParamHeaders;

#[derive(Default)]
pub(super) struct Registry {
    pub(super) tools: HashMap<Box<str>, ToolEntry>,
    pub(super) prompts: HashMap<Box<str>, PromptEntry>,
    pub(super) resources: HashMap<Box<str>, ResourceEntry>,
    pub(super) templates: Vec<TemplateEntry>,
    /// Each list is absent where the server offers nothing of the kind.
    pub(super) tool_list: Option<List>,
    pub(super) prompt_list: Option<List>,
    pub(super) resource_list: Option<List>,
    pub(super) template_list: Option<List>,
}

pub(super) struct ToolEntry {
    pub(super) handler: ToolHandler,
    pub(super) headers: ParamHeaders,
    /// What the type of the handler does not check of the arguments.
    pub(super) input: Option<Check>,
    /// What the type of the result does not ensure of the structured content.
    pub(super) output: Option<Promise>,
    pub(super) rules: Rules,
}

pub(super) struct PromptEntry {
    pub(super) handler: PromptHandler,
    pub(super) completions: Completions,
    pub(super) rules: Rules,
}

pub(super) struct ResourceEntry {
    pub(super) handler: ResourceHandler,
    pub(super) rules: Rules,
    pub(super) hints: CacheHints,
    pub(super) mime_type: Option<Box<str>>,
}

pub(super) struct TemplateEntry {
    pub(super) template: UriTemplate,
    /// The template as it was registered.
    pub(super) text: Box<str>,
    pub(super) completions: Completions,
    pub(super) entry: ResourceEntry,
}

/// A resource that was found: under which registered URI or template, and with
/// which variables.
pub(super) struct Found<'a> {
    pub(super) name: &'a str,
    pub(super) entry: &'a ResourceEntry,
    pub(super) variables: Texts<'a>,
}

impl Registry {
    /// What is registered for this very URI, else the first template it fits.
    pub(super) fn find<'a>(&'a self, uri: &'a str) -> Option<Found<'a>> {
        if let Some((name, entry)) = self.resources.get_key_value(uri) {
            return Some(Found {
                name,
                entry,
                variables: Vec::new(),
            });
        }
        let (template, variables) = self.template_of(uri)?;
        Some(Found {
            name: &template.text,
            entry: &template.entry,
            variables,
        })
    }

    /// The first template that this URI fits.
    pub(super) fn template_of<'a>(
        &'a self,
        uri: &'a str,
    ) -> Option<(&'a TemplateEntry, Texts<'a>)> {
        self.templates
            .iter()
            .find_map(|template| Some((template, template.template.values(uri)?)))
    }

    /// What it is of the server's capabilities.
    pub(super) fn capabilities(&self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::default();
        capabilities.tools = self.tool_list.as_ref().map(|_| ListCapability::default());
        capabilities.prompts = self.prompt_list.as_ref().map(|_| ListCapability::default());
        let resources = self.resource_list.as_ref();
        capabilities.resources = resources.map(|_| ResourcesCapability::default());
        capabilities.completions = self.completes().then(RawObject::new);
        capabilities
    }

    /// Whether any argument is completed.
    pub(super) fn completes(&self) -> bool {
        let of_prompts = self.prompts.values().map(|entry| &entry.completions);
        let of_templates = self.templates.iter().map(|entry| &entry.completions);
        of_prompts.chain(of_templates).any(Completions::is_any)
    }
}
