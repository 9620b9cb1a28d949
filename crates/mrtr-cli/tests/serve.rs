//! `mrtr serve`

mod support;

use std::process::Stdio;

use serde_json::{Value, json};
use support::http::{call, mcp, message, request, tool_params};
use support::{Serving, mrtr, run, run_command, stderr, stdout};

#[test]
fn http_serves_a_booking_from_raw_requests() {
    let server = Serving::http(&[]);
    let trip = json!({ "to": "Kyoto" });
    let asked = call(&server.endpoint, "book", &trip, None, &[]);
    assert_eq!(asked.status, 200);
    assert_eq!(asked.header("content-type"), Some("application/json"));
    let asked = &asked.json()["result"];
    assert_eq!(asked["resultType"], "input_required");
    let schema = &asked["inputRequests"]["details"]["params"]["requestedSchema"];
    assert_eq!(schema["properties"]["seats"]["maximum"], 9);

    let details = json!({ "class": "sleeper", "seats": 5, "departure": "2027-04-02" });
    let state = Some(&asked["requestState"]);
    let again = call(
        &server.endpoint,
        "book",
        &trip,
        state,
        &[("details", details)],
    )
    .json();
    let question = again["result"]["inputRequests"]["details"]["params"]["message"].to_string();
    assert!(question.contains("four berths"), "{question}");

    let details = json!({ "class": "sleeper", "seats": 4, "departure": "2027-04-02" });
    let state = Some(&again["result"]["requestState"]);
    let priced = call(
        &server.endpoint,
        "book",
        &trip,
        state,
        &[("details", details)],
    )
    .json();
    let question = priced["result"]["inputRequests"]["pay"]["params"]["message"].to_string();
    assert!(question.contains("Pay 440 euros for 4 seats"), "{question}");

    let state = Some(&priced["result"]["requestState"]);
    let yes = [("pay", json!({ "confirmed": true }))];
    let done = call(&server.endpoint, "book", &trip, state, &yes).json();
    let ticket = &done["result"]["structuredContent"];
    assert_eq!(ticket["euros"], 440);
    assert_eq!(ticket["reference"].as_str().map(str::len), Some(8));
    let again = call(&server.endpoint, "book", &trip, state, &yes).json();
    assert_eq!(
        &again["result"]["structuredContent"], ticket,
        "the same booking, not another one"
    );
}

#[test]
fn a_deployment_says_what_it_does_and_takes_a_no() {
    let server = Serving::http(&[]);
    let web = json!({ "service": "web", "target": "production" });
    let asked = call(&server.endpoint, "deploy", &web, None, &[]).json();
    let question = asked["result"]["inputRequests"]["confirm"]["params"]["message"].to_string();
    assert!(
        question.contains("Deploy web to production, from 4.1.0 to 4.2.0?"),
        "{question}"
    );
    assert!(question.contains("- Faster search"), "{question}");
    let state = Some(&asked["result"]["requestState"]);

    let no = [("confirm", json!({ "confirmed": false }))];
    let refused = call(&server.endpoint, "deploy", &web, state, &no).json();
    assert_eq!(refused["result"]["isError"], true);
    let text = refused["result"]["content"][0]["text"].to_string();
    assert!(text.contains("Nothing was deployed"), "{text}");

    let yes = [("confirm", json!({ "confirmed": true }))];
    let done = call(&server.endpoint, "deploy", &web, state, &yes).json();
    let text = done["result"]["content"][0]["text"].to_string();
    assert!(
        text.contains("Deployed web 4.2.0 to production, on 3 instances."),
        "{text}"
    );

    let unknown = call(
        &server.endpoint,
        "deploy",
        &json!({ "service": "db" }),
        None,
        &[],
    )
    .json();
    let text = unknown["result"]["content"][0]["text"].to_string();
    assert!(text.contains("no service `db`"), "{text}");
}

