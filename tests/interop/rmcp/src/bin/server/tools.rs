//! The tools.

use std::time::Duration;

use interop_rmcp::{Asking, Gather, elicit, input, invalid, list_roots, say_hello, weather};
use rmcp::handler::server::tool::{InputResponses, RequestState, schema_for_output};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::*;
use rmcp::service::{Peer, RoleServer};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::broadcast;

#[derive(Deserialize, JsonSchema)]
struct Trip {
    to: String,
}

#[derive(Deserialize, JsonSchema)]
struct Address {
    #[schemars(extend("x-mcp-header" = "City"))]
    city: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Quote {
    name: String,
    price: u32,
    discount: Option<f64>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Street {
    street: String,
}

#[derive(Clone)]
pub struct Travel {
    /// Tells subscriptions that something changed.
    pub touched: broadcast::Sender<()>,
}

fn text(text: impl Into<String>) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResult::success(vec![ContentBlock::text(text.into())]).into())
}

/// What a tool says that did not get what it needs.
fn not_yet(asking: Asking) -> Result<CallToolResponse, ErrorData> {
    match asking {
        Asking::Round(round) => Ok(round.into()),
        Asking::Refused(action) => Ok(CallToolResult::error(vec![ContentBlock::text(format!("{action:?}"))]).into()),
        Asking::Wrong(error) => Err(error),
    }
}

#[tool_router(vis = "pub")]
impl Travel {
    #[tool(description = "Books a seat")]
    async fn book(
        &self,
        Parameters(Trip { to }): Parameters<Trip>,
        RequestState(state): RequestState,
        InputResponses(answers): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        let seat = json!({"type": "object", "required": ["row", "side"], "properties": {
            "row": {"type": "integer", "minimum": 1, "maximum": 30},
            "side": {"type": "string", "enum": ["window", "aisle"]}
        }});
        let meal = json!({"type": "object", "required": ["meal"], "properties": {"meal": {"type": "string", "maxLength": 20}}});
        let pay =
            json!({"type": "object", "required": ["confirmed"], "properties": {"confirmed": {"type": "boolean"}}});
        let gathered = Gather::new("book", state, answers)
            .form("seat", format!("Which seat to {to}?"), seat)
            .form("meal", "Which meal?", meal)
            .form("pay", "Pay?", pay)
            .known();
        let known = match gathered {
            Ok(known) => known,
            Err(asking) => return not_yet(asking),
        };
        let word = |key: &str, name: &str| known[key][name].as_str().unwrap_or("?").to_owned();
        let paid = if known["pay"]["confirmed"] == true {
            "paid"
        } else {
            "not paid"
        };
        let (row, side, meal) = (&known["seat"]["row"], word("seat", "side"), word("meal", "meal"));
        text(format!("{to}: row {row}, {side}, {meal}, {paid}"))
    }

