//! How child processes start and end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::child::Child;
use crate::support::peer::discovered;
use crate::support::{done, version_error};
use mrtr::client::{Client, ClientError, ClientLimits, Delivery, Stderr, Turn};
use mrtr::exchange::Blame;
use serde_json::{Value, json};

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

/// Starts the child and waits until it has made the file `up`. `shutdown` is how long it may take to
/// exit before it is terminated, and again before it is killed.
async fn start(child: &Child, shutdown: Duration) -> Client {
    let mut limits = ClientLimits::default();
    limits.shutdown = shutdown;
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
    let client = start(&child, Duration::from_secs(600)).await;
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
    let client = start(&child, Duration::from_secs(1)).await;
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
    let client = start(&child, Duration::from_millis(50)).await;
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
async fn what_one_process_said_is_not_kept_for_the_next() {
    let list = json!({"resultType": "complete", "prompts": [], "ttlMs": 60_000,
        "cacheScope": "public"});
    let child = Child::new(&format!("take; result '{list}'; take; exit 0"));
    let client = child.client();
    for _ in 0..2 {
        client.list_prompts().await.unwrap();
    }
    client.close().await;
    client.list_prompts().await.unwrap();
    let asked = ["server/discover", "prompts/list"];
    assert_eq!(child.methods(), [asked, asked].concat());
    client.close().await;
}
