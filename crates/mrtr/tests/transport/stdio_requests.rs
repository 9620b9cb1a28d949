//! How requests run side by side over pipes: cancelled, too many, too long, at the end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::gate::Gate;
use crate::support::pipe::Pipe;
use crate::support::{message, meta, meta_with};
use mrtr::server::{Notify as _, Server, ServerBuilder, Stdio, Tool, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::{Cx, ToolError};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// Resolves when everything else waits: with the clock paused, it only moves then.
const IDLE: Duration = Duration::from_millis(10);

fn builder() -> ServerBuilder {
    let keyring = Keyring::new([Secret::generate([7; 32])]).unwrap();
    Server::builder("stdio", "1.0.0").keyring(keyring)
}

fn stdio(builder: ServerBuilder) -> Stdio {
    builder.build().unwrap().stdio()
}

fn call(id: impl Into<Value>, tool: &str) -> Value {
    let mut meta = meta();
    meta["progressToken"] = json!("p");
    let mut message = message(
        "tools/call",
        json!({"name": tool, "arguments": {}, "_meta": meta}),
    );
    message["id"] = id.into();
    message
}

fn cancel(id: impl Into<Value>) -> Value {
    let params = json!({"requestId": id.into(), "reason": "changed my mind"});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
}

fn quick() -> Tool {
    tool("quick", |_: Cx, (): ()| async {
        Ok::<_, ToolError>("quick")
    })
}

#[tokio::test]
async fn a_slow_request_does_not_hold_up_a_quick_one() {
    let gate = Gate::new();
    let mut pipe = Pipe::new(stdio(builder().tool(gate.tool()).tool(quick())));
    pipe.send(&call("slow", "gate")).await;
    pipe.send(&call("fast", "quick")).await;
    assert_eq!(pipe.next().await["params"]["progress"], 1.0);
    assert_eq!(pipe.next().await["id"], "fast");
    gate.let_go(1);
    assert_eq!(pipe.next().await["params"]["progress"], 2.0);
    let answer = pipe.next().await;
    assert_eq!((&answer["id"], text(&answer)), (&json!("slow"), "through"));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_is_dropped_and_nothing_more_is_sent_for_it() {
    let gate = Gate::new();
    let mut pipe = Pipe::new(stdio(builder().tool(gate.tool()).tool(quick())));
    for id in [json!(7), json!("7"), json!("\u{e9}")] {
        pipe.send(&call(id.clone(), "gate")).await;
        assert_eq!(pipe.next().await["params"]["progress"], 1.0);
        pipe.send(&cancel(id)).await;
        gate.entered(1).await;
        gate.left(1).await;
    }
    gate.let_go(3);
    assert!(timeout(IDLE, pipe.line()).await.is_err(), "silence");
    pipe.send(&call(8, "quick")).await;
    assert_eq!(pipe.next().await["id"], 8);
    assert_eq!(pipe.rest().await, [] as [Value; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_of_another_id_cancels_nothing() {
    let gate = Gate::new();
    let mut pipe = Pipe::new(stdio(builder().tool(gate.tool())));
    pipe.send(&call(7, "gate")).await;
    gate.entered(1).await;
    for other in [
        cancel("7"),
        cancel(8),
        cancel(Value::Null),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}),
    ] {
        pipe.send(&other).await;
    }
    assert!(timeout(IDLE, gate.left(1)).await.is_err());
    gate.let_go(1);
    let rest = pipe.rest().await;
    assert_eq!(text(rest.last().unwrap()), "through");
}

#[tokio::test(start_paused = true)]
async fn what_waits_to_be_written_is_not_written_after_a_cancellation() {
    let mut pipe = Pipe::with_room(stdio(builder().tool(quick())), 100);
    let idle = || tokio::time::sleep(IDLE);
    // Its answer does not fit into the pipe, so the next ones are done but have to wait.
    pipe.send(&call(1, "quick")).await;
    idle().await;
    pipe.send(&call(2, "quick")).await;
    pipe.send(&call(3, "quick")).await;
    idle().await;
    pipe.send(&cancel(2)).await;
    idle().await;
    let rest = pipe.rest().await;
    let ids: Vec<_> = rest.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [1, 3]);
}

#[tokio::test]
async fn an_id_in_flight_is_refused_and_the_request_in_flight_goes_on() {
    let gate = Gate::new();
    let mut pipe = Pipe::new(stdio(builder().tool(gate.tool()).tool(quick())));
    pipe.send(&call(7, "gate")).await;
    assert_eq!(pipe.next().await["params"]["progress"], 1.0);
    pipe.send(&call(7, "quick")).await;
    let refused = pipe.next().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(7), &json!(-32600))
    );
    // A string and a number are different ids.
    pipe.send(&call("7", "quick")).await;
    assert_eq!(pipe.next().await["id"], "7");
    gate.let_go(1);
    assert_eq!(pipe.next().await["params"]["progress"], 2.0);
    assert_eq!(text(&pipe.next().await), "through");
    // Answered, the id is free again.
    pipe.send(&call(7, "quick")).await;
    assert_eq!(text(&pipe.next().await), "quick");
}

