//! The same handler as a tool, a prompt and a resource.

use mrtr::round::Replay;
use mrtr::server::{Server, ServerBuilder, prompt, resource, resource_template, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Clock;

/// Arguments that tests vary; the handlers ignore them.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only sent")]
struct Args {
    x: Option<String>,
    n: Option<serde_json::Number>,
    list: Option<Vec<serde_json::Value>>,
}

/// Prompt arguments are all texts.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only sent")]
struct Texts {
    x: Option<String>,
    y: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only sent")]
struct Path {
    x: String,
}

pub(crate) trait Offer {
    /// Registers `handler` as the tool `name`, the prompt `name`, the resource `proof://{name}` and
    /// the template `proof://{name}/{x}`.
    fn offer<F, Fut>(self, name: &str, handler: F) -> Self
    where
        F: Fn(Cx) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<String, ToolError>> + Send + 'static,
        Self: Sized,
    {
        self.offer_as(Replay::Allowed, name, handler)
    }

    /// The same, where `replay` says how often a state may be used.
    fn offer_as<F, Fut>(self, replay: Replay, name: &str, handler: F) -> Self
    where
        F: Fn(Cx) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<String, ToolError>> + Send + 'static;
}

impl Offer for ServerBuilder {
    fn offer_as<F, Fut>(self, replay: Replay, name: &str, handler: F) -> Self
    where
        F: Fn(Cx) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<String, ToolError>> + Send + 'static,
    {
        let uri = format!("proof://{name}");
        let one = handler.clone();
        let two = handler.clone();
        let three = handler.clone();
        let template = format!("{uri}/{{x}}");
        let template = resource_template(template, move |cx: Cx, _: Path| three(cx));
        self.tool(tool(name, move |cx: Cx, _: Args| one(cx)).replay(replay))
            .prompt(prompt(name, move |cx: Cx, _: Texts| two(cx)).replay(replay))
            .resource_template(template.replay(replay))
            .resource(resource(uri, move |cx: Cx, (): ()| handler(cx)).replay(replay))
    }
}

pub(crate) fn keyring(seeds: impl IntoIterator<Item = u8>) -> Keyring {
    Keyring::new(seeds.into_iter().map(|seed| Secret::generate([seed; 32]))).unwrap()
}

/// A server that needs nothing of the machine it runs on.
pub(crate) fn builder() -> ServerBuilder {
    Server::builder("proof", "1.0.0")
        .keyring(keyring([1]))
        .runtime(Clock::new())
}
