//! What a server counts, and that nobody else decides what it counts.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use mrtr::server::{Limiter, RetryAfter, Server, Target, prompt, tool};
use mrtr::state::{Keyring, Principal, Secret};
use mrtr::{Cx, Timestamp, ToolError};
use serde_json::{Value, json};

use crate::support::{Clock, Peer, accept, builder, keyring};

/// All series by name and labels; fails on anything that is no exposition.
fn read(text: &str) -> BTreeMap<String, f64> {
    let mut series = BTreeMap::new();
    let mut metric = (String::new(), String::new());
    let mut seen = Vec::new();
    assert!(text.ends_with('\n'));
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, text) = help.split_once(' ').expect("a help");
            assert!(!text.is_empty() && !seen.contains(&name), "{line}");
            seen.push(name);
            metric = (name.to_owned(), String::new());
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').expect("a type");
            assert_eq!(name, metric.0);
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            metric.1 = kind.to_owned();
        } else {
            let (key, value) = line.rsplit_once(' ').expect("a value");
            let name = key.split('{').next().expect("a name");
            let rest = name.strip_prefix(&metric.0).expect("of the metric above");
            let suffixes: &[&str] = match metric.1.as_str() {
                "histogram" => &["_bucket", "_sum", "_count"],
                _ => &[""],
            };
            assert!(suffixes.contains(&rest), "{line}");
            let counted = metric.1 != "counter" || name.ends_with("_total");
            assert!(counted, "{line}");
            let value = value.parse().expect("a number");
            assert!(
                series.insert(key.to_owned(), value).is_none(),
                "{key} twice"
            );
        }
    }
    series
}

fn metrics(server: &Server) -> BTreeMap<String, f64> {
    read(&server.metrics())
}

async fn pay(cx: Cx, _: ()) -> Result<String, ToolError> {
    cx.confirm("pay", "Pay?").await?;
    Ok("paid".into())
}

async fn fail(_: Cx, _: ()) -> Result<String, ToolError> {
    Err(ToolError::visible("no seats"))
}

async fn boom(_: Cx, _: ()) -> Result<String, ToolError> {
    panic!("a mistake")
}

async fn forever(_: Cx, _: ()) -> Result<String, ToolError> {
    std::future::pending().await
}

/// Lets the tool `often` be called never.
struct Often;

impl Limiter for Often {
    fn check(
        &self,
        _: Option<&Principal>,
        target: Target<'_>,
        _: Timestamp,
    ) -> Result<(), RetryAfter> {
        match target.name {
            "often" => Err(RetryAfter(Duration::from_secs(1))),
            _ => Ok(()),
        }
    }
}

fn yes() -> Value {
    json!({"pay": accept(json!({"confirmed": true}))})
}

fn no() -> Value {
    json!({"pay": {"action": "decline"}})
}

/// The series that have changed, and by how much, histograms aside.
fn changes(before: &BTreeMap<String, f64>, after: &BTreeMap<String, f64>) -> Vec<(String, f64)> {
    let changed = after.iter().filter_map(|(key, value)| {
        let grown = value - before.get(key).copied().unwrap_or_default();
        let histogram = ["_bucket", "_sum", "_count"]
            .iter()
            .any(|part| key.contains(part));
        (grown != 0.0 && !histogram).then(|| (key.clone(), grown))
    });
    changed.collect()
}

#[tokio::test]
async fn every_request_is_counted_by_its_method_and_what_became_of_it() {
    let peer = Peer::of(
        builder()
            .limiter(Often)
            .tool(tool("pay", pay))
            .tool(tool("fail", fail))
            .tool(tool("boom", boom))
            .tool(tool("often", fail))
            .tool(tool("slow", forever).request_deadline(Duration::from_millis(1)))
            .prompt(prompt("pay", pay)),
    );
    let mut deaf = peer.clone();
    deaf.capabilities = json!({});
    let state = peer.tool("pay", json!({})).await["requestState"].clone();
    let retry = |name: &str, answers: Value| json!({"name": name, "requestState": state, "inputResponses": answers});
    let prompted = peer.result("prompts/get", json!({"name": "pay"})).await["requestState"].clone();
    let declined = json!({"name": "pay", "requestState": prompted, "inputResponses": no()});
    let call = |name: &str| json!({"name": name});
    for (peer, method, params, counted, outcome) in [
        (
            &peer,
            "tools/call",
            call("pay"),
            "tools/call",
            "input_required",
        ),
        (
            &peer,
            "tools/call",
            retry("pay", yes()),
            "tools/call",
            "complete",
        ),
        (
            &peer,
            "tools/call",
            retry("pay", no()),
            "tools/call",
            "refused",
        ),
        (&peer, "prompts/get", declined, "prompts/get", "refused"),
        (&peer, "tools/call", call("fail"), "tools/call", "failed"),
        (&peer, "tools/call", call("boom"), "tools/call", "fault"),
        (
            &peer,
            "tools/call",
            call("often"),
            "tools/call",
            "rate_limited",
        ),
        (&peer, "tools/call", call("slow"), "tools/call", "deadline"),
        (
            &peer,
            "tools/call",
            retry("fail", yes()),
            "tools/call",
            "bad_state",
        ),
        (&peer, "tools/call", call("none"), "tools/call", "invalid"),
        (
            &deaf,
            "tools/call",
            call("pay"),
            "tools/call",
            "missing_capability",
        ),
        (&peer, "tools/list", json!({}), "tools/list", "complete"),
        (&peer, "resources/list", json!({}), "unknown", "invalid"),
        (
            &peer,
            "server/discover",
            json!({}),
            "server/discover",
            "complete",
        ),
    ] {
        let before = metrics(&peer.server);
        peer.send(method, params.clone()).await;
        let grown = changes(&before, &metrics(&peer.server));
        let wanted = format!("mrtr_requests_total{{method=\"{counted}\",outcome=\"{outcome}\"}}");
        let requests: Vec<_> = grown
            .iter()
            .filter(|(key, _)| key.contains("requests"))
            .collect();
        assert_eq!(requests, [&(wanted, 1.0)], "{method} {params}");
    }
    let before = metrics(&peer.server);
    peer.send_text("{").await;
    let grown = changes(&before, &metrics(&peer.server));
    let unread = "mrtr_requests_total{method=\"unknown\",outcome=\"invalid\"}";
    assert_eq!(grown, [(unread.to_owned(), 1.0)]);
}

