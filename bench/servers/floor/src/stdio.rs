//! One message on a line, answered in turn, on plain blocking streams: there is nothing to wait for.

use std::io::{self, BufRead as _, Write as _};

use crate::book::book;
use crate::request::Message;
use crate::state::Key;

const BATCH: usize = 64 * 1024;

pub async fn serve(key: &Key) -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(BATCH, io::stdin().lock());
    let mut output = io::stdout().lock();
    let (mut line, mut batch) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if let Ok(message) = serde_json::from_slice::<Message<'_>>(&line) {
            batch.extend_from_slice(&book(&message, key).body);
            batch.push(b'\n');
        }
        // Written before a read that would wait.
        if !input.buffer().contains(&b'\n') {
            output.write_all(&batch)?;
            output.flush()?;
            batch.clear();
        }
    }
}
