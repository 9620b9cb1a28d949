//! `sign_in`: sends the person to a page, and goes on once they are done there.
//!
//! A link can be passed on: whoever asks for one could talk somebody else into opening it, and have
//! that person's account connected to their own call. So the link carries a sealed [`Ticket`] that
//! says who asked, and the page lets nobody else go on, see [`pages()`].

mod done;
mod html;
mod pages;

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mrtr::server::{Tool, tool};
use mrtr::{Cx, ToolError};
use serde::{Deserialize, Serialize};

use self::done::Done;
pub(crate) use self::pages::pages;
use super::people::{People, Person};

const TICKET: &str = "mrtr-example sign-in";
/// How long a link is good. The question is asked again, with a new one, long before.
const TICKET_FOR: Duration = Duration::from_secs(10 * 60);

/// What the link says: whose sign-in of which call it is.
#[derive(Serialize, Deserialize)]
struct Ticket {
    exchange: String,
    person: Person,
}

/// What the tool and the page share.
pub(crate) struct Desk {
    people: Arc<People>,
    /// Who calls without a token: the person at this machine, where no one else can call.
    local: Option<Person>,
    /// Where the pages are, such as `http://127.0.0.1:8080`.
    origin: OnceLock<String>,
    done: Done,
}

impl Desk {
    pub(crate) fn new(people: Arc<People>, local: Option<Person>) -> Self {
        Self {
            people,
            local,
            origin: OnceLock::new(),
            done: Done::default(),
        }
    }

    /// Says where the pages are, once that is known.
    pub(crate) fn open_at(&self, origin: impl Into<String>) {
        let _ = self.origin.set(origin.into());
    }

    pub(super) fn people(&self) -> &People {
        &self.people
    }

    fn caller(&self, cx: &Cx) -> Option<Person> {
        match cx.principal() {
            Some(principal) => Person::of(principal),
            None => self.local,
        }
    }

    fn link(&self, cx: &Cx, person: Person) -> Result<String, ToolError> {
        let origin = self.origin.get().ok_or("the pages are not served")?;
        let exchange = cx.exchange_id().to_string();
        let ticket = Ticket { exchange, person };
        let ticket = self.people.seal(TICKET, ticket, Some(TICKET_FOR))?;
        Ok(format!("{origin}/sign-in?ticket={ticket}"))
    }
}

async fn sign_in(cx: Cx, desk: Arc<Desk>) -> Result<String, ToolError> {
    let person = desk.caller(&cx).ok_or(ToolError::visible(
        "Who are you? Send an access token: `mrtr serve` shows one for each person it knows.",
    ))?;
    let link = desk.link(&cx, person)?;
    let exchange = cx.exchange_id().to_string();
    let signed_in = async || {
        desk.done.wait_for(&exchange).await;
        Ok::<_, Infallible>(())
    };
    cx.elicit_url(
        "sign-in",
        "Please sign in to your trail diary.",
        link,
        signed_in,
    )
    .await?;
    Ok(format!("The trail diary of {person} is connected."))
}

pub(super) fn register(desk: Arc<Desk>) -> Tool {
    tool("sign_in", move |cx, ()| sign_in(cx, desk.clone()))
        .title("Connect a trail diary")
        .description("Connects your trail diary. Sends you to a page to sign in there.")
        .open_world(false)
}
