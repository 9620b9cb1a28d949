//! neva on hyper alone, as the other servers are. It brings a web framework, and takes another through this seam, by
//! which it also learns who calls.

use std::convert::Infallible;
use std::sync::Arc;

use bench_kit::{ISSUER, SUBJECT};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use neva::auth::{Claims, DefaultClaims};
use neva::error::{Error, ErrorCode};
use neva::transport::http::{
    EventId, HttpContext, HttpEngine, HttpRequest, HttpResponse, StreamResponse, handlers,
};
use neva::types::Message;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub struct Hyper;

impl HttpEngine for Hyper {
    type Request = Request<Incoming>;
    type Response = Response<Full<Bytes>>;
    type SseEvent = ();

    async fn adapt_request(request: Self::Request) -> Result<HttpRequest, Error> {
        let (mut parts, body) = request.into_parts();
        let body = body.collect().await.map_err(internal)?.to_bytes();
        // As if a token had been checked.
        let claims: Arc<dyn Claims> = Arc::new(DefaultClaims {
            iss: Some(ISSUER.to_owned()),
            sub: Some(SUBJECT.to_owned()),
            ..DefaultClaims::default()
        });
        parts.extensions.insert(claims);
        Ok(Request::from_parts(parts, body))
    }

    fn adapt_response(response: HttpResponse) -> Self::Response {
        response.map(Full::new)
    }

    fn tracked_event(_: EventId, _: &Message) {}

    fn ephemeral_event(_: &Message) {}

    async fn run(self, context: HttpContext, stop: CancellationToken) -> Result<(), Error> {
        let context = Arc::new(context);
        let listener = TcpListener::bind(context.addr()).await.map_err(internal)?;
        println!("listening");
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new());
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = stop.cancelled() => return Ok(()),
            };
            let (stream, _) = accepted.map_err(internal)?;
            stream.set_nodelay(true).map_err(internal)?;
            let context = context.clone();
            let service = service_fn(move |request| answer(request, context.clone()));
            let connection = http.serve_connection(TokioIo::new(stream), service);
            tokio::spawn(async move {
                let _ = connection.await;
            });
        }
    }
}

async fn answer(
    request: Request<Incoming>,
    context: Arc<HttpContext>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let outcome = match request.uri().path() == context.endpoint() {
        true => handlers::dispatch_post::<Hyper>(request, &context).await,
        false => return Ok(refuse(StatusCode::NOT_FOUND)),
    };
    Ok(match outcome {
        Ok(StreamResponse::Complete(response)) => Hyper::adapt_response(response),
        // Only for who asks for notifications: no request of the benchmark does.
        Ok(StreamResponse::Stream { .. }) => refuse(StatusCode::NOT_IMPLEMENTED),
        Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR),
    })
}

fn refuse(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}

fn internal(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::InternalError, error.to_string())
}
