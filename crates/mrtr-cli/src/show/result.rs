//! Results for people.

use std::fmt::Write as _;

use mrtr::wire::{
    CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult, ResourceContents, Role,
};
use serde_json::Value;

use super::{LABEL, clean, pretty};

/// What a tool gave. Structured content that also came as text is shown once.
pub(crate) fn tool(result: &CallToolResult) -> String {
    let structured = result.structured_content.as_deref();
    let same = structured.and_then(|raw| value(raw.get()));
    let mut parts = Vec::new();
    for block in &result.content {
        let twice = |text: &str| same.is_some() && value(text) == same;
        match block.as_text() {
            Some(text) if twice(text) => {}
            _ => parts.push(self::block(block)),
        }
    }
    if let Some(structured) = structured {
        parts.push(pretty::json(structured.get()));
    }
    parts.join("\n")
}

/// The messages of a prompt.
pub(crate) fn prompt(result: &GetPromptResult) -> String {
    let mut parts = Vec::new();
    if let Some(description) = &result.description {
        parts.push(format!("# {}", clean::line(description, 400)));
    }
    for message in &result.messages {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
            _ => "other",
        };
        parts.push(format!("[{role}] {}", block(&message.content)));
    }
    parts.join("\n")
}

/// The contents of a resource.
pub(crate) fn resource(result: &ReadResourceResult) -> String {
    let several = result.contents.len() > 1;
    let mut parts = Vec::new();
    for contents in &result.contents {
        if several {
            parts.push(format!("# {}", clean::line(contents.uri(), 400)));
        }
        parts.push(self::contents(contents));
    }
    parts.join("\n")
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => clean::block(&text.text),
        ContentBlock::Image(image) => binary("image", Some(&image.mime_type), &image.data),
        ContentBlock::Audio(audio) => binary("audio", Some(&audio.mime_type), &audio.data),
        ContentBlock::ResourceLink(link) => {
            let mut text = format!("[resource {}", clean::line(&link.uri, 400));
            let _ = write!(text, " \"{}\"", clean::line(&link.name, LABEL));
            if let Some(mime_type) = &link.mime_type {
                let _ = write!(text, " {}", clean::line(mime_type, LABEL));
            }
            if let Some(description) = &link.description {
                let _ = write!(text, ": {}", clean::line(description, 400));
            }
            text + "]"
        }
        ContentBlock::Resource(embedded) => {
            let uri = clean::line(embedded.resource.uri(), 400);
            format!("# {uri}\n{}", contents(&embedded.resource))
        }
        ContentBlock::Other(raw) => format!("[unknown content] {}", clean::json(raw.get())),
        _ => "[unknown content]".to_owned(),
    }
}

fn contents(contents: &ResourceContents) -> String {
    match contents {
        ResourceContents::Text(text) => clean::block(&text.text),
        ResourceContents::Blob(blob) => binary("bytes", blob.mime_type.as_deref(), &blob.blob),
    }
}

/// Says what cannot be shown: its kind, type and size.
fn binary(kind: &str, mime_type: Option<&str>, base64: &str) -> String {
    let digits = base64
        .bytes()
        .filter(|b| !matches!(b, b'=' | b'\r' | b'\n'))
        .count();
    let bytes = digits * 3 / 4;
    let mime_type = clean::line(mime_type.unwrap_or("of no given type"), LABEL);
    format!("[{kind} {mime_type}, {bytes} bytes; use --json to get it]")
}

fn value(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> String {
        tool(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn structured_content_is_shown_once() {
        let twice =
            r#"{"content":[{"type":"text","text":"{\"a\": 1}"}],"structuredContent":{"a":1}}"#;
        assert_eq!(shown(twice), "{\n  \"a\": 1\n}");
        let both = r#"{"content":[{"type":"text","text":"One."}],"structuredContent":{"a":1}}"#;
        assert_eq!(shown(both), "One.\n{\n  \"a\": 1\n}");
    }

    #[test]
    fn a_picture_is_described() {
        let image = r#"{"content":[{"type":"image","mimeType":"image/png","data":"AAECAw=="}]}"#;
        assert_eq!(
            shown(image),
            "[image image/png, 4 bytes; use --json to get it]"
        );
    }

    #[test]
    fn a_result_cannot_act_on_the_terminal() {
        let hostile = "{\"content\":[{\"type\":\"text\",\"text\":\"\\u001b[2Jx\\u202ey\"},\
            {\"type\":\"resource_link\",\"uri\":\"a:\\u001b]0;t\\u0007b\",\"name\":\"\\u009b1mn\"},\
            {\"type\":\"later\",\"x\":\"\u{9b}1m\"}],\"structuredContent\":{\"k\":\"\\u001b[1m\u{202e}\"}}";
        let text = shown(hostile);
        let allowed = |c: char| c == '\n' || (!c.is_control() && c != '\u{202e}');
        assert!(text.chars().all(allowed), "{text:?}");
        assert!(text.starts_with("xy\n"));
    }
}
