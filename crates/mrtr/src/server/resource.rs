//! Registering a resource or a template of resources.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use mrtr_core::replay::{Context, ToolError};
use mrtr_core::wire::{self, Annotations, CacheHints, CacheScope};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::args::BadArguments;
use super::args::text::from_texts;
use super::completion::{Completions, completion_methods};
use super::handler::{ResourceHandler, start};
use super::output::ResourceOutput;
use super::schema::Schema;
use super::settings::{Settings, shared_methods};
use super::template::{UriTemplate, check_uri};

/// A resource to give to
/// [`ServerBuilder::resource`](super::ServerBuilder::resource), made by
/// [`resource`].
#[must_use = "a resource does nothing until a server has it"]
pub struct Resource {
    pub(super) definition: wire::Resource,
    pub(super) handler: ResourceHandler,
    pub(super) settings: Settings,
    pub(super) hints: CacheHints,
    pub(super) problems: Vec<String>,
}

/// Resources to give to
/// [`ServerBuilder::resource_template`](super::ServerBuilder::resource_template),
/// made by [`resource_template`].
#[must_use = "a template does nothing until a server has it"]
pub struct ResourceTemplate {
    pub(super) definition: wire::ResourceTemplate,
    pub(super) template: Option<UriTemplate>,
    pub(super) handler: ResourceHandler,
    pub(super) completions: Completions,
    pub(super) settings: Settings,
    pub(super) hints: CacheHints,
    pub(super) problems: Vec<String>,
}

/// The resource at `uri`.
///
/// The handler is an `async fn` of a [`Cx`](crate::Cx) and `()`. URIs are compared as
/// they are written.
///
/// See [resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources).
///
/// ```
/// use mrtr::server::{Server, resource};
/// use mrtr::{Cx, ToolError};
///
/// async fn todo(_: Cx, _: ()) -> Result<&'static str, ToolError> {
///     Ok("Water the plants.")
/// }
///
/// let server = Server::builder("notes", "1.0.0")
///     .resource(resource("note://todo", todo).mime_type("text/plain"))
///     .build()?;
/// # Ok::<(), mrtr::server::BuildError>(())
/// ```
pub fn resource<F, C, Fut, T, E>(uri: impl Into<String>, handler: F) -> Resource
where
    F: Fn(C, ()) -> Fut + Send + Sync + 'static,
    C: Context,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    T: ResourceOutput,
    E: Into<ToolError>,
{
    let uri = uri.into();
    let problems = check_uri(&uri).err().map(|problem| problem.to_string());
    let name = short_name(&uri).to_owned();
    let handler: ResourceHandler = Box::new(move |round, uri, _| {
        let uri = uri.to_owned();
        Ok(start(round, |cx| {
            let running = handler(cx, ());
            async move { running.await.map_err(Into::into)?.into_result(&uri) }
        }))
    });
    Resource {
        definition: wire::Resource::new(uri, name),
        handler,
        settings: Settings::of::<C>(),
        hints: CacheHints::default(),
        problems: problems.into_iter().collect(),
    }
}

