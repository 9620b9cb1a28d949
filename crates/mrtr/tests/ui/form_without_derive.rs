//! The type that is asked for does not derive `Form`.

use mrtr::{Cx, ToolError};

struct Seat {
    row: u8,
}

async fn book(cx: Cx, _: ()) -> Result<String, ToolError> {
    let seat: Seat = cx.elicit("seat", "Which seat?").await?;
    Ok(seat.row.to_string())
}

fn main() {
    let _ = mrtr::server::tool("book", book);
}