#[tokio::test(start_paused = true)]
async fn an_id_is_free_again_once_its_request_is_cancelled() {
    let gate = Gate::new();
    let mut pipe = Pipe::new(stdio(builder().tool(gate.tool()).tool(quick())));
    pipe.send(&call(7, "gate")).await;
    assert_eq!(pipe.next().await["params"]["progress"], 1.0);
    pipe.send(&cancel(7)).await;
    pipe.send(&call(7, "quick")).await;
    assert_eq!(text(&pipe.next().await), "quick");
    gate.left(1).await;
    assert_eq!(pipe.rest().await, [] as [Value; 0]);
}

#[tokio::test(start_paused = true)]
async fn so_many_run_at_a_time_and_all_get_their_turn() {
    let gate = Gate::new();
    let mut pipe = Pipe::new(stdio(builder().tool(gate.tool())).max_in_flight(3));
    for id in 0..20 {
        pipe.send(&call(id, "gate")).await;
    }
    gate.entered(3).await;
    assert!(timeout(IDLE, gate.entered(1)).await.is_err(), "no fourth");
    gate.let_go(20);
    let rest = pipe.rest().await;
    let mut ids: Vec<_> = rest
        .iter()
        .filter_map(|answer| answer["id"].as_u64())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..20).collect::<Vec<_>>());
    assert_eq!(gate.most.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waits_for_its_turn_can_be_cancelled() {
    let gate = Gate::new();
    let mut pipe = Pipe::new(stdio(builder().tool(gate.tool())).max_in_flight(1));
    pipe.send(&call(1, "gate")).await;
    gate.entered(1).await;
    pipe.send(&call(2, "gate")).await;
    pipe.send(&cancel(2)).await;
    assert!(timeout(IDLE, gate.entered(1)).await.is_err());
    gate.let_go(2);
    let rest = pipe.rest().await;
    let ids: Vec<_> = rest
        .iter()
        .filter_map(|answer| answer["id"].as_u64())
        .collect();
    assert_eq!(ids, [1]);
    assert!(
        timeout(IDLE, gate.entered(1)).await.is_err(),
        "it never ran"
    );
}

#[tokio::test]
async fn a_panic_is_an_internal_error_and_the_server_lives_on() {
    let panics = tool("panics", |_: Cx, (): ()| async {
        if true {
            panic!("secret detail");
        }
        Ok::<_, ToolError>("unreachable")
    });
    let mut pipe = Pipe::new(stdio(builder().tool(panics).tool(quick())));
    pipe.send(&call(1, "panics")).await;
    let answer = pipe.next().await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(1), &json!(-32603))
    );
    assert!(!answer.to_string().contains("secret"));
    pipe.send(&call(2, "quick")).await;
    assert_eq!(text(&pipe.next().await), "quick");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_takes_too_long_is_a_deadline_error() {
    let gate = Gate::new();
    let builder = builder()
        .tool(gate.tool())
        .request_deadline(Duration::from_secs(9));
    let mut pipe = Pipe::new(stdio(builder));
    let started = Instant::now();
    pipe.send(&call(1, "gate")).await;
    assert_eq!(pipe.next().await["params"]["progress"], 1.0);
    let answer = pipe.next().await;
    assert_eq!(started.elapsed().as_secs(), 9);
    assert_eq!(answer["error"]["data"]["reason"], "deadline");
    gate.left(1).await;
}

