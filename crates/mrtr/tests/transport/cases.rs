//! A server to check, and the table of checks: a request, and what it has to be answered with.

use mrtr::server::{Server, prompt, resource, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{Post, Running, run};

#[derive(Deserialize, JsonSchema)]
struct Trip {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: Option<String>,
    #[schemars(extend("x-mcp-header" = "Nights"))]
    nights: Option<i64>,
    #[schemars(extend("x-mcp-header" = "Window-Seat"))]
    window: Option<bool>,
    via: Option<Via>,
}

#[derive(Deserialize, JsonSchema)]
struct Via {
    #[schemars(extend("x-mcp-header" = "Via-City"))]
    city: Option<String>,
}

async fn book(_: Cx, trip: Trip) -> Result<String, ToolError> {
    let Trip {
        region,
        nights,
        window,
        via,
    } = trip;
    Ok(format!(
        "{region:?} {nights:?} {window:?} {:?}",
        via.and_then(|via| via.city)
    ))
}

async fn text(_: Cx, (): ()) -> Result<String, ToolError> {
    Ok("text".to_owned())
}

pub(crate) async fn server() -> Running {
    let server = Server::builder("checks", "1.0.0")
        .keyring(Keyring::new([Secret::generate([7; 32])]).unwrap())
        .tool(tool("book", book))
        .prompt(prompt("p", text))
        .resource(resource("a:b", text))
        .build()
        .unwrap();
    run(server.http().body_limit(4096)).await
}

pub(crate) struct Case {
    pub(crate) rule: &'static str,
    pub(crate) post: Post,
    pub(crate) status: u16,
    /// The code of the error; none for success and for replies without a body.
    pub(crate) code: Option<i64>,
    /// Whether the error carries the id of the request.
    pub(crate) id: bool,
}

pub(crate) fn refused(rule: &'static str, post: Post, status: u16, code: i64) -> Case {
    let (code, id) = (Some(code), false);
    Case {
        rule,
        post,
        status,
        code,
        id,
    }
}

pub(crate) fn answered(rule: &'static str, post: Post, status: u16, code: i64) -> Case {
    let (code, id) = (Some(code), true);
    Case {
        rule,
        post,
        status,
        code,
        id,
    }
}

pub(crate) fn passes(rule: &'static str, post: Post) -> Case {
    let (code, id) = (None, true);
    Case {
        rule,
        post,
        status: 200,
        code,
        id,
    }
}

pub(crate) fn ok() -> Post {
    Post::discover()
}

/// Sends every request, and compares.
pub(crate) async fn check(cases: Vec<Case>) {
    let server = server().await;
    for Case {
        rule,
        post,
        status,
        code,
        id,
    } in cases
    {
        let answer = server.send(&post).await;
        assert_eq!(answer.status, status, "{rule}: {answer:?}");
        assert_eq!(answer.header("mcp-session-id"), None, "{rule}");
        if code == Some(0) {
            assert!(answer.body.is_empty(), "{rule}");
            continue;
        }
        let allow = (status == 405).then_some("POST");
        assert_eq!(answer.header("allow"), allow, "{rule}");
        assert_eq!(
            answer.header("content-type"),
            Some("application/json"),
            "{rule}"
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{rule}");
        let body = answer.json();
        assert_eq!(answer.code(), code, "{rule}: {body}");
        assert_eq!(
            body.get("result").is_some(),
            code.is_none(),
            "{rule}: {body}"
        );
        assert_eq!(body.get("id"), id.then_some(&json!(1)), "{rule}: {body}");
        assert_eq!(body["jsonrpc"], "2.0", "{rule}");
    }
}
