//! A server with something of each kind, and requests to subscribe to it.

use mrtr::server::{Changes, Server, ServerBuilder, prompt, resource, resource_template, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::official;
use crate::support::{Post, message};

pub(crate) const ID: &str = "io.modelcontextprotocol/subscriptionId";

#[derive(Deserialize, JsonSchema)]
struct Note {
    #[expect(dead_code, reason = "nobody reads a note here")]
    id: u32,
}

async fn hello(_: Cx, (): ()) -> Result<&'static str, ToolError> {
    Ok("hello")
}

async fn note(_: Cx, _: Note) -> Result<&'static str, ToolError> {
    Ok("a note")
}

pub(crate) fn bare() -> ServerBuilder {
    let keyring = Keyring::new([Secret::generate([7; 32])]).unwrap();
    Server::builder("notes", "1.0.0").keyring(keyring)
}

/// Something of each kind.
pub(crate) fn builder(changes: &Changes) -> ServerBuilder {
    bare()
        .tool(tool("hello", hello))
        .prompt(prompt("hello", hello))
        .resource(resource("note://todo", hello))
        .resource_template(resource_template("note://by-id/{id}", note))
        .changes(changes.clone())
}

pub(crate) fn server(changes: &Changes) -> Server {
    builder(changes).build().unwrap()
}

pub(crate) fn listen(id: impl Into<Value>, notifications: Value) -> Value {
    let mut message = message(
        "subscriptions/listen",
        json!({"notifications": notifications}),
    );
    message["id"] = id.into();
    message
}

pub(crate) fn post(id: impl Into<Value>, notifications: Value) -> Post {
    let message = listen(id, notifications).to_string();
    Post::new("subscriptions/listen", json!({})).body(message)
}

/// Checks a notification against the official schema and gives its method and
/// subscription.
pub(crate) fn told(notification: &Value) -> (&str, &Value) {
    official::check_notification(notification);
    let method = notification["method"].as_str().unwrap();
    (method, &notification["params"]["_meta"][ID])
}

/// What an acknowledgement grants to the subscription `id`.
pub(crate) fn granted(notification: &Value, id: impl Into<Value>) -> Value {
    let expected = ("notifications/subscriptions/acknowledged", &id.into());
    assert_eq!(told(notification), expected, "{notification}");
    notification["params"]["notifications"].clone()
}

/// Checks the response that ends the subscription `id`.
pub(crate) fn assert_end(response: &Value, id: impl Into<Value>) {
    let id = id.into();
    official::check("subscriptions/listen", response);
    assert_eq!(response["id"], id, "{response}");
    let result = &response["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["_meta"][ID], id);
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "notes"
    );
}
