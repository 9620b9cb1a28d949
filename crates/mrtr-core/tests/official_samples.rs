//! Every official sample message decodes and encodes back to the same JSON, and what this library
//! makes itself is valid by the official schema.
//!
//! Needs `MRTR_SPEC_DIR`: a folder with `schema.json` and `examples/` of revision 2026-07-28.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use mrtr_core::form::FormSchema;
use mrtr_core::wire::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// `None`, said loudly, when the official files are not at hand; a failure where CI runs.
fn spec_dir() -> Option<PathBuf> {
    if let Some(dir) = std::env::var_os("MRTR_SPEC_DIR") {
        return Some(dir.into());
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "MRTR_SPEC_DIR must be set where CI runs"
    );
    eprintln!(
        "SKIPPED: set MRTR_SPEC_DIR to a folder with schema.json and examples/ to run this test"
    );
    None
}

struct Sample {
    kind: String,
    path: PathBuf,
    text: String,
}

fn samples(dir: &Path) -> Vec<Sample> {
    let mut samples = Vec::new();
    for folder in fs::read_dir(dir.join("examples")).unwrap() {
        let folder = folder.unwrap();
        for file in fs::read_dir(folder.path()).unwrap() {
            let path = file.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            samples.push(Sample {
                kind: folder.file_name().into_string().unwrap(),
                path,
                text,
            });
        }
    }
    assert!(samples.len() >= 129, "only {} samples", samples.len());
    samples
}

/// Decodes and encodes. A known member that landed in `extra` would survive as well, so that is
/// looked for in the debug text.
fn again<T: DeserializeOwned + Serialize + Debug>(text: &str) -> String {
    let value: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let debug = format!("{value:?}");
    assert!(
        !debug.contains("extra: {\""),
        "a member is not known: {debug}"
    );
    serde_json::to_string(&value).unwrap()
}

fn member(text: &str, name: &str) -> Box<RawValue> {
    let object: RawObject = serde_json::from_str(text).unwrap();
    object.get(name).unwrap().to_owned()
}

fn request<P: DeserializeOwned + Serialize + Debug>(text: &str) -> String {
    let Incoming::Request(request) = Incoming::parse(text.as_bytes()).unwrap() else {
        panic!("no request")
    };
    request.params.request_meta().unwrap();
    let params = again::<P>(member(text, "params").get());
    let written = write_request(
        &request.id,
        &request.method,
        &RawValue::from_string(params).unwrap(),
    )
    .unwrap();
    String::from_utf8(written).unwrap()
}

fn response<T: DeserializeOwned + Serialize + Debug>(text: &str) -> String {
    let ServerMessage::Response(response) = ServerMessage::parse(text.as_bytes()).unwrap() else {
        panic!("no response")
    };
    let result = response.outcome.unwrap();
    assert!(matches!(
        AnyResult::parse(result, Strictness::Strict),
        Ok(AnyResult::Complete(_))
    ));
    let result = RawValue::from_string(again::<T>(result.get())).unwrap();
    String::from_utf8(write_result(&response.id.unwrap(), &result).unwrap()).unwrap()
}

fn error_response(text: &str) -> String {
    let ServerMessage::Response(response) = ServerMessage::parse(text.as_bytes()).unwrap() else {
        panic!("no response")
    };
    String::from_utf8(write_error(
        response.id.as_ref(),
        &response.outcome.unwrap_err(),
    ))
    .unwrap()
}

fn notification(text: &str) -> String {
    let ServerMessage::Notification { method, params } =
        ServerMessage::parse(text.as_bytes()).unwrap()
    else {
        panic!("no notification")
    };
    let decoded = ServerNotification::decode(&method, params)
        .unwrap()
        .expect("a known method");
    assert!(!format!("{decoded:?}").contains("extra: {\""));
    String::from_utf8(write_notification(decoded.method(), &decoded).unwrap()).unwrap()
}

