//! Looking at a URL before a person goes there.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Position, Url};

/// Longer URLs cannot be examined by a person.
const LONGEST: usize = 8192;

/// The URL of a question, as a browser would take it.
pub(crate) struct Page {
    url: Url,
    cautions: Vec<Caution>,
}

/// What a person should know before going to a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Caution {
    /// Neither `https` nor `http`.
    Scheme(String),
    /// `http` to another machine.
    NotEncrypted,
    /// A user name or password in front of the host.
    UserInfo(String),
    /// A host of other than plain letters, and what it looks like.
    Punycode(String),
    /// A label of the host mixes scripts.
    MixedScripts(String),
    /// The host is an IP address.
    Address(IpAddr),
    /// The URL held control or invisible characters, spaces or backslashes.
    Hidden,
}

/// Why a URL cannot be offered to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BadPage {
    /// It is no absolute URL.
    Invalid(String),
    /// It is too long to be examined.
    TooLong(usize),
}

impl Page {
    /// # Errors
    /// [`BadPage`] when nobody could go there knowingly.
    pub(crate) fn parse(text: &str) -> Result<Self, BadPage> {
        if text.len() > LONGEST {
            return Err(BadPage::TooLong(text.len()));
        }
        let url = Url::parse(text).map_err(|error| BadPage::Invalid(error.to_string()))?;
        if url.as_str().len() > LONGEST {
            return Err(BadPage::TooLong(url.as_str().len()));
        }
        let mut cautions = Vec::new();
        let host = url.host();
        match url.scheme() {
            "https" => {}
            "http" if host.as_ref().is_some_and(is_this_machine) => {}
            "http" => cautions.push(Caution::NotEncrypted),
            other => cautions.push(Caution::Scheme(other.to_owned())),
        }
        if !url.username().is_empty() || url.password().is_some() {
            let front = &url[Position::BeforeUsername..Position::BeforeHost];
            cautions.push(Caution::UserInfo(front.trim_end_matches('@').to_owned()));
        }
        match host {
            Some(Host::Domain(domain)) => cautions.extend(of_domain(domain)),
            Some(Host::Ipv4(address)) => cautions.push(Caution::Address(address.into())),
            Some(Host::Ipv6(address)) => cautions.push(Caution::Address(address.into())),
            None => {}
        }
        let visible = super::clean::block(text);
        if visible != text || text.contains(|c: char| c == '\\' || c.is_whitespace()) {
            cautions.push(Caution::Hidden);
        }
        Ok(Self { url, cautions })
    }

    /// The whole URL in three parts, the host in the middle. Plain ASCII without spaces and controls.
    pub(crate) fn parts(&self) -> (&str, &str, &str) {
        (
            &self.url[..Position::BeforeHost],
            &self.url[Position::BeforeHost..Position::AfterHost],
            &self.url[Position::AfterHost..],
        )
    }

    /// What the person should know, the worst first or nearly so.
    pub(crate) fn cautions(&self) -> &[Caution] {
        &self.cautions
    }
}

fn is_this_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(domain) => {
            let domain = domain.trim_end_matches('.');
            domain == "localhost" || domain.ends_with(".localhost")
        }
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

fn of_domain(domain: &str) -> Vec<Caution> {
    let mut cautions = Vec::new();
    if domain.split('.').any(|label| label.starts_with("xn--")) {
        let (unicode, _) = idna::domain_to_unicode(domain);
        cautions.push(Caution::Punycode(super::clean::line(&unicode, 300)));
        if let Some(label) = unicode.split('.').find(|label| mixes_scripts(label)) {
            cautions.push(Caution::MixedScripts(super::clean::line(label, 100)));
        }
    }
    cautions
}

/// Scripts whose letters are taken for each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Cherokee,
    EastAsian,
    Other,
}

/// Coarse on purpose: by blocks of letters, enough to see that a name is put together of several.
fn script(c: char) -> Option<Script> {
    if !c.is_alphabetic() {
        return None;
    }
    Some(match u32::from(c) {
        0x41..=0x24f | 0x1e00..=0x1eff | 0x2c60..=0x2c7f | 0xa720..=0xa7ff | 0xab30..=0xab64 => {
            Script::Latin
        }
        0x370..=0x3ff | 0x1f00..=0x1fff => Script::Greek,
        0x400..=0x52f | 0x1c80..=0x1c8f | 0x2de0..=0x2dff | 0xa640..=0xa69f => Script::Cyrillic,
        0x531..=0x58f => Script::Armenian,
        0x590..=0x5ff => Script::Hebrew,
        0x600..=0x77f | 0x8a0..=0x8ff => Script::Arabic,
        0x13a0..=0x13ff | 0xab70..=0xabbf => Script::Cherokee,
        0x2e80..=0x31ff | 0x3400..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff => Script::EastAsian,
        0x20000..=0x3ffff => Script::EastAsian,
        _ => Script::Other,
    })
}

