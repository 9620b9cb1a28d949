//! Server-sent events, as far as a JSON-RPC reply needs them.

use std::mem;

/// Cuts a byte stream into the data of its `message` events.
///
/// Other event names, ids, retry times, comments and empty events carry no message and are passed
/// over. An event that the stream ends in the middle of never happened.
pub(crate) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    other_name: bool,
    after_cr: bool,
    first_line: bool,
    limit: usize,
}

/// One event is larger than the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EventTooLarge;

impl Events {
    /// `limit` bounds the bytes held for one event, its unfinished line included.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            other_name: false,
            after_cr: false,
            first_line: true,
            limit,
        }
    }

    /// Takes the next bytes of the stream and appends the data of every event they complete.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        events: &mut Vec<Vec<u8>>,
    ) -> Result<(), EventTooLarge> {
        while !bytes.is_empty() {
            if mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = bytes.iter().position(|b| matches!(b, b'\n' | b'\r')) else {
                return self.hold(bytes);
            };
            self.hold(&bytes[..end])?;
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            let line = mem::take(&mut self.line);
            if let Some(event) = self.end_line(&line) {
                events.push(event);
            }
            self.line = line;
            self.line.clear();
        }
        Ok(())
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        if self.line.len() + self.data.len() + bytes.len() > self.limit {
            return Err(EventTooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, mut line: &[u8]) -> Option<Vec<u8>> {
        if mem::take(&mut self.first_line) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            let data = mem::take(&mut self.data);
            let wanted = mem::take(&mut self.has_data) && !mem::take(&mut self.other_name);
            self.other_name = false;
            return (wanted && !data.is_empty()).then_some(data);
        }
        let (name, value) = match line.iter().position(|b| *b == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.other_name = !matches!(value, b"" | b"message"),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<String> {
        let mut events = Events::new(1024);
        let mut out = Vec::new();
        for chunk in chunks {
            events.push(chunk, &mut out).unwrap();
        }
        out.into_iter()
            .map(|data| String::from_utf8(data).unwrap())
            .collect()
    }

    #[test]
    fn lines_end_in_lf_crlf_or_cr_even_across_chunks() {
        assert_eq!(
            read(&[b"data: a\n\ndata:b\r\n\r\ndata: c\r\r"]),
            ["a", "b", "c"]
        );
        assert_eq!(
            read(&[b"data: a\r", b"\n\r", b"\ndata: b\n", b"\n"]),
            ["a", "b"]
        );
        assert_eq!(read(&[b"data: a\r", b"data: b\r", b"\r"]), ["a\nb"]);
    }

    #[test]
    fn only_message_events_with_data_count() {
        let stream = b"\xEF\xBB\xBF: keep-alive\n\nid: 1\nretry: 5\n\nevent: ping\ndata: x\n\n\
            event: message\nid: 2\ndata: {\ndata: }\n\ndata\n\ndatax: no\n\n:\n\n";
        assert_eq!(read(&[stream]), ["{\n}"]);
    }

    #[test]
    fn an_unfinished_event_never_happened() {
        assert!(read(&[b"data: a\n"]).is_empty());
        assert!(read(&[b"data: a"]).is_empty());
    }

    #[test]
    fn an_event_is_bounded_over_all_its_lines() {
        let mut events = Events::new(16);
        let mut out = Vec::new();
        events.push(b"data: 0123456789\n\n", &mut out).unwrap();
        assert_eq!(out.len(), 1, "a finished event makes room");
        events.push(b"data: 01234\n", &mut out).unwrap();
        assert_eq!(events.push(b"data: 0123456", &mut out), Err(EventTooLarge));
        assert_eq!(
            Events::new(16).push(&[b':'; 17], &mut out),
            Err(EventTooLarge)
        );
    }

    proptest! {
        #[test]
        fn where_the_stream_is_cut_does_not_matter(
            stream in "(data: ?[a-c]{0,3}|:x|event: (message|ping)|id: 1|)(\n|\r|\r\n){0,2}",
            more in "((data: ?[a-c]{0,3}|:x|)(\n|\r|\r\n)){0,12}",
            cut in any::<prop::sample::Index>(),
        ) {
            let stream = format!("{stream}{more}");
            let (head, tail) = stream.as_bytes().split_at(cut.index(stream.len() + 1));
            prop_assert_eq!(read(&[head, tail]), read(&[stream.as_bytes()]));
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut out = Vec::new();
            let _ = Events::new(100).push(&bytes, &mut out);
        }
    }
}