#[test]
fn the_prompt_and_the_resource_ask_too() {
    let server = Serving::http(&[]);
    let ask = |method, mut params: Value, key: &str, content: Value| {
        let asked = mcp(&server.endpoint, method, params.clone(), &[]).json();
        assert!(asked["result"]["inputRequests"][key].is_object(), "{asked}");
        params["requestState"] = asked["result"]["requestState"].clone();
        params["inputResponses"][key] = json!({ "action": "accept", "content": content });
        mcp(&server.endpoint, method, params, &[]).json()
    };
    let briefing = json!({ "name": "briefing", "arguments": { "to": "Oslo" } });
    let reader = json!({ "reader": "my boss", "length": "short" });
    let got = ask("prompts/get", briefing, "reader", reader);
    let text = got["result"]["messages"][0]["content"]["text"].to_string();
    assert!(
        text.contains("Oslo") && text.contains("for my boss"),
        "{text}"
    );

    let notes = json!({ "uri": "trip://kyoto/notes" });
    let got = ask(
        "resources/read",
        notes,
        "when",
        json!({ "season": "winter" }),
    );
    let text = got["result"]["contents"][0]["text"].to_string();
    assert!(text.contains("a warm coat"), "{text}");
    let nowhere = mcp(
        &server.endpoint,
        "resources/read",
        json!({ "uri": "trip://atlantis/notes" }),
        &[],
    );
    assert_eq!(
        nowhere.json()["error"]["data"]["uri"],
        "trip://atlantis/notes"
    );
}

#[test]
fn sampling_is_not_asked_of_a_client_that_has_no_model() {
    let server = Serving::http(&[]);
    let reply = call(
        &server.endpoint,
        "summarise",
        &json!({ "text": "Long." }),
        None,
        &[],
    );
    assert_eq!(reply.status, 400);
    let error = &reply.json()["error"];
    assert_eq!(error["code"], -32021);
    assert_eq!(
        error["data"]["requiredCapabilities"],
        json!({ "sampling": {} })
    );
}

#[test]
fn a_wrong_token_is_refused_and_a_right_one_makes_states_personal() {
    let mut server = Serving::http(&[]);
    let wrong = call_as(&server, "nonsense", None);
    assert_eq!(wrong.status, 401);
    assert!(
        wrong
            .header("www-authenticate")
            .is_some_and(|value| value.starts_with("Bearer"))
    );

    let (ada, bob) = (server.code("ada"), server.code("bob"));
    let asked = call_as(&server, &ada, None).json();
    let state = Some(&asked["result"]["requestState"]);
    assert_eq!(call_as(&server, &ada, state).status, 200);
    let stolen = call_as(&server, &bob, state);
    assert_eq!(stolen.status, 400);
    assert_eq!(
        stolen.json()["error"]["data"]["reason"],
        "invalid_request_state"
    );
}

fn call_as(server: &Serving, code: &str, state: Option<&Value>) -> support::http::Reply {
    let params = tool_params("book", &json!({ "to": "Oslo" }), state, &[]);
    let token = format!("Bearer {code}");
    mcp(
        &server.endpoint,
        "tools/call",
        params,
        &[("authorization", &token)],
    )
}

#[test]
fn other_paths_are_not_the_endpoint() {
    let server = Serving::http(&[]);
    let other = server.endpoint.replace("/mcp", "/other");
    assert_eq!(request("POST", &other, &[], "{}").status, 404);
}

