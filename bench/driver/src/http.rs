//! Just enough HTTP/1.1 to call the servers without costing much.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::Failure;
use crate::exchange::{Call, find};

/// A reply whose bytes are in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Reply {
    pub status: u16,
    /// Where in the buffer the body is. Chunks are not joined.
    pub body: (usize, usize),
}

/// The reply at the start of `buffer`, when it is all there; it ends at `body.1`.
pub fn parse(buffer: &[u8]) -> Result<Option<Reply>, Failure> {
    let Some(head_end) = find(buffer, b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(&buffer[..head_end])?;
    let status = head
        .get(9..12)
        .and_then(|status| status.parse().ok())
        .ok_or("no HTTP reply")?;
    let begin = head_end + 4;
    let header = |name: &str| {
        head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    let end = match header("content-length") {
        Some(length) => begin + length.parse::<usize>()?,
        None if header("transfer-encoding").is_some() => match find(&buffer[begin..], b"0\r\n\r\n")
        {
            Some(at) => begin + at + 5,
            None => return Ok(None),
        },
        None => begin,
    };
    Ok((end <= buffer.len()).then_some(Reply {
        status,
        body: (begin, end),
    }))
}

/// A connection that waits for each reply.
pub struct Connection {
    stream: TcpStream,
    pub port: u16,
    buffer: Vec<u8>,
}

impl Connection {
    pub fn open(port: u16) -> Result<Self, Failure> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        Ok(Self {
            stream,
            port,
            buffer: Vec::new(),
        })
    }

    /// Sends a call and gives status and body.
    pub fn call(&mut self, call: &Call<'_>) -> Result<(u16, &[u8]), Failure> {
        self.send(&call.http(self.port))
    }

    pub fn send(&mut self, request: &[u8]) -> Result<(u16, &[u8]), Failure> {
        self.buffer.clear();
        self.stream.write_all(request)?;
        let mut chunk = [0; 64 * 1024];
        loop {
            let read = self.stream.read(&mut chunk)?;
            if read == 0 {
                return Err("the server closed the connection".into());
            }
            self.buffer.extend_from_slice(&chunk[..read]);
            if let Some(Reply {
                status,
                body: (begin, end),
            }) = parse(&self.buffer)?
            {
                return Ok((status, &self.buffer[begin..end]));
            }
        }
    }
}
