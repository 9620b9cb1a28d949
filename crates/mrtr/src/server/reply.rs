//! The response to a request, written in one buffer.

use std::time::Duration;

use bytes::Bytes;
use mrtr_core::wire::{
    CallToolResult, Cause, CompleteResult, GetPromptResult, InputRequiredResult, RawObject,
    ReadResourceResult, RequestId,
};
use serde::Serialize;

use super::metrics::Outcome;

/// A result that is written with its `resultType` as first member.
pub(crate) trait Outgoing: Serialize {
    fn meta_mut(&mut self) -> &mut Option<RawObject>;

    /// Writes the whole object.
    fn append(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        serde_json::to_writer(out, self)
    }
}

macro_rules! outgoing {
    ($($result:ty),*) => {
        $(impl Outgoing for $result {
            fn meta_mut(&mut self) -> &mut Option<RawObject> {
                &mut self.meta
            }
        })*
    };
}
outgoing!(GetPromptResult, ReadResourceResult, CompleteResult);

macro_rules! outgoing_directly {
    ($($result:ty),*) => {
        $(impl Outgoing for $result {
            fn meta_mut(&mut self) -> &mut Option<RawObject> {
                &mut self.meta
            }

            fn append(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
                self.append_json(out)
            }
        })*
    };
}
outgoing_directly!(CallToolResult, InputRequiredResult);

/// Room for nearly all results that are made for one call.
const USUAL: usize = 960;

/// A whole JSON-RPC response, on one line.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// The response as JSON.
    pub(crate) body: Bytes,
    /// The HTTP status it goes with.
    pub(crate) status: u16,
    /// When a caller that was sent away may come back.
    pub(crate) retry_after: Option<Duration>,
    /// What became of the request.
    pub(crate) outcome: Outcome,
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
        let retry_after = match cause {
            Cause::TooManyRequests { retry_after } => Some(*retry_after),
            _ => None,
        };
        Self {
            retry_after,
            outcome: cause.into(),
            ..Self::new(out, cause.http_status())
        }
    }

    /// A response with a result that is one line of JSON already.
    pub(crate) fn prepared(id: &RequestId, result: &[u8]) -> Self {
        let mut out = begin(id, result.len());
        out.extend_from_slice(result);
        out.push(b'}');
        Self {
            body: out.into(),
            status: 200,
            retry_after: None,
            outcome: Outcome::Complete,
        }
    }

    /// A response with a result and the `_meta` of the server in it.
    pub(crate) fn result<R: Outgoing>(
        id: &RequestId,
        mut result: R,
        server_meta: &ServerMeta,
    ) -> Result<Self, serde_json::Error> {
        match result.meta_mut() {
            Some(own) => {
                for (name, value) in server_meta.members.iter() {
                    if own.get(name).is_none() {
                        own.insert(name, value.to_owned());
                    }
                }
                let mut out = begin(id, USUAL);
                result.append(&mut out)?;
                out.push(b'}');
                Ok(Self::new(out, 200))
            }
            None => {
                let mut out = begin(id, USUAL);
                result.append(&mut out)?;
                // The result is an object and never empty: it has a `resultType`.
                out.pop();
                out.extend_from_slice(br#","_meta":"#);
                out.extend_from_slice(&server_meta.json);
                out.extend_from_slice(b"}}");
                Ok(Self::new(out, 200))
            }
        }
    }

    /// The response from the comma behind the id on; `id` is the one it has.
    pub(crate) fn after(&self, id: &RequestId) -> Bytes {
        self.body.slice(head(id, 0).len()..)
    }

    /// A response with this id and the rest of another one.
    pub(crate) fn with_rest(id: &RequestId, rest: &[u8], status: u16) -> Self {
        let mut out = head(id, rest.len());
        out.extend_from_slice(rest);
        Self {
            body: out.into(),
            status,
            retry_after: None,
            outcome: Outcome::Replayed,
        }
    }

    fn new(mut body: Vec<u8>, status: u16) -> Self {
        one_line(&mut body);
        Self {
            body: body.into(),
            status,
            retry_after: None,
            outcome: Outcome::Complete,
        }
    }
}

fn begin(id: &RequestId, len: usize) -> Vec<u8> {
    let mut out = head(id, len);
    out.extend_from_slice(br#","result":"#);
    out
}

fn head(id: &RequestId, len: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(len + 64);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    write(&mut out, id);
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
    let mut from = 0;
    while let Some(at) = memchr::memchr2(b'\n', b'\r', &json[from..]) {
        from += at;
        json[from] = b' ';
    }
}

/// The `_meta` that a server adds to its results.
#[derive(Debug, Default)]
pub(crate) struct ServerMeta {
    members: RawObject,
    json: Vec<u8>,
}

impl ServerMeta {
    pub(crate) fn new(members: RawObject) -> Result<Self, serde_json::Error> {
        let json = serde_json::to_vec(&members)?;
        Ok(Self { members, json })
    }

    pub(crate) const fn members(&self) -> &RawObject {
        &self.members
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
    fn who_is_sent_away_is_told_when_to_come_back() {
        let retry_after = Duration::from_secs(3);
        let reply = Reply::error(None, &Cause::TooManyRequests { retry_after });
        assert_eq!(reply.retry_after, Some(retry_after));
        assert_eq!(Reply::error(None, &Cause::Fault).retry_after, None);
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
    fn a_response_is_the_same_under_another_id() {
        let ours = RequestId::from("a\"b");
        let theirs = RequestId::from(7);
        let refused = Cause::InvalidRequestState;
        for (reply, again) in [
            (
                Reply::prepared(&ours, br#"{"a":1}"#),
                Reply::prepared(&theirs, br#"{"a":1}"#),
            ),
            (
                Reply::error(Some(&ours), &refused),
                Reply::error(Some(&theirs), &refused),
            ),
        ] {
            let copy = Reply::with_rest(&theirs, &reply.after(&ours), reply.status);
            assert_eq!(text(&copy), text(&again));
            assert_eq!(copy.status, again.status);
        }
    }

    #[test]
    fn a_result_gets_the_servers_meta_beside_its_own_and_stays_on_one_line() {
        let id = RequestId::from(1);
        let server: RawObject = serde_json::from_str(r#"{"s":1}"#).expect("an object");
        let server = ServerMeta::new(server).expect("writable");
        let mut result = CallToolResult::default();
        result.structured_content = Some(serde_json::from_str("{\"a\":\n\"\\n\"}").expect("JSON"));
        let reply = Reply::result(&id, result.clone(), &server).expect("writable");
        assert_eq!(
            text(&reply),
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[],"structuredContent":{"a": "\n"},"_meta":{"s":1}}}"#
        );
        result.meta = Some(serde_json::from_str(r#"{"own":2}"#).expect("an object"));
        let reply = Reply::result(&id, result, &server).expect("writable");
        assert!(
            text(&reply).ends_with(r#""_meta":{"own":2,"s":1}}}"#),
            "{}",
            text(&reply)
        );
    }
}