#[test]
fn json_tells_the_endpoint_on_stdout() {
    let mut command = mrtr(&["--json", "serve", "--http", "127.0.0.1:0"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("the server starts");
    let stdout = child.stdout.take().expect("stdout");
    let mut documents = serde_json::Deserializer::from_reader(stdout).into_iter::<Value>();
    let introduction = documents.next().expect("a document").expect("JSON");
    let endpoint = introduction["endpoint"]
        .as_str()
        .expect("an endpoint")
        .to_owned();
    let said = call(&endpoint, "echo", &json!({ "text": "hello" }), None, &[]).json();
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!(said["result"]["content"][0]["text"], "hello");
    assert_eq!(introduction["people"][0]["name"], "ada");
}

#[test]
fn what_stands_in_the_way_is_exit_code_6() {
    let server = Serving::http(&[]);
    let address = server.endpoint["http://".len()..].trim_end_matches("/mcp");
    let output = run(&["serve", "--http", address]);
    assert_eq!(output.status.code(), Some(6));
    assert!(
        stderr(&output).contains(&format!("cannot listen on {address}")),
        "{}",
        stderr(&output)
    );

    let output = run(&["serve", "--keys", "/nowhere/keys", "--http", "127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(6));
    let mut command = mrtr(&["serve", "--http", "127.0.0.1:0"]);
    command.env("MRTR_KEYS", "short");
    let output = run_command(command, "");
    assert_eq!(output.status.code(), Some(6));
    assert_eq!(stdout(&output), "");
}

#[cfg(unix)]
#[test]
fn without_keys_it_warns_and_with_keys_it_does_not() {
    let mut server = Serving::http(&[]);
    server.wait_for("listening on");
    let key = stdout(&run(&["keys", "new"]));
    let quiet = Serving::http_with(&[], |command| {
        command.env("MRTR_KEYS", key.trim());
    });
    let warned = |server: Serving| {
        let (_, lines) = stop(server);
        lines.iter().any(|line| line.contains("no keys given"))
    };
    assert!(warned(server));
    assert!(!warned(quiet));
}

#[cfg(unix)]
fn stop(server: Serving) -> (std::process::ExitStatus, Vec<String>) {
    server.signal(rustix::process::Signal::TERM);
    server.wait()
}

#[cfg(unix)]
mod signals {
    use std::io::Read as _;

    use rustix::process::Signal;

    use super::*;
    use support::http::start;

    #[test]
    fn sigterm_and_ctrl_c_end_it_with_exit_code_0() {
        for signal in [Signal::TERM, Signal::INT] {
            let server = Serving::http(&[]);
            server.signal(signal);
            let (status, lines) = server.wait();
            assert_eq!(status.code(), Some(0));
            assert_eq!(lines.last().map(String::as_str), Some("stopped"));
        }
    }

    #[test]
    fn a_request_that_runs_is_finished_first() {
        let server = Serving::http(&[]);
        let headers = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "countdown"),
        ];
        let mut params = tool_params("countdown", &json!({ "seconds": 1 }), None, &[]);
        params["_meta"] = json!({});
        let body: Value = serde_json::from_str(&message(1, "tools/call", params)).expect("JSON");
        let mut body = body;
        body["params"]["_meta"]["progressToken"] = json!("t");
        let mut stream = start("POST", &server.endpoint, &headers, &body.to_string());
        // The first progress notification: the handler runs.
        let mut seen = String::new();
        let mut byte = [0];
        while !seen.contains("1 to go") {
            stream.read_exact(&mut byte).expect("more");
            seen.push(byte[0].into());
        }
        server.signal(Signal::TERM);
        stream.read_to_string(&mut seen).expect("the rest");
        assert!(seen.contains("Lift-off."), "{seen}");
        assert_eq!(server.wait().0.code(), Some(0));
    }

    #[test]
    fn sighup_reads_the_key_file_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("keys");
        let key = || stdout(&run(&["keys", "new"]));
        let (old, new) = (key(), key());
        std::fs::write(&file, &old).expect("written");
        let mut server = Serving::http(&["--keys", file.to_str().expect("UTF-8")]);
        let trip = json!({ "to": "Oslo" });
        let ask = |endpoint: &str, state: Option<&Value>| call(endpoint, "book", &trip, state, &[]);
        let first = ask(&server.endpoint, None).json()["result"]["requestState"].clone();

        std::fs::write(&file, format!("{new}{old}")).expect("written");
        server.signal(Signal::HUP);
        server.wait_for_text("the keys were replaced");
        let second = ask(&server.endpoint, Some(&first)).json()["result"]["requestState"].clone();
        let id = |state: &Value| state.as_str().map(|text| text[..14].to_owned());
        assert_ne!(id(&first), id(&second), "sealed with the new key");

        std::fs::write(&file, "nonsense").expect("written");
        server.signal(Signal::HUP);
        server.wait_for_text("the keys stay as they are");
        assert_eq!(ask(&server.endpoint, Some(&first)).status, 200);
    }
}

#[test]
fn two_processes_with_one_key_share_a_call_and_others_do_not() {
    let key = stdout(&run(&["keys", "new"]));
    let with_key = || {
        Serving::http_with(&[], |command| {
            command.env("MRTR_KEYS", key.trim());
        })
    };
    let (one, two, stranger) = (with_key(), with_key(), Serving::http(&[]));
    let trip = json!({ "to": "Lisbon" });
    let details = json!({ "class": "standard", "seats": 1, "departure": "2027-05-01" });

    let asked = call(&one.endpoint, "book", &trip, None, &[]).json();
    let state = Some(&asked["result"]["requestState"]);
    let refused = call(&stranger.endpoint, "book", &trip, state, &[]);
    assert_eq!(refused.status, 400);
    assert_eq!(
        refused.json()["error"]["data"]["reason"],
        "invalid_request_state"
    );

    let priced = call(&two.endpoint, "book", &trip, state, &[("details", details)]).json();
    drop(two);
    let state = Some(&priced["result"]["requestState"]);
    let yes = [("pay", json!({ "confirmed": true }))];
    let done = call(&one.endpoint, "book", &trip, state, &yes).json();
    assert_eq!(done["result"]["structuredContent"]["to"], "Lisbon");
}
