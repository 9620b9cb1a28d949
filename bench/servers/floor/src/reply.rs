//! Writing the response: one buffer, the headers mrtr sends.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;

use crate::request::Message;

const META: &str =
    r#","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.0.0"}}}}"#;

pub struct Reply {
    pub status: StatusCode,
    pub body: Vec<u8>,
}

impl Reply {
    fn begin(message: &Message<'_>, status: StatusCode) -> Self {
        let mut body = Vec::with_capacity(1024);
        body.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        body.extend_from_slice(message.id.get().as_bytes());
        Self { status, body }
    }

    fn raw(&mut self, text: &str) {
        self.body.extend_from_slice(text.as_bytes());
    }

    fn string(&mut self, text: &str) {
        serde_json::to_writer(&mut self.body, text).expect("a string can be written");
    }

    pub fn error(message: &Message<'_>, code: i32, what: &str) -> Self {
        let mut reply = Self::begin(message, StatusCode::BAD_REQUEST);
        reply.raw(&format!(r#","error":{{"code":{code},"message":"#));
        reply.string(what);
        reply.raw("}}");
        reply
    }

    pub fn text(message: &Message<'_>, text: &str) -> Self {
        let mut reply = Self::begin(message, StatusCode::OK);
        reply.raw(r#","result":{"resultType":"complete","content":[{"type":"text","text":"#);
        reply.string(text);
        reply.raw("}]");
        reply.raw(META);
        reply
    }

    pub fn asks(message: &Message<'_>, key: &str, question: &str, form: &str, state: &str) -> Self {
        let mut reply = Self::begin(message, StatusCode::OK);
        reply.raw(r#","result":{"resultType":"input_required","inputRequests":{"#);
        reply.string(key);
        reply.raw(r#":{"method":"elicitation/create","params":{"mode":"form","message":"#);
        reply.string(question);
        reply.raw(r#","requestedSchema":"#);
        reply.raw(form);
        // Nothing in base64url has to be escaped.
        reply.raw(r#"}}},"requestState":""#);
        reply.raw(state);
        reply.raw("\"");
        reply.raw(META);
        reply
    }

    pub fn into_response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.body.into()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

pub fn refuse(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}
