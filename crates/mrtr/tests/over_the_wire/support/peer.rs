//! A client that sends exactly what a test says, and checks every frame it gets.

use std::convert::Infallible;

use http::Request;
use mrtr::server::http::RequestBody;
use mrtr::server::{Http, Server, ServerBuilder};
use mrtr::state::Principal;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::process::Process;
use super::{Case, Via, merge};
use crate::official_schema;
use crate::transport_support::pipe::Pipe;
use crate::transport_support::{self as wire, Connection, Post};

/// Everything a client can declare.
pub(crate) fn all_capabilities() -> Value {
    json!({
        "elicitation": {"form": {}, "url": {}},
        "sampling": {"tools": {}, "context": {}},
        "roots": {},
    })
}

/// A client of a running server, on one connection.
pub(crate) struct Peer {
    pub(crate) case: Case,
    link: Link,
    next_id: u64,
    capabilities: Value,
    user: Option<&'static str>,
    version: &'static str,
}

enum Link {
    Http(Connection, Option<Process>),
    Stdio(Pipe),
    Process(Process),
}

impl Peer {
    /// Runs `server` over the transport of `case`.
    pub(crate) async fn new(case: Case, server: &Server) -> Self {
        let link = match case.via {
            Via::Http => Link::Http(over_http(server.http()).await, None),
            Via::Stdio => Link::Stdio(Pipe::new(server.stdio())),
        };
        Self::over(case, link)
    }

    /// A client of a process that serves over the transport of `case`.
    pub(crate) async fn process(case: Case, mut process: Process) -> Self {
        let link = match case.via {
            Via::Http => {
                let address = process.line().await.parse().unwrap();
                Link::Http(Connection::open(address).await, Some(process))
            }
            Via::Stdio => Link::Process(process),
        };
        Self::over(case, link)
    }

    fn over(case: Case, link: Link) -> Self {
        Self {
            case,
            link,
            next_id: 1,
            capabilities: all_capabilities(),
            user: None,
            version: "2026-07-28",
        }
    }

    /// Kills the process at the other end.
    pub(crate) async fn kill(self) {
        match self.link {
            Link::Http(_, Some(process)) | Link::Process(process) => process.kill().await,
            _ => panic!("no process"),
        }
    }

    pub(crate) async fn of(case: Case, builder: ServerBuilder) -> Self {
        Self::new(case, &builder.build().unwrap()).await
    }

    pub(crate) fn declaring(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// From now on requests come from this authenticated user. Over HTTP only: a server on pipes
    /// knows nobody.
    pub(crate) fn user(&mut self, user: Option<&'static str>) -> &mut Self {
        assert_eq!(self.case.via, Via::Http);
        self.user = user;
        self
    }

    /// A request of `method` with an id and `_meta` of its own.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> Value {
        let meta = wire::meta_with(self.capabilities.clone());
        if params.get("_meta").is_none() {
            params["_meta"] = meta;
        }
        let id = self.next_id;
        self.next_id += 1;
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    pub(crate) async fn send(&mut self, request: &Value) -> Answer {
        let method = request["method"].as_str().unwrap();
        let answer = self
            .send_text(method, &request["params"], &request.to_string())
            .await;
        assert_eq!(
            answer.message.get("id"),
            request.get("id"),
            "{}",
            answer.message
        );
        answer
    }

    /// Sends `text` as the message; over HTTP with the headers of a correct request of `method`.
    pub(crate) async fn send_text(&mut self, method: &str, params: &Value, text: &str) -> Answer {
        let mut notices = Vec::new();
        let (status, text) = match &mut self.link {
            Link::Http(connection, _) => {
                let mut post = Post::new(method, params.clone()).body(text);
                post = post.with("MCP-Protocol-Version", self.version);
                if let Some(user) = self.user {
                    post = post.with("X-User", user);
                }
                let answer = connection.send(&post).await;
                let text = match answer.header("content-type").unwrap() {
                    "application/json" => String::from_utf8(answer.body).unwrap(),
                    "text/event-stream" => {
                        notices = answer.events();
                        notices.pop().unwrap().to_string()
                    }
                    other => panic!("{other}"),
                };
                (Some(answer.status), text)
            }
            link => {
                link.write(format!("{text}\n").as_bytes()).await;
                loop {
                    let line = link.line().await;
                    let message: Value = serde_json::from_str(&line).unwrap();
                    if message.get("method").is_none() {
                        break (None, line);
                    }
                    notices.push(message);
                }
            }
        };
        let message = serde_json::from_str(&text).unwrap();
        notices.iter().for_each(official_schema::check_notification);
        official_schema::check(method, &message);
        let answer = Answer {
            case: self.case,
            status,
            notices,
            message,
            text,
        };
        assert!(answer.is_error() || status.is_none_or(|status| status == 200));
        answer
    }

    /// Over HTTP, with this version in the header.
    pub(crate) async fn send_as_version(
        &mut self,
        version: &'static str,
        request: &Value,
    ) -> Answer {
        self.version = version;
        let answer = self.send(request).await;
        self.version = "2026-07-28";
        answer
    }

    /// What `Offer` registered under `name`, with these members of `params` besides.
    pub(crate) async fn call_with(&mut self, name: &str, members: Value) -> Answer {
        let mut params = self.case.kind.params(name);
        merge(&mut params, members);
        let request = self.request(self.case.kind.method(), params);
        self.send(&request).await
    }

    /// The same with `arguments` as they are written, where the method has some.
    pub(crate) async fn call_written(
        &mut self,
        name: &str,
        arguments: &str,
        members: Value,
    ) -> Answer {
        let mut params = self.case.kind.params(name);
        merge(&mut params, members);
        params["arguments"] = json!("$ARGUMENTS");
        let method = self.case.kind.method();
        let request = self.request(method, params);
        let text = request.to_string().replace("\"$ARGUMENTS\"", arguments);
        self.send_text(method, &request["params"], &text).await
    }

    /// A first round.
    pub(crate) async fn call(&mut self, name: &str) -> Answer {
        self.call_with(name, json!({})).await
    }

    /// A later round.
    pub(crate) async fn answer(
        &mut self,
        name: &str,
        answers: Value,
        state: impl AsRef<str>,
    ) -> Answer {
        let members = json!({"inputResponses": answers, "requestState": state.as_ref()});
        self.call_with(name, members).await
    }
}

impl Link {
    async fn write(&mut self, bytes: &[u8]) {
        match self {
            Self::Stdio(pipe) => pipe.write(bytes).await,
            Self::Process(process) => process.write(bytes).await,
            Self::Http(..) => unreachable!("has no lines"),
        }
    }

