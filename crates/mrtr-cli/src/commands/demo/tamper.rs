//! Sending what no proper client sends.

use std::io;

use http::HeaderMap;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::tap::Leg;

/// `text` with the character in its middle changed.
pub(super) fn change_one_character(text: &str) -> String {
    let middle = text.len() / 2;
    let change = |(at, c)| match (at == middle, c) {
        (true, 'A') => 'B',
        (true, _) => 'A',
        (false, c) => c,
    };
    text.chars().enumerate().map(change).collect()
}

/// Posts `body` to `endpoint` with these headers. Returns status and body of the reply.
pub(super) async fn post(endpoint: &str, headers: &HeaderMap, body: String) -> io::Result<Leg> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let (host, path) = endpoint
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .ok_or_else(invalid)?;
    let mut request = format!("POST /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        if name != "host" && name != "connection" && name != "content-length" {
            let value = value.to_str().map_err(|_| invalid())?;
            request.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    request.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));

    let mut stream = TcpStream::connect(host).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await?;
    let (head, reply) = reply.split_once("\r\n\r\n").ok_or_else(invalid)?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    Ok(Leg {
        headers: headers.clone(),
        request: body,
        status: status.ok_or_else(invalid)?,
        reply: reply.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::change_one_character;

    #[test]
    fn exactly_one_character_changes() {
        for text in ["mrtr1.AAAAAAAA", "mrtr1.xyzxyzxyz", "m"] {
            let changed = change_one_character(text);
            let differ = text.chars().zip(changed.chars()).filter(|(a, b)| a != b);
            assert_eq!((differ.count(), changed.len()), (1, text.len()), "{text}");
        }
    }
}
