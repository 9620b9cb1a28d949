//! Mistakes of the author that `build` finds.

use std::time::Duration;

use mrtr::round::Replay;
use mrtr::server::{BuildError, Server, ServerBuilder, prompt, resource, resource_template, tool};
use mrtr::{Cx, Durable, ToolError};
use mrtr_ledger::MemoryLedger;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::support::{builder, keyring};

async fn nothing(_: Cx, _: ()) -> Result<String, ToolError> {
    Ok(String::new())
}

async fn of_text(_: Cx, _: String) -> Result<String, ToolError> {
    Ok(String::new())
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Id {
    id: u32,
    #[serde(default)]
    page: u32,
}

async fn of_id(_: Cx, _: Id) -> Result<String, ToolError> {
    Ok(String::new())
}

fn problems(builder: ServerBuilder) -> Vec<String> {
    let error: BuildError = builder.build().expect_err("a mistake");
    error.problems().iter().map(ToString::to_string).collect()
}

fn only(builder: ServerBuilder) -> String {
    let mut problems = problems(builder);
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

#[test]
fn names_are_unique_among_their_kind_and_only_there() {
    let twice = builder().tool(tool("a", nothing)).tool(tool("a", nothing));
    assert_eq!(only(twice), "tool `a`: it is registered twice");
    let twice = builder()
        .prompt(prompt("a", nothing))
        .prompt(prompt("a", nothing));
    assert_eq!(only(twice), "prompt `a`: it is registered twice");
    let twice = builder()
        .resource(resource("x:a", nothing))
        .resource(resource("x:a", nothing));
    assert_eq!(only(twice), "resource `x:a`: it is registered twice");
    let twice = builder()
        .resource_template(resource_template("x:{id}", of_id))
        .resource_template(resource_template("x:{id}", of_id));
    assert_eq!(
        only(twice),
        "resource template `x:{id}`: it is registered twice"
    );
    assert!(
        builder()
            .tool(tool("a", nothing))
            .prompt(prompt("a", nothing))
            .build()
            .is_ok()
    );
}

#[test]
fn names_follow_the_rules() {
    for bad in ["", "a b", "a,b", "é", "a/b", &"x".repeat(129)] {
        assert!(
            only(builder().tool(tool(bad, nothing))).contains("1 to 128"),
            "{bad}"
        );
    }
    for good in [
        "getUser",
        "DATA_EXPORT_v2",
        "admin.tools.list",
        "a-b",
        &"x".repeat(128),
    ] {
        assert!(
            builder().tool(tool(good, nothing)).build().is_ok(),
            "{good}"
        );
    }
    assert!(only(builder().prompt(prompt("a\nb", nothing))).contains("control character"));
    assert!(
        builder()
            .prompt(prompt("代码评审", nothing))
            .build()
            .is_ok()
    );
}

#[test]
fn arguments_must_be_described_by_an_object() {
    let problem = only(builder().tool(tool("a", of_text)));
    assert!(
        problem.starts_with("tool `a`: its arguments `string` are not"),
        "{problem}"
    );
    assert!(only(builder().prompt(prompt("a", of_text))).starts_with("prompt `a`: "));
}

#[test]
fn addresses_and_templates_follow_the_rules() {
    assert!(
        only(builder().resource(resource("todo", nothing))).contains("must begin with a scheme")
    );
    assert!(only(builder().resource(resource("x:a b", nothing))).contains("percent-encoded"));
    let template = |text| only(builder().resource_template(resource_template(text, of_id)));
    assert!(template("x:{id").contains("not closed"));
    assert!(template("x:{?id}").contains("not supported"));
    assert_eq!(
        template("x:{id}/{other}"),
        "resource template `x:{id}/{other}`: no field takes the variable `other`"
    );
    assert_eq!(
        template("x:{page}"),
        "resource template `x:{page}`: no variable fills the field `id`"
    );
}

#[test]
fn settings_that_can_never_work_are_refused() {
    let zero = Duration::ZERO;
    for tool in [
        tool("a", nothing).ttl(zero),
        tool("a", nothing).exchange_deadline(zero),
        tool("a", nothing).request_deadline(zero),
        tool("a", nothing).max_rounds(0),
        tool("a", nothing).max_state_bytes(100),
    ] {
        assert!(only(builder().tool(tool)).starts_with("tool `a`: "));
    }
    assert!(only(builder().page_size(0)).contains("at least one"));
    assert!(only(Server::builder("", "1").keyring(keyring(1))).contains("name is empty"));
}

#[test]
fn headers_of_arguments_follow_the_rules() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Query {
        #[schemars(extend("x-mcp-header" = "Region Name"))]
        region: String,
    }
    async fn query(_: Cx, _: Query) -> Result<String, ToolError> {
        Ok(String::new())
    }
    let problem = only(builder().tool(tool("query", query)));
    assert!(
        problem.starts_with("tool `query`: ") && problem.contains("x-mcp-header"),
        "{problem}"
    );
}

#[test]
fn a_key_file_that_is_not_there_or_holds_no_key_is_named() {
    let missing = Server::builder("travel", "1").key_file("/nowhere/keys");
    assert!(only(missing).contains("/nowhere/keys"));
    let both = builder().key_file("/nowhere/keys");
    assert!(only(both).contains("either"));
}

#[test]
fn single_use_needs_a_ledger_and_each_that_lacks_it_is_named() {
    let once = |builder: ServerBuilder| {
        builder
            .tool(tool("pay", nothing).replay(Replay::Once))
            .tool(tool("look", nothing))
            .prompt(prompt("pay", nothing).replay(Replay::Once))
            .resource(resource("x:pay", nothing).replay(Replay::Once))
            .resource_template(resource_template("x:{id}", of_id).replay(Replay::Once))
    };
    let lacks =
        "single use needs a ledger that all replicas share: give one to `ServerBuilder::ledger`";
    assert_eq!(
        problems(once(builder())),
        [
            format!("tool `pay`: {lacks}"),
            format!("prompt `pay`: {lacks}"),
            format!("resource `x:pay`: {lacks}"),
            format!("resource template `x:{{id}}`: {lacks}"),
        ]
    );
    assert!(once(builder().ledger(MemoryLedger::new())).build().is_ok());
}

#[test]
fn a_durable_handler_is_of_single_use_and_nothing_else() {
    async fn pay(_: Cx<Durable>, (): ()) -> Result<String, ToolError> {
        Ok(String::new())
    }
    let lacks = only(builder().tool(tool("pay", pay)));
    assert!(
        lacks.starts_with("tool `pay`: single use needs a ledger"),
        "{lacks}"
    );
    let builder = || builder().ledger(MemoryLedger::new());
    let allowed = only(builder().tool(tool("pay", pay).replay(Replay::Allowed)));
    assert!(
        allowed.starts_with("tool `pay`: ") && allowed.contains("Cx<Durable>"),
        "{allowed}"
    );
    let kinds = builder()
        .tool(tool("pay", pay).replay(Replay::Once))
        .prompt(prompt("pay", |_: Cx<Durable>, (): ()| async {
            Ok::<_, ToolError>("")
        }))
        .resource(resource("x:pay", pay));
    assert!(kinds.build().is_ok());
}

#[test]
fn a_lease_that_cannot_be_renewed_in_time_is_refused() {
    let short = |millis| builder().lease(Duration::from_millis(millis));
    assert!(only(short(299)).contains("300 milliseconds"));
    assert!(short(300).build().is_ok());
}

#[test]
fn all_mistakes_are_told_at_once() {
    let error = builder()
        .tool(tool("a b", of_text))
        .resource(resource("todo", nothing))
        .build()
        .expect_err("three mistakes");
    assert_eq!(error.problems().len(), 3);
    let text = error.to_string();
    assert!(
        text.starts_with("the server cannot be built\n  tool `a b`: "),
        "{text}"
    );
    assert_eq!(text.lines().count(), 4);
}
