//! The example server: one file for each thing it offers, written as an author would write it.

mod book;
mod briefing;
mod countdown;
mod deploy;
mod echo;
mod notes;
mod people;
mod sign_in;
mod site;
mod summarise;

use std::sync::Arc;

use mrtr::server::{Server, ServerBuilder};

pub(crate) use self::people::{People, Person};
pub(crate) use self::sign_in::{Desk, pages};
pub(crate) use self::site::site;

/// Its name, which clients see and states are bound to.
pub(crate) const NAME: &str = "mrtr-example";

/// The example server, ready to be built.
pub(crate) fn server(desk: Arc<Desk>) -> ServerBuilder {
    Server::builder(NAME, env!("CARGO_PKG_VERSION"))
        .title("Example of mrtr")
        .description("Tools, a prompt and resources that ask back")
        .instructions("Try the tools `book` and `deploy`: they ask before they do anything.")
        .tool(book::register())
        .tool(deploy::register())
        .tool(sign_in::register(desk))
        .tool(summarise::register())
        .tool(countdown::register())
        .tool(echo::register())
        .prompt(briefing::register())
        .resource_template(notes::register())
}
