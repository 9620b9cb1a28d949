//! Which `Host` and `Origin` a request may come with.

use std::borrow::Cow;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use http::header::{HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, Uri};

/// Protection of local servers from web pages, by the `Host` and `Origin` headers.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    pub(super) reach: Reach,
    pub(super) any_origin: bool,
    pub(super) origins: Vec<Origin<'static>>,
    pub(super) hosts: Vec<Authority<'static>>,
}

/// From where a server can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reach {
    /// Somebody else's listener: a loopback `Host` tells that it is reached locally.
    #[default]
    Unknown,
    /// From this machine only.
    Loopback,
    /// From other machines too.
    Network,
}

/// Why a request is turned away before anything else is looked at: HTTP 403.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forbidden {
    Host,
    Origin,
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Host => "this Host is not served here",
            Self::Origin => "this Origin is not allowed",
        })
    }
}

impl Guard {
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Forbidden> {
        let local = self.check_host(uri, headers)?;
        self.check_origin(headers, local)
    }

    /// Checks every place that names the host; tells whether all of them are loopback.
    fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<bool, Forbidden> {
        let mut named = 0;
        let mut local = true;
        let in_target = uri.authority().map(|authority| authority.as_str());
        let in_headers = headers.get_all(HOST).iter().map(HeaderValue::to_str);
        for host in in_target.map(Ok).into_iter().chain(in_headers) {
            let host = host
                .ok()
                .and_then(Authority::parse)
                .ok_or(Forbidden::Host)?;
            named += 1;
            local &= host.is_loopback();
            let listed = self.hosts.iter().any(|allowed| allowed.covers(&host));
            let allowed = match self.reach {
                Reach::Loopback => listed || host.is_loopback(),
                Reach::Network | Reach::Unknown => listed || self.hosts.is_empty(),
            };
            if !allowed {
                return Err(Forbidden::Host);
            }
        }
        if named == 0 && (self.reach == Reach::Loopback || !self.hosts.is_empty()) {
            return Err(Forbidden::Host);
        }
        Ok(named > 0 && local)
    }

    fn check_origin(&self, headers: &HeaderMap, local: bool) -> Result<(), Forbidden> {
        if self.any_origin {
            return Ok(());
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else {
            return Ok(());
        };
        let origin = match (origin.to_str().map(Origin::parse), origins.next()) {
            (Ok(Some(origin)), None) => origin,
            _ => return Err(Forbidden::Origin),
        };
        let loopback_allowed = match self.reach {
            Reach::Loopback => true,
            Reach::Network => false,
            Reach::Unknown => local,
        };
        if self.origins.contains(&origin) || (loopback_allowed && origin.authority.is_loopback()) {
            Ok(())
        } else {
            Err(Forbidden::Origin)
        }
    }
}

/// Scheme, host and port of a web page's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin<'a> {
    scheme: Cow<'a, str>,
    authority: Authority<'a>,
}

impl<'a> Origin<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let scheme = lowercase(scheme);
        let is_scheme = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
        if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !scheme.bytes().all(is_scheme)
        {
            return None;
        }
        let mut authority = Authority::parse(rest)?;
        if matches!(
            (&*scheme, authority.port),
            ("http", Some(80)) | ("https", Some(443))
        ) {
            authority.port = None;
        }
        Some(Self { scheme, authority })
    }

    pub(super) fn into_owned(self) -> Origin<'static> {
        Origin {
            scheme: self.scheme.into_owned().into(),
            authority: self.authority.into_owned(),
        }
    }
}

/// A host, with a port where one is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Authority<'a> {
    /// Lower case, without a final dot; IPv6 in brackets.
    host: Cow<'a, str>,
    port: Option<u16>,
}

impl<'a> Authority<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let end_of_host = match text.strip_prefix('[') {
            Some(rest) => rest.find(']')? + 2,
            None => memchr::memchr(b':', text.as_bytes()).unwrap_or(text.len()),
        };
        let (host, port) = text.split_at_checked(end_of_host)?;
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => None,
            Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => {
                Some(digits.parse().ok()?)
            }
            _ => return None,
        };
        let host = match host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            Some(address) => format!("[{}]", address.parse::<Ipv6Addr>().ok()?).into(),
            None => {
                let host = lowercase(host.strip_suffix('.').unwrap_or(host));
                let is_name = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
                if host.is_empty() || !host.bytes().all(is_name) {
                    return None;
                }
                host
            }
        };
        Some(Self { host, port })
    }

    pub(super) fn into_owned(self) -> Authority<'static> {
        Authority {
            host: self.host.into_owned().into(),
            port: self.port,
        }
    }

    fn covers(&self, other: &Authority<'_>) -> bool {
        self.host == other.host && (self.port.is_none() || self.port == other.port)
    }

    fn is_loopback(&self) -> bool {
        // As nearly all clients of a local server write it.
        if self.host == "127.0.0.1" || self.host == "localhost" {
            return true;
        }
        let address = self
            .host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .unwrap_or(&self.host);
        address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
    }
}

