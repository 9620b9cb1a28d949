//! The messages of the benchmark: one exchange is two POSTs to the tool `book`.

use crate::Failure;

const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}"#;

pub const ARGUMENTS: &str = r#"{"city":"Oslo"}"#;
pub const ANSWERS: &str =
    r#"{"dates":{"action":"accept","content":{"from":"2026-08-01","to":"2026-08-15"}}}"#;
/// What the second round must say.
pub const BOOKED: &str = "Booked Oslo from 2026-08-01 to 2026-08-15.";

/// A call of a tool, as one line of JSON.
pub struct Call<'a> {
    pub id: u64,
    pub tool: &'a str,
    pub arguments: &'a str,
    /// JSON of the answers and of the state.
    pub retry: Option<(&'a str, &'a str)>,
}

impl Call<'_> {
    pub const fn first() -> Self {
        Call {
            id: 1,
            tool: "book",
            arguments: ARGUMENTS,
            retry: None,
        }
    }

    /// The second round; `state` is the JSON string of the first.
    pub const fn second(state: &str) -> Call<'_> {
        Call {
            id: 2,
            tool: "book",
            arguments: ARGUMENTS,
            retry: Some((ANSWERS, state)),
        }
    }

    pub fn body(&self) -> String {
        let Call {
            id,
            tool,
            arguments,
            ..
        } = self;
        let mut body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"_meta":{META},"name":"{tool}","arguments":{arguments}"#
        );
        if let Some((answers, state)) = self.retry {
            body.push_str(&format!(
                r#","inputResponses":{answers},"requestState":{state}"#
            ));
        }
        body.push_str("}}");
        body
    }

    /// The whole request over HTTP/1.1.
    pub fn http(&self, port: u16) -> Vec<u8> {
        let body = self.body();
        let mut request = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: {}\r\nContent-Length: {}\r\n\r\n",
            self.tool,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body.as_bytes());
        request
    }
}

/// The `requestState` in the text of a result: the JSON string, quotes included.
pub fn state_of(reply: &[u8]) -> Result<&str, Failure> {
    const NAME: &[u8] = br#""requestState":"#;
    let missing = || {
        format!(
            "no requestState in {}",
            String::from_utf8_lossy(&reply[..reply.len().min(2000)])
        )
    };
    let at = find(reply, NAME).ok_or_else(missing)? + NAME.len();
    let rest = reply[at..].trim_ascii_start();
    let mut end = 1;
    while *rest.get(end).ok_or_else(missing)? != b'"' {
        end += 1 + usize::from(rest[end] == b'\\');
    }
    Ok(std::str::from_utf8(&rest[..=end])?)
}

pub fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}
