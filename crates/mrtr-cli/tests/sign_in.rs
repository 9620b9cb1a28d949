//! The page of the example tool `sign_in`.

mod support;

use std::io::Read as _;

use serde_json::{Value, json};
use support::Serving;
use support::http::{Reply, call, mcp, request, start, tool_params};

/// A call of `sign_in` that was answered with a link.
struct Asked {
    link: String,
    state: Value,
}

fn ask(server: &Serving) -> Asked {
    let asked = call(&server.endpoint, "sign_in", &json!({}), None, &[]).json();
    let params = &asked["result"]["inputRequests"]["sign-in"]["params"];
    assert_eq!(params["mode"], "url", "{asked}");
    Asked {
        link: params["url"].as_str().expect("a link").to_owned(),
        state: asked["result"]["requestState"].clone(),
    }
}

impl Asked {
    fn ticket(&self) -> &str {
        self.link.split_once("?ticket=").expect("a ticket").1
    }

    fn page(&self, name: &str) -> String {
        let (page, _) = self.link.rsplit_once('/').expect("a path");
        format!("{page}/{name}")
    }

    fn post(&self, page: &str, fields: &str, headers: &[(&str, &str)]) -> Reply {
        let mut all = vec![("content-type", "application/x-www-form-urlencoded")];
        all.extend_from_slice(headers);
        let body = format!("ticket={}{fields}", self.ticket());
        request("POST", &self.page(page), &all, &body)
    }

    /// Logs in; the cookie is returned.
    fn log_in(&self, code: &str) -> String {
        let reply = self.post("log-in", &format!("&code={code}"), &[]);
        assert_eq!(reply.status, 303, "{}", reply.body);
        assert_eq!(
            reply.header("location"),
            Some(&*format!("/sign-in?ticket={}", self.ticket()))
        );
        let cookie = reply.header("set-cookie").expect("a cookie");
        assert!(
            cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
            "{cookie}"
        );
        cookie.split(';').next().expect("a value").to_owned()
    }

    fn open(&self, cookie: Option<&str>) -> Reply {
        let cookie = cookie.map(|cookie| ("cookie", cookie));
        request("GET", &self.link, cookie.as_slice(), "")
    }

    fn connect(&self, cookie: &str) -> Reply {
        self.post("sign-in", "", &[("cookie", cookie)])
    }

    /// Comes back to the tool, having agreed to go to the page.
    fn come_back(&self, server: &Serving) -> Value {
        let answers = [("sign-in", Value::Null)];
        call(
            &server.endpoint,
            "sign_in",
            &json!({}),
            Some(&self.state),
            &answers,
        )
        .json()
    }
}

#[test]
fn the_person_who_asked_logs_in_and_connects() {
    let mut server = Serving::http(&[]);
    let asked = ask(&server);
    let first = asked.open(None);
    assert_eq!(first.status, 200);
    assert!(first.body.contains("action=/log-in"), "{}", first.body);
    assert!(
        !first.body.contains("action=/sign-in"),
        "nothing to press before"
    );
    assert_eq!(first.header("cache-control"), Some("no-store"));
    assert!(
        first
            .header("content-security-policy")
            .is_some_and(|policy| policy.contains("frame-ancestors 'none'"))
    );

    let cookie = asked.log_in(&server.code("ada"));
    let page = asked.open(Some(&cookie));
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("<b>ada</b>") && page.body.contains("action=/sign-in"),
        "{}",
        page.body
    );
    assert_eq!(asked.connect(&cookie).status, 200);
    let done = asked.come_back(&server);
    assert_eq!(
        done["result"]["content"][0]["text"],
        "The trail diary of ada is connected."
    );
}

#[test]
fn a_visitor_who_is_somebody_else_is_refused_and_nothing_happens() {
    let mut server = Serving::http(&[]);
    let asked = ask(&server);
    let cookie = asked.log_in(&server.code("bob"));
    let page = asked.open(Some(&cookie));
    assert_eq!(page.status, 403);
    assert!(
        page.body.contains("This link is not yours"),
        "{}",
        page.body
    );
    assert!(!page.body.contains("action=/sign-in"));
    assert_eq!(asked.connect(&cookie).status, 403, "nor without the button");

    // Bob's own link works for him, which shows that he was refused for Ada's alone.
    let token = format!("Bearer {}", server.code("bob"));
    let params = tool_params("sign_in", &json!({}), None, &[]);
    let own = mcp(
        &server.endpoint,
        "tools/call",
        params,
        &[("authorization", &token)],
    )
    .json();
    let own = Asked {
        link: own["result"]["inputRequests"]["sign-in"]["params"]["url"]
            .as_str()
            .expect("a link")
            .to_owned(),
        state: own["result"]["requestState"].clone(),
    };
    assert_eq!(own.connect(&cookie).status, 200);

    // Ada's call has learned nothing of either.
    let mut waiting = wait_at(&server, &asked);
    let ada = asked.log_in(&server.code("ada"));
    assert_eq!(asked.connect(&ada).status, 200);
    let mut reply = String::new();
    waiting.read_to_string(&mut reply).expect("a reply");
    assert!(
        reply.contains("The trail diary of ada is connected."),
        "{reply}"
    );
}

