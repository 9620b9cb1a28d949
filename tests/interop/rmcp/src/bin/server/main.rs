//! A server on rmcp that asks in every way there is.
//!
//! `server http` prints the URL it serves at; `server stdio` serves over the standard streams.

// Sampling and roots are deprecated, and asked for all the same.
#![allow(deprecated)]

mod tools;

use interop_rmcp::{Asking, Gather, invalid};
use rmcp::model::*;
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt, tool_handler};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::broadcast;

use crate::tools::Travel;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Page {
    #[schemars(range(min = 1))]
    page: u32,
}

#[tool_handler]
impl ServerHandler for Travel {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("interop-rmcp", "1.0.0"))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut touched = self.touched.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                touched = touched.recv() => touched.map_err(invalid)?,
            }
            let sink = context.sink();
            sink.notify_resource_updated("note://today").await.map_err(invalid)?;
            sink.notify_tool_list_changed().await.map_err(invalid)?;
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let typed = request.argument.value;
        let topics = ["Kyoto", "Kyushu", "Oslo"].map(str::to_owned);
        let topics = topics.into_iter().filter(|topic| topic.starts_with(&typed)).collect();
        let completion = CompletionInfo::new(topics).map_err(invalid)?;
        Ok(CompleteResult::new(completion))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let topic = PromptArgument::new("topic").with_required(true);
        let brief = Prompt::new("brief", Some("A brief in some tone"), Some(vec![topic]));
        Ok(ListPromptsResult::with_all_items(vec![brief]))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(
            "note://today",
            "today",
        )]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let tone = json!({"type": "object", "required": ["tone"], "properties": {
            "tone": {"type": "string", "enum": ["formal", "friendly"]}
        }});
        let gathered = Gather::new("brief", request.request_state, request.input_responses)
            .form("tone", "Which tone?", tone)
            .known();
        match gathered {
            Ok(known) => {
                let arguments = request.arguments.unwrap_or_default();
                let topic = arguments.get("topic").and_then(|topic| topic.as_str()).unwrap_or("?");
                let tone = known["tone"]["tone"].as_str().unwrap_or("?");
                let message = PromptMessage::new_text(Role::User, format!("{topic}, {tone}"));
                Ok(GetPromptResult::new(vec![message]).into())
            }
            Err(Asking::Round(round)) => Ok(round.into()),
            Err(Asking::Refused(action)) => Err(invalid(format!("{action:?}"))),
            Err(Asking::Wrong(error)) => Err(error),
        }
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let gathered = Gather::new("today", request.request_state, request.input_responses)
            .of::<Page>("page", "Which page?")
            .known();
        match gathered {
            Ok(known) => {
                let page = ResourceContents::text(format!("page {}", known["page"]["page"]), request.uri);
                Ok(ReadResourceResult::new(vec![page]).into())
            }
            Err(Asking::Round(round)) => Ok(round.into()),
            Err(Asking::Refused(action)) => Err(invalid(format!("{action:?}"))),
            Err(Asking::Wrong(error)) => Err(error),
        }
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let travel = Travel {
        touched: broadcast::Sender::new(16),
    };
    if std::env::args().nth(1).as_deref() == Some("stdio") {
        travel.serve(rmcp::transport::stdio()).await?.waiting().await?;
        return Ok(());
    }
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false);
    let service: StreamableHttpService<Travel, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(travel.clone()), Default::default(), config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