#[tokio::test]
async fn an_exchange_is_counted_when_it_asks_and_when_it_ends() {
    let peer = Peer::of(builder().tool(tool("pay", pay)).tool(tool("fail", fail)));
    let params = json!({"name": "pay"});
    let before = metrics(&peer.server);
    let asked = peer.result("tools/call", params.clone()).await;
    peer.retry("tools/call", &params, &asked, json!({})).await;
    let paid = peer.retry("tools/call", &params, &asked, yes()).await;
    assert_eq!(paid["content"][0]["text"], "paid");
    let other = peer.result("tools/call", params.clone()).await;
    peer.retry("tools/call", &params, &other, no()).await;
    peer.tool("fail", json!({})).await;
    let grown = changes(&before, &metrics(&peer.server));
    let grown: BTreeMap<_, _> = grown.into_iter().collect();
    for (key, times) in [
        ("mrtr_exchanges_asked_total", 2.0),
        ("mrtr_exchanges_finished_total{outcome=\"complete\"}", 1.0),
        ("mrtr_exchanges_finished_total{outcome=\"refused\"}", 1.0),
        (
            "mrtr_rounds_total{method=\"tools/call\",round=\"first\"}",
            3.0,
        ),
        (
            "mrtr_rounds_total{method=\"tools/call\",round=\"later\"}",
            3.0,
        ),
    ] {
        assert_eq!(grown.get(key), Some(&times), "{key} in {grown:#?}");
    }
    let failed = "mrtr_exchanges_finished_total{outcome=\"failed\"}";
    assert_eq!(grown.get(failed), None, "it asked nothing");
}

#[tokio::test]
async fn a_state_that_does_not_open_is_counted_by_the_class_of_its_reason() {
    let clock = Clock::new();
    let server = |keys: Keyring, clock: &Clock| {
        let builder = Server::builder("travel", "1.0.0").keyring(keys);
        builder
            .runtime(clock.clone())
            .tool(tool("pay", pay))
            .prompt(prompt("pay", pay))
    };
    let peer = Peer::of(server(keyring(1), &clock));
    let elsewhere = Peer::of(server(keyring(2), &clock));
    let asked = peer.tool("pay", json!({})).await;
    let genuine = asked["requestState"].as_str().expect("a state").to_owned();
    let strange = elsewhere.tool("pay", json!({})).await["requestState"].clone();
    let flipped = {
        let mut bytes = genuine.clone().into_bytes();
        bytes[60] = if bytes[60] == b'A' { b'B' } else { b'A' };
        String::from_utf8(bytes).expect("ASCII")
    };
    let refused = async |peer: &Peer, method: &str, params: Value, reason: &str| {
        let before = metrics(&peer.server);
        peer.error(method, params).await;
        let grown = changes(&before, &metrics(&peer.server));
        let wanted = format!("mrtr_states_refused_total{{reason=\"{reason}\"}}");
        assert!(grown.contains(&(wanted, 1.0)), "{reason}: {grown:#?}");
    };
    let with =
        |state: Value| json!({"name": "pay", "requestState": state, "inputResponses": yes()});
    for (state, reason) in [
        (json!(7), "not_a_string"),
        (json!("hello"), "unknown_format"),
        (json!("mrtr1.A"), "not_canonical"),
        (json!("x".repeat(70_000)), "too_long"),
        (strange, "unknown_key"),
        (json!(flipped), "forged"),
    ] {
        refused(&peer, "tools/call", with(state), reason).await;
    }
    let mut other = with(json!(genuine));
    refused(&peer, "prompts/get", other.clone(), "method").await;
    other["arguments"] = json!({"more": 1});
    refused(&peer, "tools/call", other, "arguments").await;
    let bob = peer.clone().called_by("bob");
    refused(&bob, "tools/call", with(json!(genuine)), "principal").await;
    clock.advance(Duration::from_secs(600));
    refused(&peer, "tools/call", with(json!(genuine)), "expired").await;
    clock.advance(Duration::from_secs(3_000));
    refused(&peer, "tools/call", with(json!(genuine)), "deadline").await;
}

