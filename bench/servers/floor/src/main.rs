//! The benchmark's tool by hand: hyper, borrowed structs, one AEAD operation, one buffer. What the rest is measured
//! against.
//!
//! # Equal to mrtr
//!
//! | work | where |
//! | --- | --- |
//! | hyper on HTTP/1.1 with a timeout for heads, a single-threaded runtime, a task per connection | `main` |
//! | path, POST, `Host` of this machine, no `Origin`, `Content-Type`, `Accept` | `request::admit` |
//! | a bound on the body | `request::read` |
//! | one pass over the body into borrowed members, whatever their order; arguments stay raw until the tool reads them | `request::Message` |
//! | `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` are there once and say what the body says | `request::mirror` |
//! | the version is supported, the client takes forms | `request::mirror`, `book` |
//! | BLAKE3, 16 bytes: raw arguments (both rounds), canonical arguments (round 1), the question (both), the issuer (both) | `state` |
//! | AES-256-GCM-SIV with a prepared key and the same associated data, base64url, the same prefix | `state` |
//! | the same claims and journal, byte for byte as many: exchange, round, four times, principal, method, target, server, two digests of arguments, the asked question | `state::Claims` |
//! | expiry, deadline, clock, principal, method, target, server, arguments and question are compared | `state::open` |
//! | nonce and exchange id from the same generator in the process | `book` |
//! | the answer is an accepted object of the two strings the form asks for | `book` |
//! | the same JSON and the same response headers | `reply` |
//!
//! # Left out
//!
//! What makes a library and not a program with one tool: a registry, arguments of any shape (the canonical form is
//! that of the one known argument), forms of any shape, handlers that are futures and can be dropped, catching panics,
//! deadlines of requests and bodies, notifications and event streams, several keys, settings, logs, the nesting bound
//! (serde_json's own one is 128), errors that say what is wrong, hosts that are not `127.0.0.1`, duplicate members of
//! answers, graceful shutdown, a bound on connections and on clients that do not read.

mod book;
mod reply;
mod request;
mod state;
mod stdio;

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bench_kit::Options;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use self::state::Key;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::from_args();
    let key = Arc::new(Key::new());
    if options.stdio {
        stdio::serve(&key).await?;
        std::process::exit(0);
    }
    let listener = TcpListener::bind(("127.0.0.1", options.port)).await?;
    println!("listening");
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(30));
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let key = key.clone();
        let service = service_fn(move |request| {
            let key = key.clone();
            async move { Ok::<_, Infallible>(request::answer(request, &key).await) }
        });
        let connection = http.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            let _ = connection.await;
        });
    }
}