/// Comes back to the tool and does not wait for the reply.
fn wait_at(server: &Serving, asked: &Asked) -> std::net::TcpStream {
    let params = tool_params(
        "sign_in",
        &json!({}),
        Some(&asked.state),
        &[("sign-in", Value::Null)],
    );
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "sign_in"),
    ];
    let body = support::http::message(1, "tools/call", params);
    start("POST", &server.endpoint, &headers, &body)
}

#[test]
fn a_request_that_waits_is_woken_when_the_page_is_done() {
    let mut server = Serving::http(&[]);
    let asked = ask(&server);
    let cookie = asked.log_in(&server.code("ada"));
    let mut waiting = wait_at(&server, &asked);
    assert_eq!(asked.connect(&cookie).status, 200);
    let mut reply = String::new();
    waiting.read_to_string(&mut reply).expect("a reply");
    assert!(
        reply.contains("The trail diary of ada is connected."),
        "{reply}"
    );
}

#[test]
fn wrong_codes_and_made_up_cookies_and_tickets_do_not_open() {
    let mut server = Serving::http(&[]);
    let asked = ask(&server);
    let ada = server.code("ada");
    for code in ["", "ada", asked.ticket(), &ada[..ada.len() - 1]] {
        let reply = asked.post("log-in", &format!("&code={code}"), &[]);
        assert_eq!(reply.status, 403, "{code}");
        assert!(reply.header("set-cookie").is_none(), "{code}");
    }
    // What is sealed for one purpose is nothing for another.
    for login in ["ada", &ada, asked.ticket()] {
        let cookie = format!("mrtr-example-login={login}");
        let page = asked.open(Some(&cookie));
        assert!(page.body.contains("action=/log-in"), "{login}");
        assert!(
            !asked.connect(&cookie).body.contains("is connected"),
            "{login}"
        );
    }
    let cookie = asked.log_in(&ada);
    let login = cookie.split_once('=').expect("a value").1;
    for ticket in ["", "x", &ada, login, "%22%3E%3Cscript%3E"] {
        let link = format!("{}?ticket={ticket}", asked.page("sign-in"));
        let page = request("GET", &link, &[("cookie", &cookie)], "");
        assert_eq!(page.status, 400, "{ticket}");
        assert!(!page.body.contains("<script>"));
    }
}

#[test]
fn other_sites_can_neither_post_the_forms_nor_stand_in_for_this_one() {
    let mut server = Serving::http(&[]);
    let asked = ask(&server);
    let cookie = asked.log_in(&server.code("ada"));
    let (origin, _) = asked.link.rsplit_once('/').expect("a path");
    let from = |site: &str| {
        asked
            .post("sign-in", "", &[("cookie", &cookie), ("origin", site)])
            .status
    };
    assert_eq!(from("https://evil.example"), 403);
    assert_eq!(from("null"), 403);
    assert_eq!(from(origin), 200);
    let rebound = request(
        "GET",
        &asked.link,
        &[("host", "evil.example"), ("cookie", &cookie)],
        "",
    );
    assert_eq!(rebound.status, 403);
}

#[test]
fn a_person_can_log_out_and_in_again() {
    let mut server = Serving::http(&[]);
    let asked = ask(&server);
    let bob = asked.log_in(&server.code("bob"));
    let reply = asked.post("log-out", "", &[("cookie", &bob)]);
    assert_eq!(reply.status, 303);
    assert!(
        reply
            .header("set-cookie")
            .is_some_and(|cookie| cookie.contains("Max-Age=0"))
    );
    let ada = asked.log_in(&server.code("ada"));
    assert_eq!(asked.open(Some(&ada)).status, 200);
}

#[test]
fn over_stdio_the_page_has_a_listener_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut server, mut pipes) = Serving::stdio(|command| {
        command.env("XDG_STATE_HOME", folder.path());
    });
    let send = |id, state: Option<&Value>, answers: &[(&str, Value)]| {
        let params = tool_params("sign_in", &json!({}), state, answers);
        support::http::message(id, "tools/call", params)
    };
    pipes.send(&send(1, None, &[]));
    let reply = pipes.receive();
    let params = &reply["result"]["inputRequests"]["sign-in"]["params"];
    let asked = Asked {
        link: params["url"].as_str().expect("a link").to_owned(),
        state: reply["result"]["requestState"].clone(),
    };
    let bob = asked.log_in(&server.code("bob"));
    assert_eq!(asked.connect(&bob).status, 403);
    let ada = asked.log_in(&server.code("ada"));
    pipes.send(&send(2, Some(&asked.state), &[("sign-in", Value::Null)]));
    assert_eq!(asked.connect(&ada).status, 200);
    let done = pipes.receive();
    assert_eq!(
        done["result"]["content"][0]["text"],
        "The trail diary of ada is connected."
    );
    assert_eq!(pipes.close(), "");
    assert_eq!(server.wait().0.code(), Some(0));
}

#[test]
fn where_others_can_call_nobody_is_taken_for_the_person_at_the_machine() {
    let server = Serving::http(&["--http", "0.0.0.0:0"]);
    let endpoint = &server.endpoint;
    assert!(endpoint.starts_with("http://127.0.0.1:"), "{endpoint}");
    let refused = call(endpoint, "sign_in", &json!({}), None, &[]).json();
    assert_eq!(refused["result"]["isError"], true);
    let text = refused["result"]["content"][0]["text"].to_string();
    assert!(text.contains("Send an access token"), "{text}");
}
