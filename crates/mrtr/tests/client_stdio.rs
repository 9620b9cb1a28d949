//! Servers that run as child processes.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(unix)]

mod client_support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use client_support::child::Child;
use client_support::peer::discovered;
use client_support::{asks, done, form, says_yes, version_error};
use mrtr::client::{
    Answerer, Client, ClientError, ClientLimits, Delivery, Direction, Loss, Stderr, Turn,
};
use mrtr::exchange::Blame;
use serde_json::{Value, json};

#[tokio::test]
async fn a_call_over_all_its_rounds_through_a_real_process() {
    let child = Child::new(&format!(
        "take; result '{}'; take; result '{}'",
        asks(form()),
        done()
    ));
    let client = child.client();
    client
        .call_tool("t", &json!({"a": 1}), &says_yes())
        .await
        .unwrap();
    let log = child.log();
    assert_eq!(
        child.methods(),
        ["server/discover", "tools/call", "tools/call"]
    );
    let meta = &log[0]["params"]["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({})
    );
    let mut retry = log[2]["params"].clone();
    assert_eq!(
        retry["_meta"]["io.modelcontextprotocol/clientCapabilities"],
        json!({"elicitation": {"form": {}}})
    );
    retry.as_object_mut().unwrap().remove("_meta");
    let answers = json!({"q": {"action": "accept", "content": {"yes": true}}});
    assert_eq!(
        retry,
        json!({"name": "t", "arguments": {"a": 1}, "inputResponses": answers, "requestState": "S1"})
    );
    assert_ne!(log[1]["id"], log[2]["id"]);
    client.close().await;
}

#[tokio::test]
async fn the_process_starts_with_the_first_request_and_is_probed_once() {
    let child = Child::new(&format!("while :; do take; result '{}'; done", done()));
    let client = child.client();
    assert!(child.log().is_empty());
    let call = |name: &'static str| {
        let client = client.clone();
        async move { client.call_tool(name, &json!({}), &()).await.unwrap() }
    };
    tokio::join!(call("a"), call("b"), call("c"));
    let methods = child.methods();
    assert_eq!(methods[0], "server/discover");
    assert_eq!(
        methods
            .iter()
            .filter(|method| *method == "tools/call")
            .count(),
        3
    );
    assert_eq!(
        methods.len(),
        4,
        "no list of tools is needed without headers"
    );
    client.close().await;
}

#[tokio::test]
async fn answers_find_their_requests_in_any_order() {
    // Answers the second request first.
    let script = format!(
        "take; first=$id; take; result '{{\"resultType\":\"complete\",\"contents\":[]}}'; id=$first; result '{}'",
        done()
    );
    let child = Child::new(&script);
    let client = child.client();
    let mut tool = client.tool("t", &json!({})).unwrap();
    let resource = client.clone();
    let first = tool.advance();
    let second = async {
        // The line of the first is on its way before the second starts.
        while child.methods().len() < 2 {
            tokio::task::yield_now().await;
        }
        resource.read_resource("a://b", &()).await
    };
    let (first, second) = tokio::join!(first, second);
    assert!(matches!(first.unwrap(), Turn::Done(_)));
    assert!(second.unwrap().contents.is_empty());
    client.close().await;
}

#[tokio::test]
async fn an_older_server_is_named_as_such() {
    for (script, evidence) in [
        (
            "take; error '{\"code\":-32601,\"message\":\"Method not found\"}'; take",
            "Method not found (-32601)",
        ),
        (
            "take; error '{\"code\":-32602,\"message\":\"Invalid request parameters\"}'; take",
            "(-32602)",
        ),
        (
            "take; result '{\"protocolVersion\":\"2025-11-25\"}'; take",
            "cannot be read",
        ),
    ] {
        let child = Child::raw(script);
        let error = child
            .client()
            .call_tool("t", &json!({}), &())
            .await
            .unwrap_err();
        let ClientError::OlderServer(older) = &error else {
            panic!("{error}")
        };
        assert!(older.evidence().contains(evidence), "{error}");
        assert!(error.to_string().contains("2025-11-25"), "{error}");
        assert_eq!(error.blame(), Blame::Peer);
        assert_eq!(
            child.methods(),
            ["server/discover"],
            "the call is never sent to it"
        );
    }
}

#[tokio::test]
async fn a_silent_server_is_an_older_one() {
    let child = Child::raw("take; take");
    let mut limits = ClientLimits::default();
    limits.probe = Duration::from_millis(50);
    let client = child.builder().limits(limits).build().unwrap();
    let error = client.list_tools().await.unwrap_err();
    assert!(matches!(error, ClientError::OlderServer(_)), "{error}");
}

