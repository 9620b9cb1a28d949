//! Calls that are saved by one client and go on in another.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::http::{Do, Script};
use crate::support::{asks, done, form, says_yes};
use mrtr::client::{Answerer, Call, Client, ClientError, IfSent, PendingPhase, Turn, saved_call};
use mrtr::exchange::{ExchangeError, ResumeError};
use mrtr::wire::{ElicitResult, InputResponse};
use serde_json::{Value, json};
use tempfile::TempDir;

fn named(mut result: Value, server: &str) -> Value {
    let info = json!({"io.modelcontextprotocol/serverInfo": {"name": server, "version": "1"}});
    result["_meta"] = info;
    result
}

fn discovered(server: &str) -> Value {
    crate::support::peer::discovered(server)
}

fn tools() -> Value {
    json!([{"name": "book", "inputSchema": {"type": "object", "properties": {
        "to": {"type": "string", "x-mcp-header": "To"}}}}])
}

/// A folder for one saved call.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("call.json")
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn book(client: &Client) -> Call {
    let call = client.tool("book", &json!({"to": "Kyōto"})).unwrap();
    call.declare(says_yes().capabilities())
}

/// Asks the first round and saves it.
async fn saved(client: &Client, file: &Path) -> Call {
    let mut call = book(client);
    assert!(matches!(call.advance().await.unwrap(), Turn::Asked(_)));
    call.save(file).await.unwrap();
    call
}

async fn resume(client: &Client, file: &Path, if_sent: IfSent) -> Result<Call, ClientError> {
    let call = client.resume(file, if_sent).await?;
    Ok(call.declare(says_yes().capabilities()))
}

fn resume_error(error: &ClientError) -> &ResumeError {
    let ClientError::Save(error) = error else {
        panic!("{error}")
    };
    error.resume_error().unwrap_or_else(|| panic!("{error}"))
}

