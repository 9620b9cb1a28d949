//! The page that the link leads to.
//!
//! The visitor logs in first, which leaves a cookie. Only then it shows whether the ticket in the link
//! is for this very person; nobody else gets a button to press. What the page changes, it changes for
//! requests of its own forms only. A page that others can reach is served over HTTPS, and its cookie
//! is `Secure`.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::{Desk, TICKET, Ticket, html};
use crate::example::people::{LOGIN_FOR, Person};

const COOKIE: &str = "mrtr-example-login";

/// The pages of `desk`.
pub(crate) fn pages(desk: Arc<Desk>) -> Router {
    Router::new()
        .route("/sign-in", get(show).post(connect))
        .route("/log-in", post(log_in))
        .route("/log-out", post(log_out))
        .layer(from_fn_with_state(desk.clone(), own_pages_only))
        .with_state(desk)
}

#[derive(Deserialize)]
struct Link {
    ticket: String,
}

#[derive(Deserialize)]
struct LogIn {
    ticket: String,
    code: String,
}

async fn show(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    link: Result<Query<Link>, QueryRejection>,
) -> Response {
    let Ok(Query(Link { ticket: text })) = link else {
        return html::bad_ticket();
    };
    match desk.visit(&headers, &text) {
        Visit::Welcome(_, person) => html::consent(&text, person),
        Visit::Told(response) => response,
    }
}

async fn connect(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    link: Result<Form<Link>, FormRejection>,
) -> Response {
    let Ok(Form(Link { ticket: text })) = link else {
        return html::bad_ticket();
    };
    match desk.visit(&headers, &text) {
        Visit::Welcome(ticket, person) => {
            tracing::info!(%person, exchange = ticket.exchange, "signed in");
            desk.done.add(ticket.exchange);
            html::done(person)
        }
        Visit::Told(response) => response,
    }
}

async fn log_in(
    State(desk): State<Arc<Desk>>,
    form: Result<Form<LogIn>, FormRejection>,
) -> Response {
    let Ok(Form(LogIn { ticket, code })) = form else {
        return html::bad_ticket();
    };
    if desk.ticket(&ticket).is_none() {
        return html::bad_ticket();
    }
    let Some(person) = desk.people.by_code(code.trim()) else {
        return html::log_in(&ticket, true);
    };
    let Ok(login) = desk.people.login(person) else {
        return html::trouble();
    };
    back(&ticket, &login, LOGIN_FOR.as_secs())
}

async fn log_out(
    State(desk): State<Arc<Desk>>,
    link: Result<Form<Link>, FormRejection>,
) -> Response {
    match link {
        Ok(Form(Link { ticket })) if desk.ticket(&ticket).is_some() => back(&ticket, "", 0),
        _ => html::bad_ticket(),
    }
}

/// Sets the login of this browser and goes back to the link.
fn back(ticket: &str, login: &str, seconds: u64) -> Response {
    let cookie = format!("{COOKIE}={login}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}");
    let Ok(cookie) = HeaderValue::try_from(cookie) else {
        return html::trouble();
    };
    let mut response = Redirect::to(&format!("/sign-in?ticket={ticket}")).into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}

/// Who comes with a link.
enum Visit {
    /// The person it is for.
    Welcome(Ticket, Person),
    /// Somebody else, or nobody known yet; what they are told.
    Told(Response),
}

impl Desk {
    fn ticket(&self, text: &str) -> Option<Ticket> {
        self.people.open(TICKET, text)
    }

    fn visit(&self, headers: &HeaderMap, text: &str) -> Visit {
        let Some(ticket) = self.ticket(text) else {
            return Visit::Told(html::bad_ticket());
        };
        let login = cookie(headers).and_then(|login| self.people.by_login(login));
        match login {
            None => Visit::Told(html::log_in(text, false)),
            Some(visitor) if visitor == ticket.person => Visit::Welcome(ticket, visitor),
            Some(visitor) => {
                let exchange = ticket.exchange;
                tracing::warn!(%visitor, exchange, "a link of somebody else was opened");
                Visit::Told(html::somebody_else(text, visitor))
            }
        }
    }

    fn is_own(&self, method: &Method, headers: &HeaderMap) -> Result<(), &'static str> {
        let origin = self.origin.get().map(String::as_str);
        let header = |name| {
            headers
                .get(name)
                .map(|value| value.to_str().unwrap_or_default())
        };
        if header(header::HOST) != origin.and_then(|origin| origin.strip_prefix("http://")) {
            return Err("This server has another address.");
        }
        let asked_from = header(header::ORIGIN);
        if method == Method::POST && asked_from.is_some() && asked_from != origin {
            return Err("The form you sent is of another site.");
        }
        Ok(())
    }
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).into_iter();
    cookies
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .find_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

/// Another site may neither send its visitors' browsers here under its own name nor post our forms.
async fn own_pages_only(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    match desk.is_own(request.method(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(why) => html::forbidden(why),
    }
}