#[tokio::test]
async fn versions_are_agreed_on_by_the_probe() {
    let refusal = version_error(1, json!(["2025-11-25", "2026-07-28"]));
    let child = Child::raw(&format!(
        "take; say '{refusal}'; take; result '{}'; take; result '{}'",
        discovered("s"),
        done()
    ));
    let client = child
        .builder()
        .versions(["2027-01-01", "2026-07-28"])
        .build()
        .unwrap();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    let version = |message: &Value| {
        message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].clone()
    };
    let versions: Vec<_> = child.log().iter().map(version).collect();
    assert_eq!(versions, ["2027-01-01", "2026-07-28", "2026-07-28"]);
    client.close().await;

    let only_old = version_error(1, json!(["2025-11-25"]));
    let mut lists = discovered("s");
    lists["supportedVersions"] = json!(["2027-01-01"]);
    for script in [
        format!("take; say '{only_old}'"),
        format!("take; result '{lists}'"),
    ] {
        let child = Child::raw(&script);
        let error = child
            .client()
            .call_tool("t", &json!({}), &())
            .await
            .unwrap_err();
        assert!(matches!(error, ClientError::NoCommonVersion(_)), "{error}");
        assert_eq!(child.methods(), ["server/discover"]);
    }
}

#[tokio::test]
async fn a_program_that_cannot_start_or_exits_says_why() {
    let client = Client::command("/no/such/program", ["x"]).build().unwrap();
    let error = client.list_tools().await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable(_)));
    assert!(error.to_string().contains("/no/such/program"), "{error}");

    let child = Child::raw("echo 'no database' >&2; exit 3");
    let error = child.client().list_tools().await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable(_)));
    assert_eq!(error.delivery(), Delivery::NotDelivered);
    assert!(error.to_string().contains("exit status: 3"), "{error}");
    assert!(error.to_string().contains("no database"), "{error}");
}

#[tokio::test]
async fn a_dead_server_is_started_anew_by_the_next_call() {
    let child = Child::new(&format!("take; result '{}'", done()));
    let client = child.client();
    for _ in 0..2 {
        // The script ends after one call; the exit may be seen before or after the next request.
        let mut call = client.tool("t", &json!({})).unwrap();
        let outcome = loop {
            match call.advance().await {
                Ok(Turn::Done(outcome)) => break outcome,
                Ok(turn) => panic!("{turn:?}"),
                Err(ClientError::Unreachable(_)) => {}
                Err(ClientError::Ambiguous(_)) => call.send_again().unwrap(),
                Err(error) => panic!("{error}"),
            }
        };
        assert!(!outcome.into_tool().unwrap().is_error());
    }
    let probes = child
        .methods()
        .iter()
        .filter(|m| *m == "server/discover")
        .count();
    assert_eq!(probes, 2, "a new process is probed anew");
    client.close().await;
}

#[tokio::test]
async fn b21_a_server_that_dies_before_its_answer_is_ambiguous_and_not_asked_again() {
    let child = Child::new("take; echo 'out of memory' >&2; exit 9");
    let client = child.client();
    let error = client.call_tool("pay", &json!({}), &()).await.unwrap_err();
    let ClientError::Ambiguous(lost) = &error else {
        panic!("{error}")
    };
    assert!(matches!(lost.loss, Loss::Closed { .. }));
    assert!(error.to_string().contains("exit status: 9"), "{error}");
    assert!(error.to_string().contains("out of memory"), "{error}");
    assert_eq!(
        child.methods(),
        ["server/discover", "tools/call"],
        "one execution"
    );
}

#[tokio::test]
async fn dropping_a_request_in_flight_sends_cancelled_for_its_id() {
    let child = Child::new(
        "take; say '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}'; take; touch \"$DIR/cancelled\"; take",
    );
    let (told, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let client = child
        .builder()
        .on_notification(move |_| told.send(()).unwrap())
        .build()
        .unwrap();
    let mut call = client.tool("t", &json!({})).unwrap();
    tokio::select! {
        turn = call.advance() => panic!("{turn:?}"),
        _ = seen.recv() => {}
    }
    drop(call);
    client.close().await;
    let log = child.log();
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": log[1]["id"]}});
    assert_eq!(log[2], cancelled);
    assert_eq!(log.len(), 3);
}

#[tokio::test]
async fn b9_giving_up_while_a_person_answers_sends_nothing() {
    let child = Child::new(&format!("take; result '{}'; take; take", asks(form())));
    let client = child.client();
    let mut call = client
        .tool("t", &json!({}))
        .unwrap()
        .declare(says_yes().capabilities());
    assert!(matches!(call.advance().await.unwrap(), Turn::Asked(_)));
    drop(call);
    client.close().await;
    assert_eq!(child.methods(), ["server/discover", "tools/call"]);
}

#[tokio::test]
async fn what_is_not_a_message_is_passed_over() {
    let late = json!({"jsonrpc": "2.0", "id": 4711, "result": {}});
    let request = json!({"jsonrpc": "2.0", "id": "r", "method": "roots/list"});
    let child = Child::new(&format!(
        "take; say 'debug: hello'; say ''; say '{late}'; say '{request}'; result '{}'; take",
        done()
    ));
    let client = child.client();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    client.close().await;
    assert_eq!(child.methods().len(), 2, "and never answered");
}

#[tokio::test]
async fn a_message_beyond_the_limit_ends_the_connection() {
    let child = Child::new("take; head -c 5000 /dev/zero | tr '\\0' 'x'; take");
    let mut limits = ClientLimits::default();
    limits.message = 4000;
    let client = child.builder().limits(limits).build().unwrap();
    let error = client.call_tool("t", &json!({}), &()).await.unwrap_err();
    assert!(matches!(error, ClientError::Ambiguous(_)));
    assert!(error.to_string().contains("4000 bytes"), "{error}");
}

#[tokio::test]
async fn progress_reaches_its_own_call() {
    let progress = |token: &str, done: u8| {
        format!(
            "say '{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":'{token}',\"progress\":{done},\"total\":4}}}}'"
        )
    };
    let child = Child::new(&format!(
        "take; {}; {}; {}; result '{}'",
        progress("$id", 1),
        progress("99", 2),
        progress("$id", 3),
        done()
    ));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&heard);
    let client = child.client();
    let mut call = client
        .tool("t", &json!({}))
        .unwrap()
        .on_progress(move |progress| hear.lock().unwrap().push(progress.progress.to_string()));
    assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
    assert_eq!(*heard.lock().unwrap(), ["1", "3"]);
    client.close().await;
}