#[tokio::test]
async fn a_saved_call_goes_on_in_another_process() {
    let steps = [named(asks(form()), "travel"), discovered("travel"), done()];
    let script = Script::with_tools([tools()], steps.map(Do::Result)).await;
    let folder = Folder::new();
    let first = script.builder().bearer("secret-token").build().unwrap();
    let call = saved(&first, &folder.file()).await;
    assert_eq!(folder.names(), ["call.json", "call.json.lock"]);
    let text = std::fs::read_to_string(folder.file()).unwrap();
    assert!(!text.contains("secret"), "never credentials: {text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.file())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    drop(call);
    assert_eq!(folder.names(), ["call.json"]);
    let pending = saved_call(folder.file()).unwrap();
    assert_eq!(pending.phase(), PendingPhase::Asked);
    assert_eq!(pending.peer().target.url(), Some(&*script.url));
    assert_eq!(pending.questions().unwrap().len(), 1);

    let second = script.client();
    let mut call = resume(&second, &folder.file(), IfSent::Refuse)
        .await
        .unwrap();
    assert!(call.questions().is_some());
    let outcome = call.drive(&says_yes()).await.unwrap();
    assert!(!outcome.into_tool().unwrap().is_error());
    assert!(
        folder.names().iter().all(|name| name != "call.json"),
        "done: the file is gone"
    );

    let listed = script
        .all()
        .iter()
        .filter(|seen| seen.method() == "tools/list")
        .count();
    assert_eq!(listed, 1, "header names were saved");
    let seen = script.seen();
    let retry = seen.last().unwrap();
    assert_eq!(retry.header("mcp-param-to"), Some("=?base64?S3nFjXRv?="));
    assert_eq!(retry.header("mcp-name"), Some("book"));
    let answers = json!({"q": {"action": "accept", "content": {"yes": true}}});
    assert_eq!(
        retry.bare(),
        json!({"name": "book", "arguments": {"to": "Kyōto"}, "inputResponses": answers,
            "requestState": "S1"})
    );
}

#[tokio::test]
async fn only_the_same_server_may_go_on() {
    let steps = [named(asks(form()), "travel"), discovered("imposter")];
    let script = Script::new(steps.map(Do::Result)).await;
    let folder = Folder::new();
    drop(saved(&script.client(), &folder.file()).await);

    let other = Script::new([]).await;
    let error = resume(&other.client(), &folder.file(), IfSent::Refuse)
        .await
        .unwrap_err();
    assert!(
        matches!(resume_error(&error), ResumeError::OtherTarget { .. }),
        "{error}"
    );
    assert!(
        other.all().is_empty(),
        "another server is not even asked for its name"
    );
    let child = Client::command("travel", [""; 0]).build().unwrap();
    let error = resume(&child, &folder.file(), IfSent::Refuse)
        .await
        .unwrap_err();
    assert!(
        matches!(resume_error(&error), ResumeError::OtherTarget { .. }),
        "{error}"
    );

    let error = resume(&script.client(), &folder.file(), IfSent::Refuse)
        .await
        .unwrap_err();
    assert!(
        matches!(resume_error(&error), ResumeError::OtherServer { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("imposter"), "{error}");
    assert_eq!(script.seen().len(), 2, "no answer left");
}

#[tokio::test]
async fn a_server_that_gives_no_name_is_asked_when_the_call_is_saved() {
    let steps = [
        asks(form()),
        discovered("travel"),
        discovered("travel"),
        done(),
    ];
    let script = Script::new(steps.map(Do::Result)).await;
    let folder = Folder::new();
    drop(saved(&script.client(), &folder.file()).await);
    let pending = saved_call(folder.file()).unwrap();
    assert_eq!(pending.peer().server.as_deref(), Some("travel"));
    let mut call = resume(&script.client(), &folder.file(), IfSent::Refuse)
        .await
        .unwrap();
    call.drive(&says_yes()).await.unwrap();
}

#[tokio::test]
async fn the_file_is_marked_before_the_answers_leave() {
    let steps = [
        Do::Result(named(asks(form()), "travel")),
        Do::Hangup,
        Do::Result(discovered("travel")),
        Do::Result(done()),
    ];
    let script = Script::new(steps).await;
    let folder = Folder::new();
    let mut call = saved(&script.client(), &folder.file()).await;
    let error = call.drive(&says_yes()).await.unwrap_err();
    assert!(matches!(error, ClientError::Ambiguous(_)));
    drop(call);
    assert_eq!(
        saved_call(folder.file()).unwrap().phase(),
        PendingPhase::Sent
    );

    let client = script.client();
    let error = resume(&client, &folder.file(), IfSent::Refuse)
        .await
        .unwrap_err();
    assert!(
        matches!(resume_error(&error), ResumeError::AlreadySent { .. }),
        "{error}"
    );
    let mut call = resume(&client, &folder.file(), IfSent::SendAgain)
        .await
        .unwrap();
    assert!(call.questions().is_none(), "they were answered");
    assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
    let seen = script.seen();
    assert_eq!(seen[1].bare(), seen[seen.len() - 1].bare());
}

#[tokio::test]
async fn answers_that_never_left_are_not_marked_as_sent() {
    let steps = [named(asks(form()), "travel"), done()];
    let script = Script::new(steps.map(Do::Result)).await;
    let folder = Folder::new();
    let locked = Arc::new(AtomicBool::new(false));
    let lock = Arc::clone(&locked);
    let token = move || {
        let locked = lock.load(Ordering::Relaxed);
        async move {
            if locked {
                Err("the keychain is locked")
            } else {
                Ok("t".to_owned())
            }
        }
    };
    let client = script.builder().bearer_with(token).build().unwrap();
    let mut call = saved(&client, &folder.file()).await;
    locked.store(true, Ordering::Relaxed);
    let error = call.drive(&says_yes()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable(_)), "{error}");
    let pending = saved_call(folder.file()).unwrap();
    assert_eq!(
        (pending.phase(), pending.is_answered()),
        (PendingPhase::Asked, true)
    );
    locked.store(false, Ordering::Relaxed);
    call.drive(&()).await.unwrap();
    assert_eq!(script.seen().len(), 2);
    drop(call);
    assert!(folder.names().is_empty());
}

#[tokio::test]
async fn the_file_follows_the_rounds() {
    let mut second = named(asks(form()), "travel");
    second["requestState"] = json!("S2");
    let steps = [named(asks(form()), "travel"), second];
    let script = Script::new(steps.map(Do::Result)).await;
    let folder = Folder::new();
    let mut call = saved(&script.client(), &folder.file()).await;
    let content = serde_json::value::to_raw_value(&json!({})).unwrap();
    let answer = InputResponse::Elicit(ElicitResult::accept(Some(content)));
    call.answer(vec![("q".to_owned(), answer)]).unwrap();
    assert!(matches!(call.advance().await.unwrap(), Turn::Asked(_)));
    let pending = saved_call(folder.file()).unwrap();
    assert_eq!(
        (pending.phase(), pending.is_answered()),
        (PendingPhase::Asked, false)
    );
    assert_eq!(pending.reached().rounds, 2);
    assert!(
        std::fs::read_to_string(folder.file())
            .unwrap()
            .contains("\"S2\"")
    );
}

#[tokio::test]
async fn two_processes_cannot_go_on_with_one_call() {
    let steps = [
        named(asks(form()), "travel"),
        discovered("travel"),
        discovered("travel"),
    ];
    let script = Script::new(steps.map(Do::Result)).await;
    let folder = Folder::new();
    let call = saved(&script.client(), &folder.file()).await;
    let error = resume(&script.client(), &folder.file(), IfSent::Refuse)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("in use"), "{error}");
    drop(call);
    let held = resume(&script.client(), &folder.file(), IfSent::Refuse)
        .await
        .unwrap();
    let error = resume(&script.client(), &folder.file(), IfSent::Refuse)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("in use"), "{error}");
    drop(held);
    let again = resume(&script.client(), &folder.file(), IfSent::Refuse).await;
    assert!(again.is_ok());
}

