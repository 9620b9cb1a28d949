//! A server inside an axum application, behind a middleware that checks bearer tokens.
//!
//! The middleware finds out who sends a request and puts a `Principal` into its extensions. From
//! there on a sealed state opens for that principal alone. `bearer.rs` does the same without axum.
//!
//! `cargo run -p mrtr --example axum`

#![allow(clippy::print_stdout)]

use std::error::Error;

use axum::Router;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use mrtr::client::{Answers, Client, ClientError, FormQuestion};
use mrtr::server::{Server, tool};
use mrtr::state::Principal;
use mrtr::{Cx, ToolError};
use serde_json::json;

async fn leave(cx: Cx, _: ()) -> Result<String, ToolError> {
    let name = cx
        .principal()
        .map_or("nobody", Principal::subject)
        .to_owned();
    cx.confirm("leave", format!("Delete the account of {name}?"))
        .await?;
    Ok(format!("Goodbye, {name}."))
}

/// Whose token it is. A real server verifies a signature or asks the issuer, and compares in
/// constant time.
fn principal_of(token: &str) -> Option<Principal> {
    match token {
        "token-of-alice" => Some(Principal::new("https://login.example", "alice")),
        "token-of-bob" => Some(Principal::new("https://login.example", "bob")),
        _ => None,
    }
}

async fn authenticate(mut request: Request, next: Next) -> Response {
    let token = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let Some(principal) = token.and_then(principal_of) else {
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        return (StatusCode::UNAUTHORIZED, challenge).into_response();
    };
    request.extensions_mut().insert(principal);
    next.run(request).await
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("accounts", "1.0.0")
        .tool(tool("leave", leave).description("Deletes the account of the caller"))
        .build()?;

    let mcp = Router::new()
        .route_service("/mcp", server.http().loopback_only())
        .layer(middleware::from_fn(authenticate));
    let app = Router::new()
        .route("/health", get(|| async { "ok" }))
        .merge(mcp);
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", socket.local_addr()?);
    tokio::spawn(async move { axum::serve(socket, app).await });

    let yes = Answers::new().form(|question: FormQuestion| async move {
        println!("{}", question.form.message);
        question.accept(&json!({"confirmed": true}))
    });
    for token in ["token-of-alice", "token-of-bob"] {
        let client = Client::http(&url).bearer(token).build()?;
        let result = client.call_tool("leave", &(), &yes).await?;
        println!("{}", serde_json::to_string(&result.content)?);
    }

    let stranger = Client::http(&url).build()?;
    match stranger.call_tool("leave", &(), &yes).await {
        Err(ClientError::Status(status)) => println!("without a token: {}", status.status),
        other => println!("without a token: {other:?}"),
    }
    Ok(())
}
