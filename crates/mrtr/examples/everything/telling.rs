//! Tools that tell how they get on, and of changes.

use std::time::Duration;

use mrtr::server::{Changes, Notify as _, ServerBuilder, tool};
use mrtr::wire::LoggingLevel;
use mrtr::{Cx, ToolError};
use tokio::time::sleep;

const PAUSE: Duration = Duration::from_millis(50);

async fn progress(cx: Cx, (): ()) -> Result<&'static str, ToolError> {
    for done in [0.0, 50.0, 100.0] {
        cx.progress(done, 100.0, None);
        sleep(PAUSE).await;
    }
    Ok("Done, with progress on the way.")
}

async fn logging(cx: Cx, (): ()) -> Result<&'static str, ToolError> {
    for message in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        cx.log(LoggingLevel::Info, "everything", message);
        sleep(PAUSE).await;
    }
    Ok("Done, with logs for those who asked for them.")
}

pub(crate) fn register(builder: ServerBuilder, changes: &Changes) -> ServerBuilder {
    let tell = |name: &str, change: fn(&Changes)| {
        let changes = changes.clone();
        tool(name, move |_: Cx, (): ()| {
            change(&changes);
            async { Ok::<_, ToolError>("Subscribers were told.") }
        })
        .description("Tells subscribers that a list changed")
    };
    builder
        .tool(tool("test_tool_with_progress", progress).description("Reports progress"))
        .tool(tool("test_logging_tool", logging).description("Sends log messages"))
        .tool(tell(
            "test_trigger_tool_change",
            Changes::tools_list_changed,
        ))
        .tool(tell(
            "test_trigger_prompt_change",
            Changes::prompts_list_changed,
        ))
}
