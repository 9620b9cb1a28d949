//! The pages' HTML.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use crate::example::people::Person;

const STYLE: &str = "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem;\
                     color-scheme:light dark}button,input{font:inherit;padding:.4rem .8rem}";

/// A page; `body` is HTML.
fn page(status: StatusCode, title: &str, body: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=en><meta charset=utf-8>\
         <meta name=viewport content=\"width=device-width\"><title>{title}</title>\
         <style>{STYLE}</style><h1>{title}</h1>{body}"
    );
    let mut response = (status, Html(html)).into_response();
    let policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; \
                  frame-ancestors 'none'; base-uri 'none'";
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// `ticket` is text that opened as one, so it needs no escaping here and below.
pub(super) fn log_in(ticket: &str, wrong: bool) -> Response {
    let (status, wrong) = match wrong {
        true => (StatusCode::FORBIDDEN, "<p><b>This is nobody's code.</b>"),
        false => (StatusCode::OK, ""),
    };
    let body = format!(
        "<p>First say who you are. <code>mrtr serve</code> showed a code for each person on its \
         standard error when it started. Where you work this is your usual login.{wrong}\
         <form method=post action=/log-in><input type=hidden name=ticket value={ticket}>\
         <p><label>Your code <input type=password name=code autocomplete=off required autofocus></label>\
         <p><button>Log in</button></form>"
    );
    page(status, "Log in", &body)
}

pub(super) fn consent(ticket: &str, person: Person) -> Response {
    let body = format!(
        "<p>You are <b>{person}</b>. A program that calls this server as {person} asks to use your \
         trail diary.<p>Did you start that? If not, close this page.\
         <form method=post action=/sign-in><input type=hidden name=ticket value={ticket}>\
         <p><button>Connect my trail diary</button></form>"
    );
    page(StatusCode::OK, "Connect your trail diary?", &body)
}

pub(super) fn somebody_else(ticket: &str, visitor: Person) -> Response {
    let body = format!(
        "<p>You are logged in as <b>{visitor}</b>, and this link was made for another person. If \
         somebody sent it to you, close this page: connecting your diary here would give it to them.\
         <form method=post action=/log-out><input type=hidden name=ticket value={ticket}>\
         <p><button>I am not {visitor}</button></form>"
    );
    page(StatusCode::FORBIDDEN, "This link is not yours", &body)
}

pub(super) fn done(person: Person) -> Response {
    let body = format!(
        "<p>The trail diary of <b>{person}</b> is connected. Close this page and go back to where \
         you came from."
    );
    page(StatusCode::OK, "Done", &body)
}

pub(super) fn bad_ticket() -> Response {
    let body = "<p>It is incomplete, or older than ten minutes. Go back to where you got it: you \
                will be asked again, with a new one.";
    page(StatusCode::BAD_REQUEST, "This link is no longer good", body)
}

pub(super) fn forbidden(why: &str) -> Response {
    page(StatusCode::FORBIDDEN, "Not from here", &format!("<p>{why}"))
}

pub(super) fn trouble() -> Response {
    let body = "<p>The server cannot go on; its log says why.";
    page(
        StatusCode::INTERNAL_SERVER_ERROR,
        "Something went wrong",
        body,
    )
}