    async fn line(&mut self) -> String {
        match self {
            Self::Stdio(pipe) => pipe.line().await.expect("an answer"),
            Self::Process(process) => process.line().await,
            Self::Http(..) => unreachable!("has no lines"),
        }
    }
}

/// A listener whose authentication layer believes the header `X-User`.
async fn over_http(http: Http) -> Connection {
    let listener = http.bind("127.0.0.1:0").await.unwrap().wrap(|http| {
        tower::service_fn(move |mut request: Request<RequestBody>| {
            if let Some(user) = request.headers().get("x-user") {
                let user = Principal::new("https://issuer.example", user.to_str().unwrap());
                request.extensions_mut().insert(user);
            }
            let http = http.clone();
            async move { Ok::<_, Infallible>(http.oneshot(request).await.unwrap()) }
        })
    });
    let address = listener.local_addr();
    tokio::spawn(listener.run_until(std::future::pending()));
    Connection::open(address).await
}

/// The response to one request, and what came before it.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    case: Case,
    /// Over HTTP.
    pub(crate) status: Option<u16>,
    pub(crate) notices: Vec<Value>,
    pub(crate) message: Value,
    /// The message as it came.
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn is_error(&self) -> bool {
        self.message.get("error").is_some()
    }

    #[track_caller]
    pub(crate) fn result(&self) -> &Value {
        self.message
            .get("result")
            .unwrap_or_else(|| panic!("{}", self.message))
    }

    pub(crate) fn asks(&self) -> bool {
        !self.is_error() && self.result()["resultType"] == "input_required"
    }

    /// The keys of what is asked.
    #[track_caller]
    pub(crate) fn keys(&self) -> Vec<&str> {
        assert!(self.asks(), "{}", self.message);
        let requests = self
            .result()
            .get("inputRequests")
            .and_then(Value::as_object);
        requests.map_or_else(Vec::new, |requests| {
            requests.keys().map(String::as_str).collect()
        })
    }

    /// The parameters of a question.
    #[track_caller]
    pub(crate) fn question(&self, key: &str) -> &Value {
        assert!(self.asks(), "{}", self.message);
        let request = self.result()["inputRequests"].get(key);
        &request.unwrap_or_else(|| panic!("{key} was not asked: {}", self.message))["params"]
    }

    #[track_caller]
    pub(crate) fn state(&self) -> String {
        assert!(self.asks(), "{}", self.message);
        self.result()["requestState"].as_str().unwrap().to_owned()
    }

    /// The text of the complete result.
    #[track_caller]
    pub(crate) fn done(&self) -> &str {
        assert_eq!(self.result()["resultType"], "complete", "{}", self.message);
        self.case.kind.text(self.result())
    }

    /// Whether this is the error `code`, over HTTP with `status`.
    #[track_caller]
    pub(crate) fn assert_error(&self, code: i64, status: u16) -> &Value {
        let error = self
            .message
            .get("error")
            .unwrap_or_else(|| panic!("{}", self.message));
        assert_eq!(error["code"], code, "{}", self.message);
        assert!(
            self.status.is_none_or(|given| given == status),
            "{:?}: {}",
            self.status,
            self.message
        );
        error
    }

    /// Whether the state was rejected, in the one way in which that is said.
    #[track_caller]
    pub(crate) fn assert_state_rejected(&self) {
        let error = self.assert_error(-32_602, 400);
        let told = json!({
            "code": -32_602,
            "message": "Invalid or expired requestState",
            "data": {"reason": "invalid_request_state"},
        });
        assert_eq!(error, &told);
        assert!(self.message.get("id").is_some());
    }
}
