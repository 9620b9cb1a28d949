//! Showing every message on the wire.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use http::header::{AUTHORIZATION, COOKIE, HeaderMap, PROXY_AUTHORIZATION, SET_COOKIE};
use mrtr::client::{Direction, Traced};

use super::clean;

const SECRET: [http::HeaderName; 4] = [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE, SET_COOKIE];

/// One message as text. Control characters of the message are written as JSON escapes.
pub(crate) fn message(message: &Traced<'_>, colors: bool) -> String {
    let (arrow, color) = match message.direction {
        Direction::Sent => ("-->", AnsiColor::Cyan),
        Direction::Received => ("<--", AnsiColor::Magenta),
    };
    let style = if colors {
        color.on_default().bold()
    } else {
        Style::new()
    };
    let mut out = format!("{style}{arrow}{style:#}");
    if let Some(status) = message.status {
        let _ = write!(out, " HTTP {status}");
    } else if message.headers.is_some() && message.direction == Direction::Sent {
        out.push_str(" POST");
    }
    if let Some(headers) = message.headers {
        out.push_str(&listed(headers));
        out.push_str("\n   ");
    }
    out.push(' ');
    out.push_str(&clean::json(message.text.trim_end()));
    out
}

fn listed(headers: &HeaderMap) -> String {
    let mut out = String::new();
    for (name, value) in headers {
        let secret = value.is_sensitive() || SECRET.contains(name);
        let value = if secret {
            "[not shown]".to_owned()
        } else {
            clean::line(&String::from_utf8_lossy(value.as_bytes()), 400)
        };
        let _ = write!(out, "\n    {name}: {value}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_not_listed() {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", "Bearer hunter2".parse().unwrap());
        headers.insert("set-cookie", "id=hunter2".parse().unwrap());
        let mut key: http::HeaderValue = "hunter2".parse().unwrap();
        key.set_sensitive(true);
        headers.insert("x-key", key);
        headers.insert("mcp-method", "tools/call".parse().unwrap());
        let text = listed(&headers);
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("mcp-method: tools/call"));
    }
}