fn lowercase(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|b| b.is_ascii_uppercase()) {
        text.to_ascii_lowercase().into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(guard: &Guard, host: Option<&str>, origin: Option<&str>) -> Result<(), Forbidden> {
        let mut headers = HeaderMap::new();
        if let Some(host) = host {
            headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        }
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        guard.check(&Uri::from_static("/mcp"), &headers)
    }

    fn guard(reach: Reach) -> Guard {
        Guard {
            reach,
            ..Guard::default()
        }
    }

    #[test]
    fn a_loopback_server_takes_loopback_hosts_only() {
        let guard = guard(Reach::Loopback);
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "localhost.",
            "127.0.0.1:1",
            "127.8.9.1",
            "[::1]:80",
        ] {
            assert_eq!(check(&guard, Some(host), None), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example:127",
            "[::2]",
            "10.0.0.1",
            "localhost@evil.example",
            "localhost:x",
            "",
            ":80",
        ] {
            assert_eq!(
                check(&guard, Some(host), None),
                Err(Forbidden::Host),
                "{host}"
            );
        }
        assert_eq!(check(&guard, None, None), Err(Forbidden::Host));
    }

    #[test]
    fn the_target_of_the_request_names_a_host_too() {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        let target = Uri::from_static("http://evil.example/mcp");
        assert_eq!(
            guard(Reach::Loopback).check(&target, &headers),
            Err(Forbidden::Host)
        );
        headers.append(HOST, HeaderValue::from_static("evil.example"));
        let target = Uri::from_static("/mcp");
        assert_eq!(
            guard(Reach::Loopback).check(&target, &headers),
            Err(Forbidden::Host)
        );
    }

    #[test]
    fn loopback_origins_pass_only_where_the_server_is_reached_by_loopback() {
        let local = Some("http://localhost:3000");
        for (reach, host, verdict) in [
            (Reach::Loopback, "localhost:8080", Ok(())),
            (Reach::Unknown, "localhost:8080", Ok(())),
            (Reach::Unknown, "mcp.example.com", Err(Forbidden::Origin)),
            (Reach::Network, "localhost:8080", Err(Forbidden::Origin)),
            (Reach::Network, "mcp.example.com", Err(Forbidden::Origin)),
        ] {
            assert_eq!(
                check(&guard(reach), Some(host), local),
                verdict,
                "{reach:?} {host}"
            );
        }
    }

    #[test]
    fn a_rebound_page_is_refused_even_though_it_is_its_own_origin() {
        let origin = Some("http://evil.example:8080");
        for reach in [Reach::Unknown, Reach::Network] {
            let verdict = check(&guard(reach), Some("evil.example:8080"), origin);
            assert_eq!(verdict, Err(Forbidden::Origin));
        }
        let verdict = check(&guard(Reach::Loopback), Some("localhost"), origin);
        assert_eq!(verdict, Err(Forbidden::Origin));
    }

    #[test]
    fn listed_origins_and_hosts_pass_and_nothing_near_them_does() {
        let guard = Guard {
            reach: Reach::Network,
            any_origin: false,
            origins: vec![Origin::parse("https://App.example").unwrap()],
            hosts: vec![Authority::parse("mcp.example.com").unwrap()],
        };
        let host = Some("mcp.example.com:8443");
        for origin in ["https://app.example", "https://app.example:443"] {
            assert_eq!(check(&guard, host, Some(origin)), Ok(()), "{origin}");
        }
        for origin in [
            "http://app.example",
            "https://app.example:8443",
            "https://app.example.evil.example",
            "https://app.example/",
            "null",
            "",
            "https://",
        ] {
            assert_eq!(
                check(&guard, host, Some(origin)),
                Err(Forbidden::Origin),
                "{origin}"
            );
        }
        assert_eq!(
            check(&guard, Some("other.example.com"), None),
            Err(Forbidden::Host)
        );
        assert_eq!(check(&guard, None, None), Err(Forbidden::Host));
    }

    #[test]
    fn no_origin_is_no_browser_and_two_are_refused() {
        assert_eq!(
            check(&guard(Reach::Network), Some("a.example"), None),
            Ok(())
        );
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        headers.append(ORIGIN, HeaderValue::from_static("http://localhost"));
        headers.append(ORIGIN, HeaderValue::from_static("http://localhost"));
        let verdict = guard(Reach::Loopback).check(&Uri::from_static("/"), &headers);
        assert_eq!(verdict, Err(Forbidden::Origin));
    }

    proptest! {
        #[test]
        fn any_text_is_an_origin_or_not(text in any::<String>()) {
            let _ = Origin::parse(&text);
            let _ = Authority::parse(&text);
        }
    }
}