    #[tool(description = "Asks for every kind of field")]
    async fn fill_in(
        &self,
        RequestState(state): RequestState,
        InputResponses(answers): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        let schema = json!({
            "type": "object",
            "required": ["name", "email", "seats", "height", "insured", "colour", "meals"],
            "properties": {
                "name": {"type": "string", "title": "Name", "minLength": 1},
                "email": {"type": "string", "format": "email"},
                "seats": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
                "height": {"type": "number"},
                "insured": {"type": "boolean"},
                "colour": {"type": "string", "oneOf": [{"const": "red", "title": "Red"}, {"const": "green", "title": "Green"}]},
                "meals": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["soup", "fish", "cake"]}},
                "note": {"type": "string"}
            }
        });
        let all = match Gather::new("fill_in", state, answers)
            .form("all", "Fill in everything.", schema)
            .known()
        {
            Ok(known) => known["all"].clone(),
            Err(asking) => return not_yet(asking),
        };
        let meals: Vec<_> = all["meals"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|meal| meal.as_str())
            .collect();
        let word = |name: &str| all[name].as_str().unwrap_or("?").to_owned();
        text(format!(
            "{}, {}, {}, {}, {}, {}, {}, {}",
            word("name"),
            word("email"),
            all["seats"],
            all["height"],
            all["insured"],
            word("colour"),
            meals.join("+"),
            all["note"].as_str().unwrap_or("no note"),
        ))
    }

    #[tool(description = "Sends the person to a page")]
    async fn sign_in(&self, InputResponses(answers): InputResponses) -> Result<CallToolResponse, ErrorData> {
        let Some(answer) = answers.unwrap_or_default().remove("page") else {
            let params = json!({"mode": "url", "message": "Sign in first.", "url": "https://example.com/sign-in"});
            return Ok(input([("page", elicit(params)?)], None).into());
        };
        match answer["action"].as_str() {
            Some("accept") => text("signed in"),
            _ => Ok(CallToolResult::error(vec![ContentBlock::text("not signed in")]).into()),
        }
    }

    #[tool(description = "Asks the model")]
    async fn summarise(&self, InputResponses(answers): InputResponses) -> Result<CallToolResponse, ErrorData> {
        match answers.unwrap_or_default().remove("summary") {
            None => Ok(input([("summary", say_hello())], None).into()),
            Some(answer) => text(format!(
                "the model says: {}",
                answer["content"]["text"].as_str().unwrap_or("?")
            )),
        }
    }

    #[tool(description = "Asks a model that uses tools")]
    async fn forecast(&self, InputResponses(answers): InputResponses) -> Result<CallToolResponse, ErrorData> {
        let mut answers = answers.unwrap_or_default();
        if let Some(told) = answers.remove("told") {
            return text(told["content"]["text"].as_str().unwrap_or("?"));
        }
        let Some(answer) = answers.remove("forecast") else {
            return Ok(input([("forecast", weather(Vec::new()))], None).into());
        };
        let used: SamplingMessage = serde_json::from_value(answer).map_err(invalid)?;
        let id = used
            .content
            .first()
            .and_then(|block| block.as_tool_use())
            .map(|used| used.id.clone());
        let id = id.ok_or_else(|| invalid("the model uses no tool"))?;
        let gave = SamplingMessageContentBlock::tool_result(id, vec![ContentBlock::text("sunny")]);
        let gave = SamplingMessage::new_multiple(Role::User, vec![gave]);
        Ok(input([("told", weather(vec![used, gave]))], None).into())
    }

    #[tool(description = "Asks for the roots")]
    async fn places(&self, InputResponses(answers): InputResponses) -> Result<CallToolResponse, ErrorData> {
        match answers.unwrap_or_default().remove("places") {
            None => Ok(input([("places", list_roots())], None).into()),
            Some(answer) => text(answer["roots"][0]["uri"].as_str().unwrap_or("?")),
        }
    }

    #[tool(description = "Asks three things at once")]
    async fn together(&self, InputResponses(answers): InputResponses) -> Result<CallToolResponse, ErrorData> {
        let Some(answers) = answers else {
            let form = ElicitationSchema::from_type::<Name>().map_err(invalid)?;
            let params = json!({"mode": "form", "message": "Your name?", "requestedSchema": form});
            let questions = [
                ("name", elicit(params)?),
                ("summary", say_hello()),
                ("places", list_roots()),
            ];
            return Ok(input(questions, None).into());
        };
        let answer = |key: &str, path: &str| {
            let found = answers
                .get(key)
                .and_then(|answer| answer.pointer(path))
                .and_then(|found| found.as_str());
            found.map(str::to_owned).unwrap_or_default()
        };
        let (name, summary) = (answer("name", "/content/name"), answer("summary", "/content/text"));
        text(format!("{name}; {summary}; {}", answer("places", "/roots/0/uri")))
    }

    #[tool(description = "Asks nothing and takes two rounds")]
    async fn later(&self, RequestState(state): RequestState) -> Result<CallToolResponse, ErrorData> {
        match state {
            None => Ok(InputRequiredResult::from_request_state("later").into()),
            Some(_) => text("later is now"),
        }
    }

    #[tool(description = "Reports how far it is")]
    async fn slow(
        &self,
        meta: RequestMetaObject,
        client: Peer<RoleServer>,
        RequestState(state): RequestState,
        InputResponses(answers): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(token) = meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, 1.0)
                .with_total(2.0)
                .with_message("looking around");
            client.notify_progress(progress).await.map_err(invalid)?;
        }
        match Gather::new("slow", state, answers)
            .of::<Name>("name", "Your name?")
            .known()
        {
            Ok(known) => text(format!("found {}", known["name"]["name"].as_str().unwrap_or("?"))),
            Err(asking) => not_yet(asking),
        }
    }

    #[tool(description = "Has structured content", output_schema = schema_for_output::<Quote>())]
    async fn quote(
        &self,
        RequestState(state): RequestState,
        InputResponses(answers): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        match Gather::new("quote", state, answers)
            .of::<Name>("name", "Your name?")
            .known()
        {
            Ok(known) => {
                let name = known["name"]["name"].as_str().unwrap_or("?").to_owned();
                let quote = Quote {
                    name,
                    price: 420,
                    discount: None,
                };
                Ok(CallToolResult::structured(serde_json::to_value(quote).map_err(invalid)?).into())
            }
            Err(asking) => not_yet(asking),
        }
    }

    #[tool(description = "Says that a note and the tools changed")]
    async fn touch(&self) -> Result<CallToolResponse, ErrorData> {
        // A subscription is acknowledged before it listens.
        while self.touched.send(()).is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        text("touched")
    }

    #[tool(description = "Has an argument in a header")]
    async fn locate(
        &self,
        Parameters(Address { city }): Parameters<Address>,
        RequestState(state): RequestState,
        InputResponses(answers): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        match Gather::new("locate", state, answers)
            .of::<Street>("street", "Which street?")
            .known()
        {
            Ok(known) => text(format!(
                "{} in {city}",
                known["street"]["street"].as_str().unwrap_or("?")
            )),
            Err(asking) => not_yet(asking),
        }
    }
}
