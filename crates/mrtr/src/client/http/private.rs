//! Headers that nobody but the server may see.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TE, TRANSFER_ENCODING,
    UPGRADE,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::client::error::{BoxError, Unreachable, Usage};

/// What the protocol or the connection decides.
const RESERVED: [HeaderName; 8] = [
    ACCEPT,
    CONNECTION,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    HOST,
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Makes the `Authorization` value of every request.
#[derive(Clone)]
pub(crate) struct Credentials(Arc<CredentialsFn>);

type CredentialsFn = dyn Fn() -> Fetching + Send + Sync;
type Fetching = Pin<Box<dyn Future<Output = Result<String, BoxError>> + Send>>;

impl Credentials {
    pub(crate) fn new<F, Fut, E>(fetch: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self(Arc::new(move || {
            let token = fetch();
            Box::pin(async move { token.await.map_err(Into::into) })
        }))
    }

    async fn header(&self) -> Result<HeaderValue, Unreachable> {
        let failed = |error: BoxError| Unreachable::because("there are no credentials", error);
        let token = (self.0)().await.map_err(failed)?;
        let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| {
            failed("the bearer token has characters that a header cannot carry".into())
        })?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(..)")
    }
}

/// Where credentials and other headers of the caller come from. They join a request after it was
/// traced.
#[derive(Debug, Default)]
pub(crate) struct Private {
    credentials: Option<Credentials>,
    headers: HeaderMap,
}

impl Private {
    /// # Errors
    /// A header that cannot be sent. Its value is not repeated.
    pub(crate) fn new(
        credentials: Option<Credentials>,
        headers: Vec<(String, String)>,
    ) -> Result<Self, Usage> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let parsed: Result<HeaderName, _> = name.parse();
            let parsed = parsed
                .map_err(|_| Usage::new(format!("`{}` is no header name", name.escape_debug())))?;
            if RESERVED.contains(&parsed) || parsed.as_str().starts_with("mcp-") {
                return Err(Usage::new(format!(
                    "the header `{parsed}` is set by the protocol and cannot be given"
                )));
            }
            let mut value = HeaderValue::from_str(&value).map_err(|_| {
                Usage::new(format!(
                    "the value of the header `{parsed}` has characters that a header cannot carry"
                ))
            })?;
            value.set_sensitive(true);
            map.append(parsed, value);
        }
        Ok(Self {
            credentials,
            headers: map,
        })
    }

    /// The headers of one request. A bearer token takes the place of an `Authorization` header that
    /// was given.
    pub(crate) async fn headers(&self) -> Result<HeaderMap, Unreachable> {
        let mut headers = self.headers.clone();
        if let Some(credentials) = &self.credentials {
            headers.insert(AUTHORIZATION, credentials.header().await?);
        }
        Ok(headers)
    }
}

/// Sets private headers in place of others of the same name.
pub(crate) fn add(private: &HeaderMap, headers: &mut HeaderMap) {
    for name in private.keys() {
        headers.remove(name);
        for value in private.get_all(name) {
            headers.append(name, value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, value: &str) -> String {
        Private::new(None, vec![(name.to_owned(), value.to_owned())])
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn headers_of_the_protocol_cannot_be_given() {
        for name in ["Mcp-Method", "mcp-protocol-version", "Content-Type", "Host"] {
            assert!(refused(name, "x").contains("set by the protocol"), "{name}");
        }
        assert!(refused("a b", "x").contains("no header name"));
    }

    #[test]
    fn a_value_is_never_repeated_in_errors_or_debug_output() {
        assert!(!refused("x-key", "se\ncret").contains("cret"));
        let private = Private::new(None, vec![("x-key".into(), "secret".into())]).unwrap();
        assert!(!format!("{private:?}").contains("secret"));
    }
}
