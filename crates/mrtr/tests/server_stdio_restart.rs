//! A server on stdio that is killed between two rounds: the next process finds
//! the key of the one before in the user's state folder.
//!
//! Without a test harness, as the harness writes to standard output and this
//! program is the server as well.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use mrtr::server::{Server, tool};
use mrtr::{Cx, ToolError};
use serde_json::{Value, json};

const SERVE: &str = "--serve-on-stdio";

async fn remove(cx: Cx, _: ()) -> Result<&'static str, ToolError> {
    cx.confirm("sure", "Sure?").await?;
    Ok("removed")
}

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() == Some(SERVE) {
        return serve();
    }
    let folder = tempfile::tempdir()?;
    a_state_survives_the_restart_of_a_stdio_server(folder.path())?;
    another_user_does_not_open_it(folder.path())?;
    eprintln!("a state survives the restart of a stdio server: ok");
    Ok(())
}

fn serve() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("files", "1.0.0")
        .tool(tool("remove", remove))
        .build()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(server.stdio().into_future())?;
    Ok(())
}

/// What a new process of the server answers to one request.
fn ask(state_home: &Path, extra: &Value) -> Result<Value, Box<dyn Error>> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg(SERVE)
        .env_remove("MRTR_KEYS")
        .env("XDG_STATE_HOME", state_home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut params = json!({
        "name": "remove",
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        },
    });
    let members = extra.as_object().ok_or("an object")?.clone();
    params.as_object_mut().ok_or("an object")?.extend(members);
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    writeln!(child.stdin.as_mut().ok_or("a pipe")?, "{request}")?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("a pipe")?).read_line(&mut line)?;
    child.kill()?;
    child.wait()?;
    Ok(serde_json::from_str(&line)?)
}

fn yes(asked: &Value) -> Value {
    json!({
        "requestState": asked["result"]["requestState"],
        "inputResponses": {"sure": {"action": "accept", "content": {"confirmed": true}}},
    })
}

fn a_state_survives_the_restart_of_a_stdio_server(folder: &Path) -> Result<(), Box<dyn Error>> {
    let asked = ask(folder, &json!({}))?;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let done = ask(folder, &yes(&asked))?;
    assert_eq!(done["result"]["content"][0]["text"], "removed", "{done}");

    let file = folder.join("mrtr").join("files.keys");
    let text = std::fs::read_to_string(&file)?;
    let state = asked["result"]["requestState"].as_str().ok_or("a state")?;
    assert!(!state.contains(text.trim()), "the key stays here");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            std::fs::metadata(&file)?.permissions().mode() & 0o777,
            0o600
        );
    }
    Ok(())
}

fn another_user_does_not_open_it(folder: &Path) -> Result<(), Box<dyn Error>> {
    let asked = ask(folder, &json!({}))?;
    let elsewhere = tempfile::tempdir()?;
    let rejected = ask(elsewhere.path(), &yes(&asked))?;
    assert_eq!(
        rejected["error"]["data"]["reason"], "invalid_request_state",
        "{rejected}"
    );
    Ok(())
}
