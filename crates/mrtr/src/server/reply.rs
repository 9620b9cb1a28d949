//! The response to a request, written in one buffer.

use std::time::Duration;

use bytes::Bytes;
use mrtr_core::wire::{Cause, RequestId};
use serde::Serialize;

/// A whole JSON-RPC response, on one line.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// The response as JSON.
    pub(crate) body: Bytes,
    /// The HTTP status it goes with.
    pub(crate) status: u16,
    /// When a caller that was sent away may come back.
    pub(crate) retry_after: Option<Duration>,
}

impl Reply {
    /// An error response; `id` is left out when it could not be read.
    pub(crate) fn error(id: Option<&RequestId>, cause: &Cause) -> Self {
        let mut out = Vec::with_capacity(256);
        out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
        if let Some(id) = id {
            out.extend_from_slice(br#","id":"#);
            write(&mut out, id);
        }
        out.extend_from_slice(br#","error":"#);
        write(&mut out, &cause.error());
        out.push(b'}');
        Self::new(out, cause.http_status())
    }

    /// A response with a result that is JSON text already.
    pub(crate) fn prepared(id: &RequestId, result: &[u8]) -> Self {
        let mut out = begin(id, result.len());
        out.extend_from_slice(result);
        out.push(b'}');
        Self::new(out, 200)
    }

    /// A response with a result, an object that has no `_meta` yet;
    /// `server_meta` is its `_meta` member.
    pub(crate) fn result(
        id: &RequestId,
        result: &impl Serialize,
        server_meta: &[u8],
    ) -> Option<Self> {
        let mut out = begin(id, 512);
        serde_json::to_writer(&mut out, result).ok()?;
        if out.pop() != Some(b'}') {
            return None;
        }
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        out.extend_from_slice(server_meta);
        out.extend_from_slice(b"}}");
        Some(Self::new(out, 200))
    }

    fn new(mut body: Vec<u8>, status: u16) -> Self {
        one_line(&mut body);
        Self {
            body: body.into(),
            status,
            retry_after: None,
        }
    }
}

fn begin(id: &RequestId, len: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(len + 64);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    write(&mut out, id);
    out.extend_from_slice(br#","result":"#);
    out
}

/// Writes a value that always can be written: it has no map keys but strings.
fn write(out: &mut Vec<u8>, value: &impl Serialize) {
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.extend_from_slice(b"null");
    }
}

/// Line breaks of JSON that is passed through raw become spaces: outside of
/// strings they are white space, and inside they cannot be.
pub(crate) fn one_line(json: &mut [u8]) {
    for line_break in [b'\n', b'\r'] {
        if json.contains(&line_break) {
            json.iter_mut()
                .filter(|byte| **byte == line_break)
                .for_each(|byte| *byte = b' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(reply: &Reply) -> &str {
        std::str::from_utf8(&reply.body).expect("UTF-8")
    }

    #[test]
    fn an_id_that_could_not_be_read_is_left_out() {
        let reply = Reply::error(None, &Cause::ParseError);
        assert!(text(&reply).starts_with(r#"{"jsonrpc":"2.0","error":{"code":-32700"#));
    }

    #[test]
    fn ids_are_echoed_as_they_came() {
        for raw in ["18446744073709551616", r#""007""#, "-0", r#""\u0061""#] {
            let id: RequestId = serde_json::from_str(raw).expect("an id");
            let reply = Reply::prepared(&id, b"{}");
            assert_eq!(
                text(&reply),
                format!(r#"{{"jsonrpc":"2.0","id":{raw},"result":{{}}}}"#)
            );
        }
    }

    #[test]
    fn a_result_gets_its_meta_as_last_member_and_stays_on_one_line() {
        let id = RequestId::from(1);
        let raw: Box<serde_json::value::RawValue> =
            serde_json::from_str("{\"a\":\n\"\\n\"}").expect("JSON");
        let reply = Reply::result(&id, &raw, br#""_meta":{}"#).expect("an object");
        assert_eq!(
            text(&reply),
            r#"{"jsonrpc":"2.0","id":1,"result":{"a": "\n","_meta":{}}}"#
        );
        let empty =
            Reply::result(&id, &serde_json::Map::new(), br#""_meta":{}"#).expect("an object");
        assert!(text(&empty).ends_with(r#""result":{"_meta":{}}}"#));
    }
}
