//! The results of nearly every call that asks, written without a serialiser: they are mostly fixed
//! text, and a state in which there is nothing to escape.

use serde_json::Error;

use super::{
    CallToolResult, ContentBlock, ElicitForm, ElicitRequest, InputRequest, InputRequiredResult,
};

impl InputRequiredResult {
    /// Appends the JSON that `serde_json` writes, in less time.
    ///
    /// # Errors
    /// As `serde_json`.
    ///
    /// ```
    /// use mrtr_core::wire::InputRequiredResult;
    ///
    /// let mut text = Vec::new();
    /// InputRequiredResult::later("S1").append_json(&mut text)?;
    /// assert_eq!(text, br#"{"resultType":"input_required","requestState":"S1"}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn append_json(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.meta.is_some() || !self.extra.is_empty() {
            return serde_json::to_writer(out, self);
        }
        raw(out, r#"{"resultType":"input_required""#);
        if let Some(requests) = &self.input_requests {
            raw(out, r#","inputRequests":{"#);
            for (at, (key, request, is_bare)) in requests.entries().enumerate() {
                raw(out, if at > 0 { "," } else { "" });
                string(out, key)?;
                raw(out, ":");
                match request {
                    InputRequest::Elicit(ElicitRequest::Form(form)) if is_bare => ask(out, form)?,
                    _ => requests.append_entry(at, out)?,
                }
            }
            raw(out, "}");
        }
        if let Some(state) = &self.request_state {
            raw(out, r#","requestState":"#);
            string(out, state)?;
        }
        raw(out, "}");
        Ok(())
    }
}

fn ask(out: &mut Vec<u8>, form: &ElicitForm) -> Result<(), Error> {
    raw(out, r#"{"method":"elicitation/create","params":"#);
    if form.explicit_mode && form.extra.is_empty() {
        raw(out, r#"{"mode":"form","message":"#);
        string(out, &form.message)?;
        raw(out, r#","requestedSchema":"#);
        raw(out, form.schema.raw());
        raw(out, "}");
    } else {
        serde_json::to_writer(&mut *out, form)?;
    }
    raw(out, "}");
    Ok(())
}

impl CallToolResult {
    /// Appends the JSON that `serde_json` writes, in less time.
    ///
    /// # Errors
    /// As `serde_json`.
    pub fn append_json(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let text = match &*self.content {
            [ContentBlock::Text(block)] if block.is_bare() => &block.text,
            _ => return serde_json::to_writer(out, self),
        };
        let more = self.structured_content.is_some() || self.meta.is_some();
        if more || !self.extra.is_empty() {
            return serde_json::to_writer(out, self);
        }
        raw(
            out,
            r#"{"resultType":"complete","content":[{"type":"text","text":"#,
        );
        string(out, text)?;
        raw(
            out,
            match self.is_error {
                None => "}]}",
                Some(true) => r#"}],"isError":true}"#,
                Some(false) => r#"}],"isError":false}"#,
            },
        );
        Ok(())
    }
}

fn raw(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn string(out: &mut Vec<u8>, text: &str) -> Result<(), Error> {
    if !is_plain(text) {
        return serde_json::to_writer(out, text);
    }
    raw(out, "\"");
    raw(out, text);
    raw(out, "\"");
    Ok(())
}

/// Whether there is nothing to escape.
fn is_plain(text: &str) -> bool {
    // All bytes are looked at, in the way that the compiler makes vectors of.
    let escaped = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    !text.bytes().fold(false, |any, byte| any | escaped(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{Field, FormSchema};
    use crate::wire::{ElicitUrl, InputRequests, ListRootsRequest, RawObject};
    use proptest::prelude::*;

    /// Texts with much to escape, and others.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "[\"\\\\\n\u{0}\u{1f} a-cä]{0,5}",
            "[A-Za-z0-9_.-]{0,80}"
        ]
    }

    fn extra() -> impl Strategy<Value = RawObject> {
        let one: RawObject = serde_json::from_str(r#"{"x":1}"#).expect("an object");
        prop_oneof![9 => Just(RawObject::new()), 1 => Just(one)]
    }

    fn request() -> impl Strategy<Value = InputRequest> {
        let form = (text(), any::<bool>(), extra()).prop_map(|(message, explicit_mode, extra)| {
            let schema = FormSchema::builder()
                .field(Field::text("a"))
                .build()
                .expect("a form");
            let form = ElicitForm {
                explicit_mode,
                extra,
                ..ElicitForm::new(message, schema)
            };
            InputRequest::Elicit(ElicitRequest::Form(form))
        });
        let url = text().prop_map(|message| {
            let (url, extra) = ("https://example.com".into(), RawObject::new());
            InputRequest::Elicit(ElicitRequest::Url(ElicitUrl {
                message,
                url,
                extra,
            }))
        });
        prop_oneof![3 => form, 1 => url, 1 => Just(ListRootsRequest::default().into())]
    }

    fn check(written: &[u8], value: &impl serde::Serialize) -> Result<(), TestCaseError> {
        let expected = serde_json::to_vec(value).expect("writable");
        prop_assert_eq!(
            String::from_utf8_lossy(written),
            String::from_utf8_lossy(&expected)
        );
        Ok(())
    }

    proptest! {
        #[test]
        fn a_question_is_written_as_by_serde(
            requests in proptest::collection::vec((text(), request()), 0..4),
            given: bool, state in proptest::option::of(text()),
            meta in proptest::option::weighted(0.1, extra()), extra in extra(),
        ) {
            let requests: InputRequests = requests.into_iter().collect();
            let input_requests = given.then_some(requests);
            let result = InputRequiredResult { input_requests, request_state: state, meta, extra };
            let mut written = Vec::new();
            result.append_json(&mut written).expect("writable");
            check(&written, &result)?;
        }

        #[test]
        fn a_text_is_written_as_by_serde(
            texts in proptest::collection::vec(text(), 0..3), is_error: Option<bool>,
            structured: bool, meta in proptest::option::weighted(0.1, extra()), extra in extra(),
        ) {
            let content = texts.into_iter().map(ContentBlock::text).collect();
            let structured_content = structured.then(|| serde_json::from_str("[1]").expect("JSON"));
            let result = CallToolResult { is_error, structured_content, meta, extra, ..CallToolResult::new(content) };
            let mut written = Vec::new();
            result.append_json(&mut written).expect("writable");
            check(&written, &result)?;
        }
    }

    #[test]
    fn members_beside_a_question_are_written() {
        let text = r#"{"a":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}},"own":1}}"#;
        let requests: InputRequests = serde_json::from_str(text).expect("a question");
        let mut written = Vec::new();
        InputRequiredResult::new(requests, None)
            .append_json(&mut written)
            .expect("writable");
        let written = String::from_utf8(written).expect("UTF-8");
        assert_eq!(
            written,
            format!(r#"{{"resultType":"input_required","inputRequests":{text}}}"#)
        );
    }

    #[test]
    fn annotated_text_is_written_whole() {
        let mut result = CallToolResult::text("t");
        if let Some(ContentBlock::Text(block)) = result.content.first_mut() {
            block.meta = serde_json::from_str(r#"{"m":1}"#).expect("an object");
        }
        let mut written = Vec::new();
        result.append_json(&mut written).expect("writable");
        assert_eq!(written, serde_json::to_vec(&result).expect("writable"));
    }
}
