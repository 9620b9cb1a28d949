//! The server that a saved call belongs to.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a call was sent, in a form that can be saved and compared: never a credential.
///
/// ```
/// use mrtr_core::exchange::Target;
///
/// let target = Target::http("HTTPS://user:secret@Example.com:443/mcp?key=secret")?;
/// assert_eq!(target.to_string(), "https://example.com/mcp");
/// assert_eq!(target, Target::http("https://example.com/mcp")?);
/// # Ok::<(), mrtr_core::exchange::TargetError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Target(Saved);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Saved {
    Http(String),
    Command(Vec<String>),
}

impl Target {
    /// A server reached over HTTP. User information, query and fragment are left out, since they may
    /// carry credentials; scheme and host are lowered and a default port is dropped.
    ///
    /// # Errors
    /// [`TargetError`] when `url` is not an absolute `http` or `https` URL with a host.
    pub fn http(url: &str) -> Result<Self, TargetError> {
        let error = |reason| TargetError { reason };
        if url.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(error(
                "it holds a space, a backslash or a control character",
            ));
        }
        let (scheme, rest) = url.split_once("://").ok_or(error("it has no scheme"))?;
        let default_port = match scheme.to_ascii_lowercase().as_str() {
            "http" => "80",
            "https" => "443",
            _ => return Err(error("its scheme is neither http nor https")),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        let host_port = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        let (host, port) = match host_port.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (host_port, ""),
        };
        if host.is_empty() || !port.bytes().all(|b| b.is_ascii_digit()) {
            return Err(error("its host or port cannot be read"));
        }
        let path = tail.split(['?', '#']).next().unwrap_or_default();
        let mut text = format!(
            "{}://{}",
            scheme.to_ascii_lowercase(),
            host.to_ascii_lowercase()
        );
        if !port.is_empty() && port != default_port {
            text.push(':');
            text.push_str(port);
        }
        text.push_str(if path.is_empty() { "/" } else { path });
        Ok(Self(Saved::Http(text)))
    }

    /// A server started as a child process. The words are saved as they are: secrets belong in the
    /// child's environment, not in its arguments.
    pub fn command<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Self {
        Self(Saved::Command(words.into_iter().map(Into::into).collect()))
    }

    /// The URL of a server reached over HTTP, without credentials.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match &self.0 {
            Saved::Http(url) => Some(url),
            Saved::Command(_) => None,
        }
    }

    /// Program and arguments of a server started as a child process.
    #[must_use]
    pub fn words(&self) -> Option<&[String]> {
        match &self.0 {
            Saved::Http(_) => None,
            Saved::Command(words) => Some(words),
        }
    }
}

impl TryFrom<Saved> for Target {
    type Error = TargetError;

    /// A saved URL must be in the form that [`Target::http`] gives it.
    fn try_from(saved: Saved) -> Result<Self, TargetError> {
        if let Saved::Http(url) = &saved {
            let target = Self::http(url)?;
            if target.0 != saved {
                let reason = "it holds more than scheme, host, port and path";
                return Err(TargetError { reason });
            }
        }
        Ok(Self(saved))
    }
}

impl From<Target> for Saved {
    fn from(target: Target) -> Self {
        target.0
    }
}

/// The URL as text, or the command's words with a space between.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Saved::Http(url) => f.write_str(url),
            Saved::Command(words) => f.write_str(&words.join(" ")),
        }
    }
}

/// A URL cannot name a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetError {
    reason: &'static str,
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the URL does not name a server: {}", self.reason)
    }
}

impl std::error::Error for TargetError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn http(url: &str) -> String {
        Target::http(url).unwrap().to_string()
    }

    #[test]
    fn credentials_never_reach_the_saved_form() {
        for url in [
            "https://u:p@h/mcp",
            "https://u@x@h/mcp?token=t",
            "https://h/mcp#t",
            "https://h:443/mcp",
        ] {
            assert_eq!(http(url), "https://h/mcp");
        }
        assert_eq!(http("http://[::1]:8080"), "http://[::1]:8080/");
        assert_eq!(http("http://[::1]"), "http://[::1]/");
        assert_eq!(http("http://h?x=1"), "http://h/");
        assert_eq!(http("http://h:443/A"), "http://h:443/A");
    }

    #[test]
    fn what_is_no_http_url_is_refused() {
        for url in [
            "",
            "h/mcp",
            "ftp://h/",
            "https:///mcp",
            "https://u:p@/mcp",
            "https://h:a/",
            "https://h\\@evil/",
            "https://h/ x",
        ] {
            assert!(Target::http(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_saved_url_with_credentials_does_not_load() {
        assert!(serde_json::from_str::<Target>("{\"http\":\"https://u:p@h/\"}").is_err());
        assert!(serde_json::from_str::<Target>("{\"http\":\"https://h/?k=1\"}").is_err());
        let target = Target::command(["server", "--quiet"]);
        let text = serde_json::to_string(&target).unwrap();
        assert_eq!(text, "{\"command\":[\"server\",\"--quiet\"]}");
        assert_eq!(serde_json::from_str::<Target>(&text).unwrap(), target);
    }
}
