//! A value that must stay on its thread is held while the handler waits.

use std::rc::Rc;

use mrtr::server::tool;
use mrtr::{Cx, ToolError};

async fn remove(cx: Cx, _: ()) -> Result<String, ToolError> {
    let path = Rc::new("notes.txt".to_owned());
    cx.confirm("remove", "Really?").await?;
    Ok(path.to_string())
}

fn main() {
    let _ = tool("remove", remove);
}
