//! The benchmark's tool on turbomcp, as its documentation shows it. What the handler stores, turbomcp signs (it does not
//! encrypt) and binds to the principal, the method, the tool and the arguments for ten minutes; without something
//! stored there would be no state at all.
//!
//! The tools of a server are known when it is compiled, so it has no others.

use std::error::Error;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use bench_kit::{ISSUER, KEY, Options, QUESTION, SUBJECT, booked, question};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use turbomcp::http::{HttpConfig, router};
use turbomcp::prelude::*;
use turbomcp::{AuthDecision, HttpAuthenticator, LegacySessionAdapter};

static FORM: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "type": "object",
        "properties": { "from": { "type": "string" }, "to": { "type": "string" } },
        "required": ["from", "to"],
    })
});

#[derive(Deserialize)]
struct Dates {
    from: String,
    to: String,
}

#[derive(Clone)]
struct Travel;

#[server(name = "bench", version = "1.0.0")]
impl Travel {
    #[tool(description = "Books a trip")]
    async fn book(&self, ctx: &CallToolContext, city: String) -> McpResult<String> {
        if ctx.client.load_state::<String>()?.is_none() {
            ctx.client.store_state(&QUESTION)?;
        }
        let form = neutral::ElicitParams::new(question(&city), FORM.clone());
        let answer = ctx.client.elicit(QUESTION, form).await?;
        if !answer.accepted() {
            return Err(McpError::invalid_params("refused"));
        }
        let Dates { from, to } = serde_json::from_value(Value::Object(answer.content))
            .map_err(|error| McpError::invalid_params(error.to_string()))?;
        Ok(booked(&city, &from, &to))
    }
}

type Decision<'a> = Pin<Box<dyn Future<Output = AuthDecision> + Send + 'a>>;

/// Says who calls, as if a token had been checked.
struct Authenticated(Value);

impl HttpAuthenticator for Authenticated {
    fn authenticate<'a>(&'a self, _: Option<&'a str>) -> Decision<'a> {
        Box::pin(async { AuthDecision::Allow(self.0.clone()) })
    }

    fn resource_metadata(&self) -> Value {
        json!({})
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::from_args();
    let service = Travel.into_server().with_state_key(KEY).build();
    if options.stdio {
        serve_stdio(LegacySessionAdapter::new(service)).await?;
        return Ok(());
    }
    let identity = json!({ "sub": SUBJECT, "claims": { "iss": ISSUER } });
    let config = HttpConfig::new().with_authenticator(Arc::new(Authenticated(identity)));
    let service = TowerToHyperService::new(router(service, config));
    let listener = TcpListener::bind(("127.0.0.1", options.port)).await?;
    println!("listening");
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new());
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let connection = http.serve_connection(TokioIo::new(stream), service.clone());
        tokio::spawn(async move {
            let _ = connection.await;
        });
    }
}
