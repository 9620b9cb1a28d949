//! Whether a server does what the benchmark is about.

use serde_json::Value;

use crate::Failure;
use crate::exchange::{BOOKED, Call, find, state_of};
use crate::http::Connection;
use crate::process::{Running, Start};
use crate::servers::Server;

/// Plays one exchange, looks at every part of it, and tries what must be refused.
pub fn check(server: &Server) -> Result<(), Failure> {
    for tools in server.sizes() {
        let running = Running::start(
            server,
            &Start {
                tools,
                ..Start::default()
            },
        )?;
        play(&mut Connection::open(running.port)?)
            .map_err(|what| format!("{}: {what}", server.name))?;
    }
    Ok(())
}

fn play(connection: &mut Connection) -> Result<(), Failure> {
    let (status, body) = connection.call(&Call::first())?;
    let result = result(status, body)?;
    expect(
        result["resultType"] == "input_required",
        "round 1 asks",
        &result,
    )?;
    let question = &result["inputRequests"]["dates"];
    expect(
        question["method"] == "elicitation/create",
        "the question is an elicitation",
        question,
    )?;
    let params = &question["params"];
    expect(
        params["message"] == "When do you travel to Oslo?",
        "the message names the city",
        params,
    )?;
    let form = &params["requestedSchema"];
    for field in ["from", "to"] {
        expect(
            form["properties"][field]["type"] == "string",
            "both fields are strings",
            form,
        )?;
    }
    let state = state_of(body)?.to_owned();

    let (status, body) = connection.call(&Call::second(&state))?;
    if status != 200 || find(body, BOOKED.as_bytes()).is_none() {
        return Err(format!(
            "round 2 says HTTP {status} {}",
            String::from_utf8_lossy(body)
        )
        .into());
    }

    refused(
        connection,
        "an altered state",
        &Call::second(&altered(&state)),
    )?;
    let other = Call {
        arguments: r#"{"city":"Rome"}"#,
        ..Call::second(&state)
    };
    refused(connection, "a state of other arguments", &other)
}

fn refused(connection: &mut Connection, what: &str, call: &Call<'_>) -> Result<(), Failure> {
    let (status, body) = connection.call(call)?;
    let refusals: [&[u8]; 2] = [br#""error":"#, br#""isError":true"#];
    let refused = refusals.iter().any(|text| find(body, text).is_some());
    let fine = refused && find(body, b"Booked").is_none();
    match fine {
        true => Ok(()),
        false => Err(format!(
            "{what} gives HTTP {status} {}",
            String::from_utf8_lossy(body)
        )
        .into()),
    }
}

/// The result in a reply, which is JSON or the data of an event.
fn result(status: u16, body: &[u8]) -> Result<Value, Failure> {
    let begin = body.iter().position(|byte| *byte == b'{').unwrap_or(0);
    let mut values = serde_json::Deserializer::from_slice(&body[begin..]).into_iter::<Value>();
    match values.next() {
        Some(Ok(mut reply)) if status == 200 && reply["result"].is_object() => {
            Ok(reply["result"].take())
        }
        _ => Err(format!("no result: HTTP {status} {}", String::from_utf8_lossy(body)).into()),
    }
}

fn expect(holds: bool, what: &str, seen: &Value) -> Result<(), Failure> {
    if holds {
        Ok(())
    } else {
        Err(format!("{what}: not so in {seen}").into())
    }
}

/// A character in the middle replaced by another letter.
fn altered(state: &str) -> String {
    let middle =
        (state.len() / 2..state.len()).find(|at| state.as_bytes()[*at].is_ascii_alphanumeric());
    let at = middle.unwrap_or(1);
    let other = if &state[at..=at] == "A" { "B" } else { "A" };
    format!("{}{other}{}", &state[..at], &state[at + 1..])
}
