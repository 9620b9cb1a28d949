//! The example as a web site: its MCP endpoint, its pages, and who is who.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use mrtr::server::Http;

use super::sign_in::{Desk, pages};

/// The endpoint and the pages in one router.
pub(crate) fn site(endpoint: Http, desk: Arc<Desk>) -> Router {
    let endpoint = Router::new()
        .fallback_service(endpoint)
        .layer(from_fn_with_state(desk.clone(), authenticate));
    pages(desk).fallback_service(endpoint)
}

/// Tells the server who sends a request. One without a token is anonymous; a wrong token is refused.
async fn authenticate(State(desk): State<Arc<Desk>>, mut request: Request, next: Next) -> Response {
    if let Some(authorization) = request.headers().get(header::AUTHORIZATION) {
        let token = authorization
            .to_str()
            .ok()
            .and_then(|text| text.split_once(' '));
        let person = token
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .and_then(|(_, token)| desk.people().by_code(token.trim()));
        let Some(person) = person else {
            let challenge = [(header::WWW_AUTHENTICATE, r#"Bearer error="invalid_token""#)];
            return (StatusCode::UNAUTHORIZED, challenge).into_response();
        };
        request.extensions_mut().insert(person.principal());
    }
    next.run(request).await
}