/// Latin beside East Asian script is common and not taken for anything else.
fn mixes_scripts(label: &str) -> bool {
    let mut first = None;
    label.chars().filter_map(script).any(|found| {
        if found == Script::EastAsian {
            return false;
        }
        let first = *first.get_or_insert(found);
        first != found
    })
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheme(scheme) => write!(
                f,
                "this is no web address (`{scheme}:`): opening it may run something on this machine"
            ),
            Self::NotEncrypted => f.write_str(
                "the connection is not encrypted (http): others can read and change what you enter",
            ),
            Self::UserInfo(front) => write!(
                f,
                "`{front}` in front of the host is a user name, not the site you go to"
            ),
            Self::Punycode(unicode) => write!(
                f,
                "the host is written in Punycode and looks like `{unicode}`: it may imitate another site"
            ),
            Self::MixedScripts(label) => write!(
                f,
                "`{label}` mixes letters of several scripts, a usual way to imitate another site"
            ),
            Self::Address(address) if address.is_loopback() => {
                write!(f, "the host is an IP address ({address}): this machine")
            }
            Self::Address(address) => write!(
                f,
                "the host is a bare IP address ({address}), which says nothing about whose it is"
            ),
            Self::Hidden => f.write_str(
                "the server's text of this URL had invisible characters, spaces or backslashes; it \
                 is shown as a browser would take it",
            ),
        }
    }
}

impl fmt::Display for BadPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reason) => write!(f, "the server's text is no valid URL ({reason})"),
            Self::TooLong(length) => write!(
                f,
                "the URL is {length} bytes long, more than anybody can examine"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cautions(url: &str) -> Vec<Caution> {
        Page::parse(url)
            .map(|page| page.cautions)
            .unwrap_or_default()
    }

    #[test]
    fn an_ordinary_page_needs_no_caution() {
        assert_eq!(cautions("https://mcp.example.com/connect?id=7#x"), []);
        assert_eq!(cautions("http://localhost:8080/sign-in"), []);
    }

    #[test]
    fn the_host_is_the_one_that_a_browser_goes_to() {
        for (url, host) in [
            ("https://bank.example@evil.example/", "evil.example"),
            ("https://bank.example\\@evil.example/", "bank.example"),
            ("https://EXAMPLE.com:443/", "example.com"),
            ("http://2130706433/", "127.0.0.1"),
            (
                "https://bank.example.evil.example/bank.example",
                "bank.example.evil.example",
            ),
            ("https://аpple.com/", "xn--pple-43d.com"),
            ("https://evil.exa\tmple/", "evil.example"),
        ] {
            let page = Page::parse(url).unwrap();
            assert_eq!(page.parts().1, host, "{url}");
            let (before, host, after) = page.parts();
            assert!(
                format!("{before}{host}{after}")
                    .bytes()
                    .all(|b| b.is_ascii_graphic())
            );
        }
    }

    #[test]
    fn what_looks_like_another_site_is_warned_of() {
        assert_eq!(
            cautions("https://user@h.example/"),
            [Caution::UserInfo("user".into())]
        );
        assert_eq!(
            cautions("https://bank.example:x@h.example/"),
            [Caution::UserInfo("bank.example:x".into())]
        );
        assert_eq!(cautions("http://h.example/"), [Caution::NotEncrypted]);
        assert_eq!(
            cautions("javascript:alert(1)"),
            [Caution::Scheme("javascript".into())]
        );
        assert_eq!(
            cautions("file:///etc/passwd"),
            [Caution::Scheme("file".into())]
        );
        assert_eq!(
            cautions("https://xn--bcher-kva.example/"),
            [Caution::Punycode("bücher.example".into())]
        );
        assert_eq!(
            cautions("https://xn--pple-43d.com/"),
            [
                Caution::Punycode("аpple.com".into()),
                Caution::MixedScripts("аpple".into())
            ]
        );
        assert_eq!(
            cautions("https://аpple.com/"),
            cautions("https://xn--pple-43d.com/")
        );
        assert_eq!(cautions("https://日本語abc.example/").len(), 1);
        let address = |text: &str| [Caution::Address(text.parse().unwrap())];
        assert_eq!(cautions("https://192.0.2.7/"), address("192.0.2.7"));
        assert_eq!(cautions("https://0xc0000207/"), address("192.0.2.7"));
        assert_eq!(cautions("http://[::1]/"), address("::1"));
        assert_eq!(cautions("https://h.example/\u{202e}x"), [Caution::Hidden]);
        assert_eq!(cautions("https:\\\\h.example/"), [Caution::Hidden]);
    }

    #[test]
    fn what_is_no_url_is_not_offered() {
        assert!(matches!(Page::parse("connect"), Err(BadPage::Invalid(_))));
        assert!(matches!(Page::parse("https://"), Err(BadPage::Invalid(_))));
        let long = format!("https://h.example/{}", "x".repeat(9000));
        assert!(matches!(Page::parse(&long), Err(BadPage::TooLong(_))));
        let grows = format!("https://h.example/{}", "é".repeat(2000));
        assert!(matches!(Page::parse(&grows), Err(BadPage::TooLong(_))));
    }
}