/// All resources whose URIs fit a template, such as `note://{folder}/{id}`.
///
/// `{name}` stands for one or more characters other than `/`, `?` and `#`
/// (level 1 of RFC 6570), `{+name}` at the end for the whole rest of the URI.
/// The handler is an `async fn` of a [`Cx`](crate::Cx) and the variables. Their type
/// derives `Deserialize` and `JsonSchema` and has a field for each variable;
/// values are percent-decoded, and numbers read from their text. A value that
/// does not fit means that there is no such resource, and so does
/// [`ToolError::not_found`].
///
/// Decoded values may hold anything, `/` and `..` included: check them before
/// they become a path.
///
/// A resource registered with just this URI goes before a template, an earlier
/// template before a later one.
///
/// See [resource templates](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates).
///
/// ```
/// use mrtr::server::{Server, resource_template};
/// use mrtr::{Cx, ToolError};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Note {
///     id: u32,
/// }
///
/// async fn note(_: Cx, note: Note) -> Result<String, ToolError> {
///     if note.id > 9 {
///         return Err(ToolError::not_found());
///     }
///     Ok(format!("Note number {}.", note.id))
/// }
///
/// let server = Server::builder("notes", "1.0.0")
///     .resource_template(resource_template("note://{id}", note))
///     .build()?;
/// # Ok::<(), mrtr::server::BuildError>(())
/// ```
pub fn resource_template<F, C, A, Fut, T, E>(
    uri_template: impl Into<String>,
    handler: F,
) -> ResourceTemplate
where
    F: Fn(C, A) -> Fut + Send + Sync + 'static,
    C: Context,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    T: ResourceOutput,
    E: Into<ToolError>,
{
    let uri_template = uri_template.into();
    let mut problems = Vec::new();
    let template = UriTemplate::parse(&uri_template)
        .map_err(|problem| problems.push(problem.to_string()))
        .ok();
    let mut completions = Completions::default();
    match (Schema::of_arguments::<A>(), &template) {
        (Ok(schema), Some(template)) => {
            problems.extend(mismatches(&schema, template));
            completions = Completions::of(variables(&schema, template));
        }
        (Ok(_), None) => {}
        (Err(problem), _) => problems.push(problem),
    }
    let name = short_name(&uri_template).to_owned();
    let handler: ResourceHandler = Box::new(move |round, uri, variables| {
        let variables = from_texts(variables).map_err(BadArguments::new)?;
        let uri = uri.to_owned();
        Ok(start(round, |cx| {
            let running = handler(cx, variables);
            async move { running.await.map_err(Into::into)?.into_result(&uri) }
        }))
    });
    ResourceTemplate {
        definition: wire::ResourceTemplate::new(uri_template, name),
        template,
        handler,
        completions,
        settings: Settings::of::<C>(),
        hints: CacheHints::default(),
        problems,
    }
}

/// The variables with the schemas of their fields.
fn variables<'a>(
    schema: &'a Schema,
    template: &'a UriTemplate,
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    template.variables().map(|name| {
        let schema = schema.as_value()["properties"].get(name);
        (name, schema.unwrap_or(&Value::Null))
    })
}

/// Variables nobody reads, and fields nobody fills.
fn mismatches(schema: &Schema, template: &UriTemplate) -> Vec<String> {
    let fields: BTreeSet<&str> = schema
        .properties()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let variables: BTreeSet<&str> = template.variables().collect();
    let unread = variables
        .difference(&fields)
        .filter(|_| !schema.is_open())
        .map(|name| format!("no field takes the variable `{name}`"));
    let unfilled = fields
        .difference(&variables)
        .filter(|name| schema.requires(name))
        .map(|name| format!("no variable fills the field `{name}`"));
    unread.chain(unfilled).collect()
}

/// What a URI is called where it has no name: its last segment.
fn short_name(uri: &str) -> &str {
    let trimmed = uri.trim_end_matches(['/', ':']);
    match trimmed.rsplit(['/', ':']).next() {
        Some(name) if !name.is_empty() => name,
        _ => uri,
    }
}

/// Methods of resources and templates.
macro_rules! resource_methods {
    () => {
        /// The name clients show where there is no title. Default: the last
        /// segment of the URI.
        pub fn name(mut self, name: impl Into<String>) -> Self {
            self.definition.name = name.into();
            self
        }

        /// The MIME type of the contents.
        pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
            self.definition.mime_type = Some(mime_type.into());
            self
        }

        /// For whom the contents are, and how important.
        pub fn annotations(mut self, annotations: Annotations) -> Self {
            self.definition.annotations = Some(annotations);
            self
        }

        /// How long clients may keep the contents, and whether they may share
        /// them between users. Default: not at all, and not shared. What was
        /// made from answers is never to be kept.
        ///
        /// See [caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).
        pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
            self.hints = CacheHints::new(ttl, scope);
            self
        }
    };
}

impl Resource {
    shared_methods!("resource");
    resource_methods!();

    /// The size of the contents in bytes.
    pub fn size(mut self, bytes: u64) -> Self {
        self.definition.size = Some(bytes);
        self
    }
}

impl ResourceTemplate {
    shared_methods!("resource");
    completion_methods!("template");
    resource_methods!();
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource")
            .field("definition", &self.definition)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTemplate")
            .field("definition", &self.definition)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_called_by_its_last_segment() {
        assert_eq!(short_name("file:///src/main.rs"), "main.rs");
        assert_eq!(short_name("note://todo"), "todo");
        assert_eq!(short_name("note://todo/"), "todo");
        assert_eq!(short_name("urn:x"), "x");
        assert_eq!(short_name("x:"), "x");
        assert_eq!(short_name("note://{folder}/{id}"), "{id}");
    }
}
