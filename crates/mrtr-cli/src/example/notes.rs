//! `trip://{city}/notes`: a resource that asks before it is read.

use mrtr::server::{ResourceTemplate, resource_template};
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Notes {
    city: String,
}

#[derive(Form)]
struct When {
    season: Season,
}

#[derive(Form)]
enum Season {
    #[form(rename = "spring", title = "Spring")]
    Spring,
    #[form(rename = "summer", title = "Summer")]
    Summer,
    #[form(rename = "autumn", title = "Autumn")]
    Autumn,
    #[form(rename = "winter", title = "Winter")]
    Winter,
}

async fn notes(cx: Cx, notes: Notes) -> Result<String, ToolError> {
    let city = match notes.city.as_str() {
        "kyoto" => "Kyoto",
        "lisbon" => "Lisbon",
        "oslo" => "Oslo",
        _ => return Err(ToolError::not_found()),
    };
    let when: When = cx
        .elicit("when", format!("When do you go to {city}?"))
        .await?;
    let bring = match when.season {
        Season::Spring => "an umbrella",
        Season::Summer => "a hat",
        Season::Autumn => "a jacket",
        Season::Winter => "a warm coat",
    };
    Ok(format!("{city}: bring {bring}, and good shoes."))
}

pub(super) fn register() -> ResourceTemplate {
    resource_template("trip://{city}/notes", notes)
        .title("Notes for a trip")
        .description("What to bring to kyoto, lisbon or oslo. Asks when you go.")
        .mime_type("text/plain")
}