/// Starts the child and waits until it has made the file `up`.
async fn start(child: &Child) -> Client {
    let mut limits = ClientLimits::default();
    limits.shutdown = Duration::from_millis(50);
    let client = child.builder().limits(limits).build().unwrap();
    let request = client.clone();
    tokio::spawn(async move { request.list_tools().await });
    appears(child, "up").await;
    client
}

async fn appears(child: &Child, file: &str) {
    while !child.file(file).exists() {
        tokio::task::yield_now().await;
    }
}

fn is_alive(child: &Child) -> bool {
    let pid = std::fs::read_to_string(child.file("pid")).unwrap();
    let mut kill = std::process::Command::new("kill");
    kill.args(["-0", pid.trim()])
        .stderr(std::process::Stdio::null());
    kill.status().unwrap().success()
}

#[tokio::test]
async fn closing_lets_a_server_exit_by_itself() {
    let child = Child::new(
        "echo $$ > \"$DIR/pid\"; touch \"$DIR/up\"; while IFS= read -r line; do :; done; \
         touch \"$DIR/ended\"",
    );
    let client = start(&child).await;
    client.close().await;
    assert!(child.file("ended").exists());
    assert!(!is_alive(&child));
}

#[tokio::test]
async fn closing_terminates_a_server_that_stays_and_what_it_started() {
    let child = Child::new(
        "trap 'touch \"$DIR/terminated\"; exit' TERM; echo $$ > \"$DIR/pid\"; exec <&-; \
         (trap 'touch \"$DIR/grandchild\"; exit' TERM; touch \"$DIR/up\"; sleep 100 & wait) & wait",
    );
    let client = start(&child).await;
    client.close().await;
    assert!(child.file("terminated").exists());
    assert!(!is_alive(&child));
    appears(&child, "grandchild").await;
}

#[tokio::test]
async fn closing_kills_a_server_that_ignores_everything() {
    let child = Child::new(
        "trap '' TERM; echo $$ > \"$DIR/pid\"; exec <&-; touch \"$DIR/up\"; sleep 100 & wait",
    );
    let client = start(&child).await;
    client.close().await;
    assert!(!is_alive(&child));
}

#[tokio::test]
async fn dropping_the_client_closes_the_servers_input() {
    let child = Child::new("take; result '{}'; IFS= read -r line || touch \"$DIR/ended\"");
    let client = child.client();
    let _ = client.request("ping", &json!({})).await;
    drop(client);
    appears(&child, "ended").await;
}

#[tokio::test]
async fn standard_error_is_kept_handed_over_or_forwarded() {
    let child = Child::new(&format!(
        "echo 'ready' >&2; printf 'tail' >&2; take; result '{}'",
        done()
    ));
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    let stderr = Stderr::Lines(Arc::new(move |line: &str| {
        sink.lock().unwrap().push(line.to_owned())
    }));
    let client = child.builder().stderr(stderr).build().unwrap();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    client.close().await;
    while lines.lock().unwrap().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(*lines.lock().unwrap(), ["ready", "tail"]);
}

#[tokio::test]
async fn the_trace_shows_every_line() {
    let child = Child::new(&format!("take; result '{}'", done()));
    let traced = Arc::new(Mutex::new(Vec::new()));
    let trace = Arc::clone(&traced);
    let client = child
        .builder()
        .trace(move |message| {
            trace
                .lock()
                .unwrap()
                .push((message.direction, message.text.to_owned()))
        })
        .build()
        .unwrap();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    let traced = traced.lock().unwrap().clone();
    let directions: Vec<_> = traced.iter().map(|(direction, _)| *direction).collect();
    use Direction::{Received, Sent};
    assert_eq!(directions, [Sent, Received, Sent, Received]);
    assert!(traced[3].1.contains("done"));
    client.close().await;
}
