//! Calling tools.

use mrtr::flow::{Flow, Next, Turn};
use mrtr::server::{Json, flow, tool};
use mrtr::wire::{CallToolResult, ContentBlock};
use mrtr::{Cx, Refused, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{Peer, accept, builder, is_asking, text};

#[derive(Deserialize, JsonSchema)]
struct Trip {
    to: String,
    #[serde(default)]
    seats: Vec<Seat>,
}

#[derive(Deserialize, JsonSchema)]
struct Seat {
    row: u8,
}

#[derive(Serialize, JsonSchema)]
struct Ticket {
    to: String,
    rows: Vec<u8>,
}

async fn book(_: Cx, trip: Trip) -> Result<Json<Ticket>, ToolError> {
    Ok(Json(Ticket {
        to: trip.to,
        rows: trip.seats.iter().map(|seat| seat.row).collect(),
    }))
}

#[tokio::test]
async fn structured_output_comes_as_structure_as_text_and_with_its_schema() {
    let peer = Peer::of(builder().tool(tool("book", book)));
    let result = peer
        .tool("book", json!({"to": "Oslo", "seats": [{"row": 3}]}))
        .await;
    assert_eq!(
        result["structuredContent"],
        json!({"to": "Oslo", "rows": [3]})
    );
    assert_eq!(text(&result), r#"{"to":"Oslo","rows":[3]}"#);

    let list = peer.result("tools/list", json!({})).await;
    let schema = &list["tools"][0]["outputSchema"];
    let validator = jsonschema::validator_for(schema).expect("a schema");
    assert!(validator.is_valid(&result["structuredContent"]), "{schema}");
    assert!(!validator.is_valid(&json!({"to": "Oslo"})), "{schema}");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_told_to_the_model_with_their_path() {
    let peer = Peer::of(builder().tool(tool("book", book)));
    for (arguments, said) in [
        (
            json!({"to": "Oslo", "seats": [{"row": 3}, {"row": "x"}]}),
            "`seats[1].row`: invalid type: string \"x\"",
        ),
        (
            json!({"to": "Oslo", "seats": [{"row": 300}]}),
            "`seats[0].row`: invalid value: integer `300`",
        ),
        (json!({"to": 7}), "`to`: invalid type"),
        (json!({}), "missing field `to`"),
    ] {
        let result = peer.tool("book", arguments).await;
        assert_eq!(result["isError"], true);
        let text = text(&result);
        assert!(text.contains(said) && text.contains("`book`"), "{text}");
        assert!(!text.contains("line"), "{text}");
        assert!(result.get("structuredContent").is_none());
    }
}

#[tokio::test]
async fn bounds_of_the_schema_hold_before_the_handler_runs() {
    #[derive(Deserialize, JsonSchema)]
    struct Order {
        #[schemars(range(min = 1, max = 9))]
        seats: u8,
    }
    async fn order(_: Cx, order: Order) -> Result<String, ToolError> {
        Ok(order.seats.to_string())
    }
    let peer = Peer::of(builder().tool(tool("order", order)));
    assert_eq!(text(&peer.tool("order", json!({"seats": 9})).await), "9");
    let result = peer.tool("order", json!({"seats": 10})).await;
    assert_eq!(result["isError"], true);
    assert_eq!(
        text(&result),
        "Invalid arguments for the tool `order`: `seats`: must be at most 9, not 10"
    );
}

#[tokio::test]
async fn a_flow_is_a_tool_like_any_other() {
    #[derive(Deserialize, JsonSchema)]
    struct Survey {
        questions: Vec<String>,
    }
    impl Flow for Survey {
        type State = usize;
        type Output = Json<usize>;

        async fn advance(
            &self,
            turn: &mut Turn,
            state: Option<usize>,
        ) -> Result<Next<usize, Json<usize>>, ToolError> {
            for at in state.unwrap_or(0)..self.questions.len() {
                let ask = turn.cx().confirm(at.to_string(), &self.questions[at]);
                if turn.answer(ask)?.is_none() {
                    return Ok(Next::Ask(at));
                }
            }
            Ok(Next::Done(Json(self.questions.len())))
        }
    }
    let peer = Peer::of(builder().tool(flow("survey", |survey: Survey| survey)));
    let params = json!({"name": "survey", "arguments": {"questions": ["One?", "Two?"]}});
    let mut result = peer.result("tools/call", params.clone()).await;
    for key in ["0", "1"] {
        assert_eq!(
            result["inputRequests"]
                .as_object()
                .expect("questions")
                .len(),
            1
        );
        let answers = json!({key: accept(json!({"confirmed": true}))});
        result = peer.retry("tools/call", &params, &result, answers).await;
    }
    assert_eq!(result["structuredContent"], 2);
}

#[tokio::test]
async fn no_arguments_are_the_same_as_an_empty_object() {
    async fn ping(_: Cx, _: ()) -> Result<&'static str, ToolError> {
        Ok("pong")
    }
    let peer = Peer::of(builder().tool(tool("ping", ping)));
    for params in [
        json!({"name": "ping"}),
        json!({"name": "ping", "arguments": {}}),
        json!({"name": "ping", "arguments": null}),
    ] {
        assert_eq!(text(&peer.result("tools/call", params).await), "pong");
    }
    let result = peer.tool("ping", json!({"x": 1})).await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("takes no arguments, but `x` was given"));
}

#[tokio::test]
async fn a_handler_may_return_texts_blocks_nothing_and_whole_results() {
    async fn owned(_: Cx, _: ()) -> Result<String, ToolError> {
        Ok("owned".into())
    }
    async fn nothing(_: Cx, _: ()) -> Result<(), ToolError> {
        Ok(())
    }
    async fn blocks(_: Cx, _: ()) -> Result<Vec<ContentBlock>, ToolError> {
        Ok(vec![
            ContentBlock::text("a"),
            ContentBlock::image("AA==", "image/png"),
        ])
    }
    async fn whole(_: Cx, _: ()) -> Result<CallToolResult, ToolError> {
        let mut result = CallToolResult::text("mine");
        let mut meta = mrtr::wire::RawObject::new();
        meta.insert_as("example.com/own", &7)?;
        result.meta = Some(meta);
        Ok(result)
    }
    let peer = Peer::of(
        builder()
            .tool(tool("owned", owned))
            .tool(tool("nothing", nothing))
            .tool(tool("blocks", blocks))
            .tool(tool("whole", whole)),
    );
    assert_eq!(text(&peer.tool("owned", json!({})).await), "owned");
    assert_eq!(peer.tool("nothing", json!({})).await["content"], json!([]));
    assert_eq!(
        peer.tool("blocks", json!({})).await["content"][1]["mimeType"],
        "image/png"
    );
    let whole = peer.tool("whole", json!({})).await;
    assert_eq!(whole["_meta"]["example.com/own"], 7);
    assert_eq!(
        whole["_meta"]["io.modelcontextprotocol/serverInfo"]["version"],
        "1.0.0"
    );
}

#[tokio::test]
async fn a_handler_may_be_a_closure_that_owns_things() {
    let prices = std::sync::Arc::new(vec![3, 4]);
    let peer = Peer::of(builder().tool(tool("total", move |_: Cx, (): ()| {
        let prices = prices.clone();
        async move { Ok::<_, ToolError>(prices.iter().sum::<i32>().to_string()) }
    })));
    assert_eq!(text(&peer.tool("total", json!({})).await), "7");
}

#[tokio::test]
async fn a_declined_question_is_an_error_text_and_no_protocol_error() {
    async fn pay(cx: Cx, _: ()) -> Result<&'static str, Refused> {
        cx.confirm("pay", "Pay?").await?;
        Ok("paid")
    }
    let peer = Peer::of(builder().tool(tool("pay", pay)));
    let params = json!({"name": "pay"});
    for (answer, word) in [
        (json!({"action": "decline"}), "declined"),
        (json!({"action": "cancel"}), "cancelled"),
        (accept(json!({"confirmed": false})), "declined"),
    ] {
        let asked = peer.result("tools/call", params.clone()).await;
        assert!(is_asking(&asked));
        let result = peer
            .retry("tools/call", &params, &asked, json!({"pay": answer}))
            .await;
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains(word), "{result}");
    }
}

