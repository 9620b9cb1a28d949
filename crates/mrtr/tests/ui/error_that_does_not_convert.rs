//! The error of the handler is no error that converts into `ToolError`.

use mrtr::server::tool;
use mrtr::{Cx, ToolError};

#[derive(Debug)]
struct OutOfSeats;

async fn whole(_: Cx, _: ()) -> Result<String, OutOfSeats> {
    Err(OutOfSeats)
}

async fn in_between(_: Cx, _: ()) -> Result<String, ToolError> {
    let seat: Result<String, OutOfSeats> = Err(OutOfSeats);
    Ok(seat?)
}

fn main() {
    let _ = tool("whole", whole);
    let _ = tool("in_between", in_between);
}