#[tokio::test]
async fn times_and_sizes_are_those_that_were() {
    let clock = Clock::new();
    let slow = {
        let clock = clock.clone();
        move |_: Cx, _: ()| {
            clock.advance(Duration::from_millis(30));
            async { Ok::<_, ToolError>("done") }
        }
    };
    let server = builder()
        .runtime(clock)
        .tool(tool("slow", slow))
        .tool(tool("pay", pay));
    let peer = Peer::of(server);
    peer.tool("slow", json!({})).await;
    peer.tool("slow", json!({})).await;
    let size = peer.tool("pay", json!({})).await["requestState"]
        .as_str()
        .expect("a state")
        .len();
    let series = metrics(&peer.server);
    let at = |key: &str| series[key];
    let handler = |rest: &str| at(&format!("mrtr_handler_seconds{rest}"));
    assert_eq!(handler("_bucket{method=\"tools/call\",le=\"0.025\"}"), 1.0);
    assert_eq!(handler("_bucket{method=\"tools/call\",le=\"0.05\"}"), 3.0);
    assert_eq!(handler("_bucket{method=\"tools/call\",le=\"+Inf\"}"), 3.0);
    assert_eq!(handler("_count{method=\"tools/call\"}"), 3.0);
    assert_eq!(handler("_sum{method=\"tools/call\"}"), 0.06);
    assert_eq!(at("mrtr_state_bytes_sum"), size as f64);
    assert_eq!(
        at("mrtr_state_bytes_bucket{le=\"256\"}"),
        f64::from(u8::from(size <= 256))
    );
    assert_eq!(at("mrtr_state_bytes_bucket{le=\"512\"}"), 1.0);
}

#[tokio::test]
async fn what_runs_is_counted_as_such_until_it_ends_or_its_client_goes() {
    let peer = Peer::of(builder().tool(tool("slow", forever)));
    let in_flight = || metrics(&peer.server)["mrtr_requests_in_flight{method=\"tools/call\"}"];
    let message = peer
        .request("tools/call", json!({"name": "slow"}))
        .to_string();
    let mut call = Box::pin(peer.server.respond(message.as_bytes(), &peer.caller));
    assert_eq!(in_flight(), 0.0);
    assert!(futures::poll!(&mut call).is_pending());
    assert_eq!(in_flight(), 1.0);
    drop(call);
    assert_eq!(in_flight(), 0.0);
    let cancelled = "mrtr_requests_total{method=\"tools/call\",outcome=\"cancelled\"}";
    assert_eq!(metrics(&peer.server)[cancelled], 1.0);
}

#[tokio::test]
async fn keys_are_named_by_role_and_a_bad_key_file_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("keys");
    let [old, new] = [1, 2].map(|seed| Secret::generate([seed; 32]));
    fs::write(&file, format!("{}\n{}", old.expose(), new.expose())).expect("written");
    let server = Server::builder("travel", "1")
        .key_file(&file)
        .build()
        .expect("a server");
    let key =
        |id: &Secret, role: &str| format!("mrtr_key_info{{id=\"{}\",role=\"{role}\"}}", id.id());
    let series = metrics(&server);
    assert_eq!(series[&key(&old, "seals")], 1.0);
    assert_eq!(series[&key(&new, "opens")], 1.0);
    fs::write(&file, "short").expect("written");
    assert!(server.reload_keys().is_err());
    assert_eq!(metrics(&server)["mrtr_key_file_failures_total"], 1.0);
    assert_eq!(metrics(&server)["mrtr_draining"], 0.0);
    server.drain();
    assert_eq!(metrics(&server)["mrtr_draining"], 1.0);
}

#[tokio::test]
async fn no_client_makes_a_series() {
    let peer = Peer::of(builder().tool(tool("pay", pay)));
    let before: Vec<_> = metrics(&peer.server).into_keys().collect();
    for n in 0..50 {
        let hostile = format!("x\"}}\n{n}");
        peer.error(&hostile, json!({})).await;
        peer.error("tools/call", json!({"name": hostile})).await;
        peer.error(
            "tools/call",
            json!({"name": "pay", "requestState": hostile}),
        )
        .await;
        let bob = peer.clone().called_by(&hostile);
        bob.tool("pay", json!({ "a": hostile })).await;
    }
    let after: Vec<_> = metrics(&peer.server).into_keys().collect();
    assert_eq!(after, before);
}
