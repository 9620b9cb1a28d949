//! Lines of bounded length.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Most that is reserved for a line before it arrives.
const FIRST_RESERVE: usize = 8 * 1024;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Without its line feed; the last line may have none.
    Text(Vec<u8>),
    /// It was read to its end and thrown away.
    TooLong,
    End,
}

/// Reads lines from a stream of bytes.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    limit: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(FIRST_RESERVE, reader),
            limit,
        }
    }

    pub(super) async fn next(&mut self) -> io::Result<Line> {
        let mut line = Vec::new();
        let mut too_long = false;
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(match (too_long, line.is_empty()) {
                    (true, _) => Line::TooLong,
                    (false, true) => Line::End,
                    (false, false) => Line::Text(line),
                });
            }
            let end = memchr::memchr(b'\n', available);
            let piece = &available[..end.unwrap_or(available.len())];
            too_long |= piece.len() > self.limit - line.len();
            if too_long {
                line = Vec::new();
            } else {
                line.extend_from_slice(piece);
            }
            let consumed = piece.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            if end.is_some() {
                return Ok(if too_long {
                    Line::TooLong
                } else {
                    Line::Text(line)
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    async fn all(input: &[u8], limit: usize, piece: usize) -> Vec<Line> {
        let (mut theirs, ours) = tokio::io::duplex(piece);
        let write = async {
            tokio::io::AsyncWriteExt::write_all(&mut theirs, input)
                .await
                .unwrap();
            drop(theirs);
        };
        let read = async {
            let mut lines = Lines::new(ours, limit);
            let mut all = Vec::new();
            loop {
                match lines.next().await.unwrap() {
                    Line::End => return all,
                    line => all.push(line),
                }
            }
        };
        tokio::join!(write, read).1
    }

    #[tokio::test]
    async fn a_line_beyond_the_limit_is_skipped_and_the_next_one_is_read() {
        let text = |text: &str| Line::Text(text.as_bytes().to_vec());
        for piece in 1..20 {
            let lines = all(b"12345\n123456\n\n1234567890\nlast", 5, piece).await;
            let expected = [
                text("12345"),
                Line::TooLong,
                text(""),
                Line::TooLong,
                text("last"),
            ];
            assert_eq!(lines, expected, "in pieces of {piece}");
        }
    }

    proptest! {
        #[test]
        fn lines_are_what_stands_between_line_feeds(
            lines in proptest::collection::vec("[^\n]{0,9}", 0..9),
            piece in 1usize..40,
        ) {
            let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let read = runtime.block_on(all(input.as_bytes(), 1000, piece));
            let expected: Vec<_> = lines.into_iter().map(|line| Line::Text(line.into_bytes())).collect();
            prop_assert_eq!(read, expected);
        }
    }
}