#[tokio::test(start_paused = true)]
async fn what_runs_at_the_end_of_input_is_finished() {
    let gate = Gate::new();
    let mut pipe = Pipe::new(stdio(builder().tool(gate.tool())));
    pipe.send(&call(1, "gate")).await;
    gate.entered(1).await;
    pipe.close();
    assert!(timeout(Duration::from_secs(4), gate.left(1)).await.is_err());
    gate.let_go(1);
    let rest = pipe.rest().await;
    assert_eq!(text(rest.last().unwrap()), "through");
}

#[tokio::test(start_paused = true)]
async fn what_does_not_finish_within_the_grace_is_dropped_and_the_server_ends() {
    let gate = Gate::new();
    let mut pipe =
        Pipe::new(stdio(builder().tool(gate.tool())).shutdown_grace(Duration::from_secs(3)));
    pipe.send(&call(1, "gate")).await;
    assert_eq!(pipe.next().await["params"]["progress"], 1.0);
    let started = Instant::now();
    assert_eq!(pipe.rest().await, [] as [Value; 0]);
    assert_eq!(started.elapsed().as_secs(), 3);
    gate.left(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_loses_progress_but_no_response() {
    let done = Arc::new(Notify::new());
    let tell = done.clone();
    let flood = tool("flood", move |cx: Cx, (): ()| {
        let done = tell.clone();
        async move {
            for n in 1..=2000 {
                cx.progress(f64::from(n), None, "so far");
                tokio::task::yield_now().await;
            }
            done.notify_one();
            Ok::<_, ToolError>("flooded")
        }
    });
    let mut pipe = Pipe::with_room(stdio(builder().tool(flood)), 512);
    pipe.send(&call(1, "flood")).await;
    done.notified().await;
    let rest = pipe.rest().await;
    assert!(rest.len() < 2000, "{}", rest.len());
    assert_eq!(text(rest.last().unwrap()), "flooded");
}

#[tokio::test(start_paused = true)]
async fn progress_of_a_handler_that_outlives_its_request_goes_nowhere() {
    let go = Arc::new(Notify::new());
    let wait = go.clone();
    let spawns = tool("spawns", move |cx: Cx, (): ()| {
        let go = wait.clone();
        async move {
            cx.progress(1.0, None, None);
            tokio::spawn(async move {
                go.notified().await;
                cx.progress(2.0, None, None);
            });
            Ok::<_, ToolError>("done")
        }
    });
    let mut pipe = Pipe::new(stdio(builder().tool(spawns).tool(quick())));
    pipe.send(&call(1, "spawns")).await;
    assert_eq!(pipe.next().await["params"]["progress"], 1.0);
    assert_eq!(text(&pipe.next().await), "done");
    go.notify_one();
    assert!(timeout(IDLE, pipe.line()).await.is_err());
    pipe.send(&call(2, "spawns")).await;
    assert_eq!(pipe.next().await["params"]["progress"], 1.0);
    // The handler still holds the way to the client; the server ends all the same.
    assert_eq!(pipe.rest().await.len(), 1);
}

#[tokio::test]
async fn a_call_that_asks_is_continued_by_another_process() {
    let ask = || {
        stdio(builder().tool(tool("ask", |cx: Cx, (): ()| async move {
            cx.confirm("sure", "Sure?").await?;
            Ok::<_, ToolError>("done")
        })))
    };
    let params = |more: Value| {
        let mut params =
            json!({"name": "ask", "arguments": {}, "_meta": meta_with(json!({"elicitation": {}}))});
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        message("tools/call", params)
    };
    let mut first = Pipe::new(ask());
    first.send(&params(json!({}))).await;
    let round = first.next().await;
    assert_eq!(round["result"]["resultType"], "input_required");
    let question = &round["result"]["inputRequests"]["sure"]["params"]["requestedSchema"];
    let field = question["properties"]
        .as_object()
        .unwrap()
        .keys()
        .next()
        .unwrap()
        .clone();
    assert_eq!(first.rest().await, [] as [Value; 0]);

    let mut second = Pipe::new(ask());
    second
        .send(&params(json!({
            "requestState": round["result"]["requestState"],
            "inputResponses": {"sure": {"action": "accept", "content": {field: true}}}
        })))
        .await;
    assert_eq!(text(&second.next().await), "done");
}
