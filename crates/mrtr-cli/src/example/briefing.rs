//! `briefing`: a prompt that asks before it is written.

use mrtr::server::{Prompt, prompt};
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Topic {
    /// Where the trip goes
    to: String,
}

#[derive(Form)]
struct Reader {
    /// Who will read it
    #[form(title = "Reader", max_length = 60, default = "the whole family")]
    reader: String,
    #[form(title = "Length")]
    length: Length,
}

#[derive(Form)]
enum Length {
    #[form(rename = "short", title = "A few lines")]
    Short,
    #[form(rename = "long", title = "A page")]
    Long,
}

async fn briefing(cx: Cx, topic: Topic) -> Result<String, ToolError> {
    let reader: Reader = cx.elicit("reader", "Whom is the briefing for?").await?;
    let length = match reader.length {
        Length::Short => "in at most five lines",
        Length::Long => "on one page",
    };
    Ok(format!(
        "Write a briefing about a trip to {}, {length}. It is for {}.",
        topic.to, reader.reader
    ))
}

pub(super) fn register() -> Prompt {
    prompt("briefing", briefing)
        .title("Travel briefing")
        .description("Writes a briefing about a trip. Asks whom it is for.")
}
