//! The benchmark's tool on the official Rust SDK, as its documentation shows it, with its own protection of the state:
//! `RequestStateCodec` with associated data and a time to live.
//!
//! It runs on hyper alone, which is faster than behind axum, and what can be made once (the codec, the form, the
//! router) is made once.

use std::error::Error;
use std::fmt::Display;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bench_kit::{ISSUER, KEY, Options, QUESTION, SERVER, SUBJECT, booked, question};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::common::FromContextPart;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::{InputResponses, RequestState, ToolCallContext};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::*;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

const TTL: Duration = Duration::from_secs(600);

static CODEC: LazyLock<RequestStateCodec> =
    LazyLock::new(|| RequestStateCodec::try_new(KEY).expect("a long key"));
static FORM: LazyLock<ElicitationSchema> =
    LazyLock::new(|| ElicitationSchema::from_type::<Dates>().expect("a form"));

#[derive(Deserialize, JsonSchema)]
struct Trip {
    city: String,
}

#[derive(Deserialize, JsonSchema)]
struct Dates {
    from: String,
    to: String,
}

/// What the state remembers.
#[derive(Serialize, Deserialize)]
struct Asked {
    question: String,
}

/// What a state is bound to: who calls which tool with which arguments.
struct Context(Vec<u8>);

impl<S> FromContextPart<ToolCallContext<'_, S>> for Context {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        // Members are sorted, so this is the same however the client orders them.
        let arguments = serde_json::to_vec(&context.arguments).map_err(invalid)?;
        let mut bound = format!("{ISSUER}|{SUBJECT}|tools/call|{}|", context.name).into_bytes();
        bound.extend_from_slice(&blake3::hash(&arguments).as_bytes()[..16]);
        Ok(Self(bound))
    }
}

#[derive(Clone)]
struct Travel {
    router: Arc<ToolRouter<Self>>,
}

#[tool_router]
impl Travel {
    #[tool(description = "Books a trip")]
    async fn book(
        &self,
        context: Context,
        Parameters(Trip { city }): Parameters<Trip>,
        RequestState(state): RequestState,
        InputResponses(answers): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(state) = state {
            let refused = |_| ErrorData::invalid_params("invalid requestState", None);
            let asked: Asked = CODEC.open_json_with(&state, &context.0).map_err(refused)?;
            if let Some(answer) = answers.unwrap_or_default().remove(&asked.question) {
                return finish(&city, answer);
            }
        }
        let asked = Asked {
            question: QUESTION.to_owned(),
        };
        let options = SealOptions::new().associated_data(&context.0).ttl(TTL);
        let state = CODEC.seal_json_with(&asked, &options).map_err(invalid)?;
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: question(&city),
            requested_schema: FORM.clone(),
        };
        let questions = [(
            QUESTION.to_owned(),
            InputRequest::Elicitation(ElicitRequest::new(params)),
        )];
        Ok(InputRequiredResult::new(Some(questions.into_iter().collect()), Some(state)).into())
    }
}

fn finish(city: &str, answer: Value) -> Result<CallToolResponse, ErrorData> {
    let answer: ElicitResult = serde_json::from_value(answer).map_err(invalid)?;
    if answer.action != ElicitationAction::Accept {
        return Ok(CallToolResult::error(vec![ContentBlock::text("refused")]).into());
    }
    let dates: Dates =
        serde_json::from_value(answer.content.unwrap_or_default()).map_err(invalid)?;
    let text = booked(city, &dates.from, &dates.to);
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
}

fn invalid(error: impl Display) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

async fn filler(Parameters(Trip { city }): Parameters<Trip>) -> String {
    city
}

#[tool_handler(router = self.router)]
impl ServerHandler for Travel {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new(SERVER, "1.0.0"))
    }
}

impl Travel {
    fn new(options: &Options) -> Self {
        let mut router = Self::tool_router();
        let schema = rmcp::handler::server::tool::schema_for_type::<Trip>();
        for name in options.fillers() {
            router.add_route(ToolRoute::new(
                Tool::new(name, "Does nothing", schema.clone()),
                filler,
            ));
        }
        Self {
            router: Arc::new(router),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::from_args();
    let travel = Travel::new(&options);
    match options {
        Options { pipes: true, .. } => {
            travel
                .serve(rmcp::transport::stdio_pipes())
                .await?
                .waiting()
                .await?;
        }
        Options { stdio: true, .. } => {
            travel
                .serve(rmcp::transport::stdio())
                .await?
                .waiting()
                .await?;
        }
        _ => serve(travel, options.port).await?,
    }
    Ok(())
}

async fn serve(travel: Travel, port: u16) -> Result<(), Box<dyn Error>> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let service: StreamableHttpService<Travel, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(travel.clone()), Arc::default(), config);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening");
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new());
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = TowerToHyperService::new(service.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            let _ = connection.await;
        });
    }
}
