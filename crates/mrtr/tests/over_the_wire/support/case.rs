//! Where a test runs: which transport, which of the methods that may ask.

use serde_json::{Value, json};

/// The transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    Http,
    Stdio,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Prompt,
    Resource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) via: Via,
    pub(crate) kind: Kind,
}

impl Case {
    pub(crate) const fn new(via: Via, kind: Kind) -> Self {
        Self { via, kind }
    }
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Tool, Self::Prompt, Self::Resource];

    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Tool => "tools/call",
            Self::Prompt => "prompts/get",
            Self::Resource => "resources/read",
        }
    }

    /// The parameters that reach what [`Offer`](super::Offer) registered under `name`.
    pub(crate) fn params(self, name: &str) -> Value {
        match self {
            Self::Tool | Self::Prompt => json!({"name": name, "arguments": {}}),
            Self::Resource => json!({"uri": format!("proof://{name}")}),
        }
    }

    /// The text of a complete result.
    pub(crate) fn text(self, result: &Value) -> &str {
        let text = match self {
            Self::Tool => &result["content"][0]["text"],
            Self::Prompt => &result["messages"][0]["content"]["text"],
            Self::Resource => &result["contents"][0]["text"],
        };
        text.as_str()
            .unwrap_or_else(|| panic!("no text in {result}"))
    }

    /// The member that only a complete result of this kind has.
    pub(crate) const fn body(self) -> &'static str {
        match self {
            Self::Tool => "content",
            Self::Prompt => "messages",
            Self::Resource => "contents",
        }
    }
}

/// Runs `async fn name(case: Case)` for every transport and every method that may ask.
macro_rules! everywhere {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            use crate::support::{Case, Kind, Via};

            everywhere!(@ $name http_tool Http Tool);
            everywhere!(@ $name http_prompt Http Prompt);
            everywhere!(@ $name http_resource Http Resource);
            everywhere!(@ $name stdio_tool Stdio Tool);
            everywhere!(@ $name stdio_prompt Stdio Prompt);
            everywhere!(@ $name stdio_resource Stdio Resource);
        }
    )+};
    (@ $body:ident $name:ident $via:ident $kind:ident) => {
        #[tokio::test]
        async fn $name() {
            super::$body(Case::new(Via::$via, Kind::$kind)).await;
        }
    };
}

/// Runs `async fn name(via: Via)` over both transports.
macro_rules! over_both {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            use crate::support::Via;

            #[tokio::test]
            async fn http() {
                super::$name(Via::Http).await;
            }

            #[tokio::test]
            async fn stdio() {
                super::$name(Via::Stdio).await;
            }
        }
    )+};
}