#[tokio::test]
async fn a_file_that_was_changed_or_is_something_else_is_refused() {
    let script = Script::new([Do::Result(named(asks(form()), "travel"))]).await;
    let folder = Folder::new();
    drop(saved(&script.client(), &folder.file()).await);
    let text = std::fs::read_to_string(folder.file()).unwrap();
    let client = script.client();
    for text in [text.replace("book", "burn"), String::new(), "{}".to_owned()] {
        std::fs::write(folder.file(), text).unwrap();
        let error = resume(&client, &folder.file(), IfSent::SendAgain)
            .await
            .unwrap_err();
        assert!(matches!(error, ClientError::Save(_)), "{error}");
    }
    let error = resume(&client, Path::new("/no/such/file"), IfSent::Refuse)
        .await
        .unwrap_err();
    assert!(matches!(error, ClientError::Save(_)), "{error}");
    assert_eq!(script.seen().len(), 1);
}

#[tokio::test]
async fn a_call_that_has_not_begun_or_is_over_cannot_be_saved() {
    let steps = [discovered("travel"), done()];
    let script = Script::new(steps.map(Do::Result)).await;
    let folder = Folder::new();
    let mut call = book(&script.client());
    let error = call.save(folder.file()).await.unwrap_err();
    assert!(
        matches!(error, ClientError::Exchange(ExchangeError::Misuse(_))),
        "{error}"
    );
    assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
    assert!(call.save(folder.file()).await.is_err());
    assert!(folder.names().is_empty());
}

#[tokio::test]
async fn a_rejected_state_makes_the_file_useless() {
    let error = json!({"code": -32602, "message": "Invalid or expired requestState",
        "data": {"reason": "invalid_request_state"}});
    let steps = [
        Do::Result(named(asks(form()), "travel")),
        Do::Error(400, error),
    ];
    let script = Script::new(steps).await;
    let folder = Folder::new();
    let mut call = saved(&script.client(), &folder.file()).await;
    assert!(call.drive(&says_yes()).await.is_err());
    drop(call);
    assert!(folder.names().is_empty());
}
