//! Who calls: a layer that checks bearer tokens, and a limit on calls for each principal.
//!
//! `cargo run --example bearer` starts the server on a free port and plays three callers itself.
//! `cargo run --example bearer -- 127.0.0.1:8080` serves until Ctrl-C; the tokens are `alice-token`
//! and `bob-token`.
//!
//! The layer only has to put a [`Principal`] into the extensions of the request. From there on a
//! sealed state opens for that principal alone, the limiter counts per principal, and handlers see
//! it as `cx.principal()`.

use std::collections::HashMap;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::Either;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use mrtr::client::{Client, ClientError};
use mrtr::server::http::ReplyBody;
use mrtr::server::{Server, TokenBuckets, tool};
use mrtr::state::Principal;
use mrtr::wire::{CallToolResult, ContentBlock};
use mrtr::{Cx, ToolError};
use tower::{Layer, Service};

/// Lets requests through that carry a token it knows.
///
/// A real server validates tokens of its authorization server instead: signature, expiry, issuer,
/// and that the token was issued for this very server (its audience). A token that came from a
/// client must never be passed on to another service.
#[derive(Clone)]
struct BearerLayer {
    principals: Arc<HashMap<&'static str, Arc<Principal>>>,
}

impl BearerLayer {
    fn new(tokens: impl IntoIterator<Item = (&'static str, Principal)>) -> Self {
        let principals = tokens
            .into_iter()
            .map(|(token, principal)| (token, Arc::new(principal)))
            .collect();
        Self {
            principals: Arc::new(principals),
        }
    }

    fn principal(&self, headers: &HeaderMap) -> Option<Arc<Principal>> {
        let credentials = headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = credentials.split_once(' ')?;
        scheme
            .eq_ignore_ascii_case("bearer")
            .then(|| self.principals.get(token.trim()).cloned())?
    }
}

impl<S> Layer<S> for BearerLayer {
    type Service = Bearer<S>;

    fn layer(&self, inner: S) -> Bearer<S> {
        Bearer {
            layer: self.clone(),
            inner,
        }
    }
}

/// The service behind a [`BearerLayer`].
#[derive(Clone)]
struct Bearer<S> {
    layer: BearerLayer,
    inner: S,
}

impl<S, B> Service<Request<B>> for Bearer<S>
where
    S: Service<Request<B>, Response = Response<ReplyBody>>,
{
    type Response = Response<ReplyBody>;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Self::Response, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        match self.layer.principal(request.headers()) {
            Some(principal) => {
                request.extensions_mut().insert(principal);
                Either::Left(self.inner.call(request))
            }
            None => Either::Right(ready(Ok(unauthorized()))),
        }
    }
}

/// With `resource_metadata="https://.."` besides, clients find the authorization server by
/// themselves.
fn unauthorized() -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::from("a bearer token is needed"));
    *response.status_mut() = StatusCode::UNAUTHORIZED;
    let challenge = HeaderValue::from_static("Bearer error=\"invalid_token\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}

async fn greet(cx: Cx, (): ()) -> Result<String, ToolError> {
    let who = cx.principal().map_or("stranger", Principal::subject);
    Ok(format!("Hello, {who}."))
}

fn server() -> Result<Server, mrtr::server::BuildError> {
    Server::builder("bearer", "1.0.0")
        .tool(tool("greet", greet).description("Greets the caller"))
        // Each principal may call each tool twice, then once a minute.
        .limiter(TokenBuckets::new(2, Duration::from_secs(60)))
        .build()
}

fn layer() -> BearerLayer {
    let user = |subject: &str| Principal::new("https://login.example.com", subject);
    BearerLayer::new([("alice-token", user("alice")), ("bob-token", user("bob"))])
}

/// What a caller with this token is told; the HTTP status when it is turned away.
async fn call(url: &str, token: Option<&str>) -> Result<String, ClientError> {
    let client = match token {
        Some(token) => Client::http(url).bearer(token),
        None => Client::http(url),
    };
    let result = client.build()?.call_tool("greet", &(), &()).await;
    match result {
        Ok(result) => Ok(text(&result)),
        Err(ClientError::Status(status)) => Ok(format!("HTTP {}", status.status)),
        Err(error) => Err(error),
    }
}

fn text(result: &CallToolResult) -> String {
    match result.content.first() {
        Some(ContentBlock::Text(text)) => text.text.clone(),
        _ => String::new(),
    }
}

/// Plays three callers; gives what each was told.
pub(crate) async fn play() -> Result<Vec<(&'static str, String)>, Box<dyn std::error::Error>> {
    let listener = server()?.http().bind("127.0.0.1:0").await?;
    let listener = listener.wrap(|http| layer().layer(http));
    let url = listener.url();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(listener.run_until(async {
        let _ = stopped.await;
    }));

    let mut told = Vec::new();
    for (who, token) in [
        ("nobody", None),
        ("mallory", Some("guessed-token")),
        ("alice", Some("alice-token")),
        ("alice", Some("alice-token")),
        ("alice", Some("alice-token")),
        ("bob", Some("bob-token")),
    ] {
        told.push((who, call(&url, token).await?));
    }
    drop(stop);
    serving.await?;
    Ok(told)
}

#[tokio::main]
#[allow(clippy::print_stdout, dead_code)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(address) = std::env::args().nth(1) {
        let listener = server()?.http().bind(address).await?;
        println!("listening on {}", listener.url());
        listener.wrap(|http| layer().layer(http)).run().await?;
        return Ok(());
    }
    for (who, told) in play().await? {
        println!("{who:8} {told}");
    }
    Ok(())
}
