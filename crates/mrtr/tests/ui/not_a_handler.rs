//! The handler is not async, returns no result, or something a tool cannot return.

use mrtr::server::tool;
use mrtr::{Cx, ToolError};

fn not_async(_: Cx, _: ()) -> Result<String, ToolError> {
    Ok(String::new())
}

async fn no_result(_: Cx, _: ()) -> String {
    String::new()
}

struct Ticket;

async fn no_output(_: Cx, _: ()) -> Result<Ticket, ToolError> {
    Ok(Ticket)
}

async fn no_arguments(_: Cx) -> Result<String, ToolError> {
    Ok(String::new())
}

fn main() {
    let _ = tool("not_async", not_async);
    let _ = tool("no_result", no_result);
    let _ = tool("no_output", no_output);
    let _ = tool("no_arguments", no_arguments);
}