#[tokio::test]
async fn a_refusal_survives_anyhow_and_context() {
    async fn pay(cx: Cx, _: ()) -> anyhow::Result<&'static str> {
        use anyhow::Context;
        cx.confirm("pay", "Pay?").await.context("while paying")?;
        Ok("paid")
    }
    let peer = Peer::of(builder().tool(tool("pay", pay)));
    let params = json!({"name": "pay"});
    let asked = peer.result("tools/call", params.clone()).await;
    let result = peer
        .retry(
            "tools/call",
            &params,
            &asked,
            json!({"pay": {"action": "decline"}}),
        )
        .await;
    assert!(text(&result).contains("declined"), "{result}");
}

#[tokio::test]
async fn errors_of_the_author_are_opaque_unless_made_visible() {
    async fn opaque(_: Cx, _: ()) -> Result<(), ToolError> {
        Err(std::io::Error::other("password=hunter2"))?
    }
    async fn visible(_: Cx, _: ()) -> Result<(), ToolError> {
        Err(ToolError::visible("The flight is full.").caused_by("row 7"))
    }
    let peer = Peer::of(
        builder()
            .tool(tool("opaque", opaque))
            .tool(tool("visible", visible)),
    );
    let result = peer.tool("opaque", json!({})).await;
    assert_eq!(result["isError"], true);
    assert!(!result.to_string().contains("hunter2"));
    let result = peer.tool("visible", json!({})).await;
    assert_eq!(
        (text(&result), &result["isError"]),
        ("The flight is full.", &json!(true))
    );
}