/// In a map, as it travels. The sample of `roots/list` has an `id`, which is not in the schema.
fn input_request(text: &str) -> String {
    let asks: InputRequests = serde_json::from_str(&format!(r#"{{"key":{text}}}"#)).unwrap();
    member(&serde_json::to_string(&asks).unwrap(), "key")
        .get()
        .to_owned()
}

fn input_required(text: &str) -> String {
    let raw: &RawValue = serde_json::from_str(text).unwrap();
    let AnyResult::InputRequired(result) = AnyResult::parse(raw, Strictness::Strict).unwrap()
    else {
        panic!("complete")
    };
    assert!(result.extra.is_empty());
    serde_json::to_string(&result).unwrap()
}

fn input_responses(text: &str) -> String {
    let raw: &RawValue = serde_json::from_str(text).unwrap();
    let kinds = [
        ("github_login", InputKind::ElicitForm),
        ("capital_of_france", InputKind::Sample),
    ];
    let answers = InputResponses::parse(Some(raw)).unwrap();
    let decoded: BTreeMap<&str, InputResponse> = kinds
        .into_iter()
        .map(|(key, kind)| {
            (
                key,
                InputResponse::decode(kind, answers.get(key).unwrap()).unwrap(),
            )
        })
        .collect();
    serde_json::to_string(&decoded).unwrap()
}

fn field(text: &str) -> String {
    let form = format!(r#"{{"type":"object","properties":{{"field":{text}}}}}"#);
    let form: FormSchema = serde_json::from_str(&form).unwrap();
    assert_eq!(form.fields().len(), 1);
    member(member(form.raw(), "properties").get(), "field")
        .get()
        .to_owned()
}

fn round_trip(kind: &str, text: &str) -> String {
    match kind {
        "AudioContent" => again::<AudioContent>(text),
        "BlobResourceContents" | "TextResourceContents" => again::<ResourceContents>(text),
        "CallToolRequest" => request::<CallToolParams>(text),
        "CallToolRequestParams" => again::<CallToolParams>(text),
        "CallToolResult" => again::<CallToolResult>(text),
        "CallToolResultResponse" => response::<CallToolResult>(text),
        "CancelledNotificationParams" => again::<CancelledParams>(text),
        "ClientCapabilities" => again::<ClientCapabilities>(text),
        "CompleteRequest" => request::<CompleteParams>(text),
        "CompleteRequestParams" => again::<CompleteParams>(text),
        "CompleteResult" => again::<CompleteResult>(text),
        "CompleteResultResponse" => response::<CompleteResult>(text),
        "CreateMessageRequest" | "ElicitRequest" | "ListRootsRequest" => input_request(text),
        "CreateMessageRequestParams" => again::<CreateMessageRequest>(text),
        "CreateMessageResult" => again::<CreateMessageResult>(text),
        "DiscoverRequest"
        | "ListPromptsRequest"
        | "ListResourceTemplatesRequest"
        | "ListResourcesRequest"
        | "ListToolsRequest" => request::<ListParams>(text),
        "DiscoverResult" => again::<DiscoverResult>(text),
        "DiscoverResultResponse" => response::<DiscoverResult>(text),
        "ElicitRequestFormParams" | "ElicitRequestURLParams" => again::<ElicitRequest>(text),
        "ElicitResult" => again::<ElicitResult>(text),
        "EmbeddedResource" | "ResourceLink" | "TextContent" | "ImageContent" => {
            again::<ContentBlock>(text)
        }
        "GetPromptRequest" => request::<GetPromptParams>(text),
        "GetPromptRequestParams" => again::<GetPromptParams>(text),
        "GetPromptResult" => again::<GetPromptResult>(text),
        "GetPromptResultResponse" => response::<GetPromptResult>(text),
        "HeaderMismatchError"
        | "MissingRequiredClientCapabilityError"
        | "UnsupportedProtocolVersionError" => error_response(text),
        "InputRequests" => again::<InputRequests>(text),
        "InputRequiredResult" => input_required(text),
        "InputResponses" => input_responses(text),
        "InternalError" | "InvalidParamsError" | "MethodNotFoundError" | "ParseError" => {
            again::<ErrorObject>(text)
        }
        "ListPromptsResult" => again::<ListPromptsResult>(text),
        "ListPromptsResultResponse" => response::<ListPromptsResult>(text),
        "ListResourceTemplatesResult" => again::<ListResourceTemplatesResult>(text),
        "ListResourceTemplatesResultResponse" => response::<ListResourceTemplatesResult>(text),
        "ListResourcesResult" => again::<ListResourcesResult>(text),
        "ListResourcesResultResponse" => response::<ListResourcesResult>(text),
        "ListRootsResult" => again::<ListRootsResult>(text),
        "ListToolsResult" => again::<ListToolsResult>(text),
        "ListToolsResultResponse" => response::<ListToolsResult>(text),
        "LoggingMessageNotificationParams" => again::<LoggingMessageParams>(text),
        "ModelPreferences" => again::<ModelPreferences>(text),
        "PaginatedRequestParams" => again::<ListParams>(text),
        "ProgressNotificationParams" => again::<ProgressParams>(text),
        "ReadResourceRequest" => request::<ReadResourceParams>(text),
        "ReadResourceResult" => again::<ReadResourceResult>(text),
        "ReadResourceResultResponse" => response::<ReadResourceResult>(text),
        "Resource" => again::<Resource>(text),
        "ResourceUpdatedNotificationParams" => again::<ResourceUpdatedParams>(text),
        "Root" => again::<Root>(text),
        "SamplingMessage" => again::<SamplingMessage>(text),
        "ServerCapabilities" => again::<ServerCapabilities>(text),
        "SubscriptionsListenRequest" => request::<ListenParams>(text),
        "SubscriptionsListenResult" => again::<ListenResult>(text),
        "SubscriptionsListenResultResponse" => response::<ListenResult>(text),
        "Tool" => again::<Tool>(text),
        "ToolResultContent" | "ToolUseContent" => again::<SamplingBlock>(text),
        kind if kind.ends_with("Notification") => notification(text),
        kind if kind.ends_with("Schema") => field(text),
        other => panic!("no decoder for the samples of {other}"),
    }
}

/// Equal as JSON, numbers by their value, the order of members aside.
fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

struct Schema(Value);

impl Schema {
    fn load(dir: &Path) -> Self {
        Self(value(&fs::read_to_string(dir.join("schema.json")).unwrap()))
    }

    fn check(&self, kind: &str, text: &str) {
        let mut schema = json!({ "$ref": format!("#/$defs/{kind}"), "$defs": self.0["$defs"] });
        schema["$schema"] = self.0["$schema"].clone();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<_> = validator
            .iter_errors(&value(text))
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{text} is no {kind}: {errors:?}");
    }
}

#[test]
fn every_official_sample_encodes_back_to_the_same_json() {
    let Some(dir) = spec_dir() else { return };
    let schema = Schema::load(&dir);
    for Sample { kind, path, text } in samples(&dir) {
        let written = std::panic::catch_unwind(|| round_trip(&kind, &text))
            .unwrap_or_else(|_| panic!("the sample is {}", path.display()));
        assert_eq!(value(&written), value(&text), "{}", path.display());
        schema.check(&kind, &written);
    }
}

fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

#[test]
fn what_a_server_makes_is_valid_by_the_schema() {
    let Some(dir) = spec_dir() else { return };
    let schema = Schema::load(&dir);
    let hints = CacheHints::default();

    let mut text = TextContent::new("text");
    let mut annotations = Annotations::default();
    annotations.audience = Some(vec![Role::User]);
    annotations.priority = Some(0.5.into());
    text.annotations = Some(annotations);
    let blocks = vec![
        ContentBlock::from(text),
        ContentBlock::image("aGk=", "image/png"),
        ContentBlock::Audio(AudioContent::new("aGk=", "audio/wav")),
        ContentBlock::from(Resource::new("file:///a", "a")),
        ContentBlock::from(EmbeddedResource::new(
            ResourceContents::text("file:///a", "hi").mime_type("text/plain"),
        )),
    ];
    schema.check("CallToolResult", &written(&CallToolResult::new(blocks)));
    schema.check("CallToolResult", &written(&CallToolResult::error("no")));
    schema.check(
        "CallToolResult",
        &written(&CallToolResult::structured(&json!([1, null])).unwrap()),
    );

    let contents = vec![
        ResourceContents::blob("file:///b", "aGk="),
        ResourceContents::text("file:///a", "hi"),
    ];
    schema.check(
        "ReadResourceResult",
        &written(&ReadResourceResult::new(contents)),
    );
    schema.check(
        "GetPromptResult",
        &written(&GetPromptResult::new(vec![PromptMessage::user("hi")])),
    );

    let input_schema: RawObject = serde_json::from_str(r#"{"type":"object"}"#).unwrap();
    schema.check(
        "ListToolsResult",
        &written(&ListToolsResult::new(
            vec![Tool::new("t", input_schema)],
            hints,
        )),
    );
    let mut prompt = Prompt::new("p");
    prompt.arguments = Some(vec![PromptArgument::new("a", true)]);
    schema.check(
        "ListPromptsResult",
        &written(&ListPromptsResult::new(vec![prompt], hints)),
    );
    let resources = ListResourcesResult::new(vec![Resource::new("file:///a", "a")], hints);
    schema.check("ListResourcesResult", &written(&resources));
    let templates =
        ListResourceTemplatesResult::new(vec![ResourceTemplate::new("file:///{a}", "a")], hints);
    schema.check("ListResourceTemplatesResult", &written(&templates));
    schema.check(
        "DiscoverResult",
        &written(&DiscoverResult::new(ServerCapabilities::default())),
    );
    schema.check(
        "CompleteResult",
        &written(&CompleteResult::new(vec!["v".into(); 150])),
    );
    schema.check(
        "SubscriptionsListenResult",
        &written(&ListenResult::new(1.into())),
    );

    let form: FormSchema =
        serde_json::from_str(r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#).unwrap();
    let mut asks = InputRequests::new();
    asks.insert("form", ElicitRequest::form("Which?", form));
    asks.insert(
        "url",
        ElicitRequest::url("Sign in", "https://example.com/in"),
    );
    asks.insert(
        "model",
        CreateMessageRequest::new(vec![SamplingMessage::user("hi")], 10),
    );
    asks.insert("roots", ListRootsRequest::default());
    schema.check("InputRequests", &written(&asks));
    schema.check(
        "InputRequiredResult",
        &written(&InputRequiredResult::new(asks, Some("s".into()))),
    );
    schema.check(
        "InputRequiredResult",
        &written(&InputRequiredResult::later("s")),
    );

    let token = ProgressToken::from("t");
    for notification in [
        ServerNotification::Progress(ProgressParams::new(token, 0.5)),
        ServerNotification::Message(LoggingMessageParams::new(
            LoggingLevel::Info,
            to_raw_value("hi").unwrap(),
        )),
        ServerNotification::ResourceUpdated(ResourceUpdatedParams::new("file:///a")),
        ServerNotification::ToolsListChanged(ListChangedParams::default()),
        ServerNotification::SubscriptionAcknowledged(SubscriptionAcknowledgedParams::new(
            SubscriptionFilter::default(),
        )),
    ] {
        let notification = notification.for_subscription(&7.into());
        let text = write_notification(notification.method(), &notification).unwrap();
        schema.check("ServerNotification", std::str::from_utf8(&text).unwrap());
    }
}

#[test]
fn what_a_client_makes_is_valid_by_the_schema() {
    let Some(dir) = spec_dir() else { return };
    let schema = Schema::load(&dir);
    let capabilities =
        ClientCapabilities::from(Capability::ALL.into_iter().collect::<Capabilities>());
    schema.check("ClientCapabilities", &written(&capabilities));
    let meta = || ClientMeta::new(Implementation::new("c", "1"), capabilities.clone());

    let mut call = CallToolParams::new(meta(), "t", Some(to_raw_value(&json!({"a": 1})).unwrap()));
    call.request_state = Some("s".into());
    let answers: InputResponse =
        ElicitResult::accept(Some(to_raw_value(&json!({"n": 1})).unwrap())).into();
    call.input_responses = Some(to_raw_value(&json!({ "form": answers })).unwrap());
    let text = write_request(&"1".into(), "tools/call", &call).unwrap();
    schema.check("CallToolRequest", std::str::from_utf8(&text).unwrap());

    for result in [
        ElicitResult::accept(None),
        ElicitResult::decline(),
        ElicitResult::cancel(),
    ] {
        schema.check("ElicitResult", &written(&result));
    }
    let result = CreateMessageResult::new(SamplingContent::text("hi"), "model");
    schema.check("CreateMessageResult", &written(&result));
    schema.check(
        "ListRootsResult",
        &written(&ListRootsResult::new(vec![Root::new("file:///a")])),
    );
    let cancelled = CancelledParams::new(1.into(), Some("no longer wanted".into()));
    schema.check("CancelledNotificationParams", &written(&cancelled));
}

#[test]
fn what_the_wire_says_by_cause_is_valid_by_the_schema() {
    let Some(dir) = spec_dir() else { return };
    let schema = Schema::load(&dir);
    let typed = [
        (
            Cause::MissingCapability(Capability::ElicitationUrl.into()),
            "MissingRequiredClientCapabilityError",
        ),
        (
            Cause::UnsupportedVersion {
                requested: "1900-01-01".into(),
            },
            "UnsupportedProtocolVersionError",
        ),
        (
            Cause::LegacyInitialize { requested: None },
            "UnsupportedProtocolVersionError",
        ),
        (Cause::HeaderMismatch("x".into()), "HeaderMismatchError"),
    ];
    for (cause, kind) in typed {
        let text = write_error(Some(&1.into()), &cause.error());
        schema.check(kind, std::str::from_utf8(&text).unwrap());
    }
    let samples = [
        (
            Cause::UnknownTool {
                name: "invalid_tool_name".into(),
            },
            "InvalidParamsError/unknown-tool.json",
        ),
        (
            Cause::UnknownPrompt {
                name: "invalid_prompt_name".into(),
            },
            "InvalidParamsError/unknown-prompt.json",
        ),
        (
            Cause::InvalidCursor,
            "InvalidParamsError/invalid-cursor.json",
        ),
        (Cause::Fault, "InternalError/unexpected-error.json"),
        (Cause::ParseError, "ParseError/invalid-json.json"),
    ];
    for (cause, path) in samples {
        let sample = fs::read_to_string(dir.join("examples").join(path)).unwrap();
        assert_eq!(value(&written(&cause.error())), value(&sample), "{path}");
    }
}
