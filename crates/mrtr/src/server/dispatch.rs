//! From a request to its response.

use mrtr_core::json::depth;
use mrtr_core::wire::{Cause, Incoming, Request, RequestMeta, SUPPORTED_VERSIONS, meta_key};

use super::{Caller, Notifier, Reply, Server};

impl Server {
    /// Reads one message from a peer; what is wrong with it is the reply.
    pub(crate) fn read<'a>(&self, message: &'a [u8]) -> Result<Incoming<'a>, Reply> {
        if depth::check(message, depth::MAX_DEPTH).is_err() {
            let what = format!("nested deeper than {} levels", depth::MAX_DEPTH);
            return Err(Reply::error(None, &Cause::InvalidRequest(what.into())));
        }
        Incoming::parse(message)
            .map_err(|malformed| Reply::error(malformed.id.as_ref(), &malformed.cause))
    }

    /// Answers a request. To cancel it, drop the future.
    pub(crate) async fn answer(
        &self,
        request: &Request<'_>,
        caller: &Caller,
        notifier: &dyn Notifier,
    ) -> Reply {
        let _ = (caller, notifier);
        match self.dispatch(request).await {
            Ok(reply) => reply,
            Err(cause) => Reply::error(Some(&request.id), &cause),
        }
    }

    async fn dispatch(&self, request: &Request<'_>) -> Result<Reply, Cause> {
        match &*request.method {
            "server/discover" => {
                check(request)?;
                Ok(Reply::prepared(&request.id, &self.inner.discover))
            }
            // Without a version in `_meta` it is the handshake of an earlier revision.
            "initialize" if !names_version(request) => Err(Cause::LegacyInitialize {
                requested: request
                    .params
                    .protocol_version
                    .and_then(|raw| serde_json::from_str(raw.get()).ok()),
            }),
            method => Err(Cause::MethodNotFound {
                method: method.to_owned(),
            }),
        }
    }
}

fn names_version(request: &Request<'_>) -> bool {
    !matches!(
        request.params.request_meta(),
        Err(Cause::MissingMeta(meta_key::PROTOCOL_VERSION))
    )
}

fn check<'a>(request: &Request<'a>) -> Result<RequestMeta<'a>, Cause> {
    let meta = request.params.request_meta()?;
    if !SUPPORTED_VERSIONS.contains(&&*meta.protocol_version) {
        return Err(Cause::UnsupportedVersion {
            requested: meta.protocol_version.into_owned(),
        });
    }
    Ok(meta)
}
