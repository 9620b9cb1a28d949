//! `countdown`: a plain tool that takes its time and tells how far it is.

use std::time::Duration;

use mrtr::server::{Notify as _, Tool, tool};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

const MOST: u32 = 60;

#[derive(Deserialize, JsonSchema)]
struct Countdown {
    /// How many seconds to count, at most 60
    seconds: u32,
}

async fn countdown(cx: Cx, countdown: Countdown) -> Result<&'static str, ToolError> {
    let seconds = countdown.seconds;
    if seconds > MOST {
        return Err(ToolError::visible("It counts from 60 seconds at most."));
    }
    for passed in 0..seconds {
        let left = format!("{} to go", seconds - passed);
        cx.progress(passed.into(), Some(seconds.into()), left.as_str());
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok("Lift-off.")
}

pub(super) fn register() -> Tool {
    tool("countdown", countdown)
        .title("Count down")
        .description("Counts seconds down and reports its progress. Asks nothing.")
        .read_only()
        .open_world(false)
}
