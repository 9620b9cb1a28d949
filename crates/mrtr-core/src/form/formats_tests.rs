use super::*;

#[test]
fn emails() {
    for good in [
        "a@b",
        "user@example.com",
        "first.last+tag@sub.example.co.uk",
        "o'brien@example.ie",
        "x@xn--bcher-kva.example",
        "\"joe bloggs\"@example.com",
        "\"a@b\"@example.com",
        "a@[127.0.0.1]",
        "a@[IPv6:::1]",
        "a@[IPv6:2001:db8::1]",
    ] {
        assert!(is_email(good), "{good}");
    }
    for bad in [
        "",
        "@",
        "a@",
        "@b",
        "a",
        "a@b@c",
        ".a@b",
        "a.@b",
        "a..b@c",
        "a b@c",
        "a@-b",
        "a@b-",
        "a@b..c",
        "a@.b",
        "a@b.",
        "a@b_c",
        "a@[127.0.0.256]",
        "a@[127.0.0.1",
        "a@[IPv6:::1::2]",
        "\"a\"b\"@c",
        "\"a@c",
        "é@example.com",
        "a@b\n",
        "a@[IPv6:",
        "a@[",
        "\"@b",
        "\"\\\"@b",
    ] {
        assert!(!is_email(bad), "{bad}");
    }
    assert!(is_email(&format!("{}@b", "a".repeat(64))));
    assert!(!is_email(&format!("{}@b", "a".repeat(65))));
    assert!(is_email(&format!("a@{}", "b".repeat(63))));
    assert!(!is_email(&format!("a@{}", "b".repeat(64))));
}

#[test]
fn uris() {
    for good in [
        "https://example.com",
        "http://user:pw@example.com:8080/a/b?c=d&e=/?#f",
        "urn:isbn:0451450523",
        "mailto:a@b",
        "file:///etc/hosts",
        "http://[::1]:80/",
        "http://[2001:db8::7]",
        "a:",
        "tel:+1-816-555-1212",
        "x://",
        "http://a:",
        "http://example.com/%7Ea",
        "note://todo",
        "http://[::ffff:1.2.3.4]/",
    ] {
        assert!(is_uri(good), "{good}");
    }
    for bad in [
        "",
        ":",
        "example.com",
        "//example.com",
        "/a",
        "1http://a",
        "http://a b",
        "http://a/%7",
        "http://a/%zz",
        "http://[::1",
        "http://[g]",
        "http://a:8x",
        "http://a#b#c",
        "http://a/<b>",
        "http://ä",
        "http://a/\\b",
        "http://a/{x}",
        "http://[::1]x",
        "http://a:80:80",
        "http://a/[b]",
        "a:%",
        "http://a\n",
    ] {
        assert!(!is_uri(bad), "{bad}");
    }
}

#[test]
fn dates() {
    for good in [
        "2026-07-28",
        "2024-02-29",
        "2000-02-29",
        "0000-01-01",
        "9999-12-31",
    ] {
        assert!(is_date(good), "{good}");
    }
    for bad in [
        "",
        "2026-7-28",
        "2026-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-00-01",
        "2026-04-31",
        "2026-01-00",
        "2026/01/01",
        "20260101",
        "2026-01-01 ",
        "২০২৬-০১-০১",
        "+026-01-01",
    ] {
        assert!(!is_date(bad), "{bad}");
    }
}

#[test]
fn date_times() {
    for good in [
        "2026-07-28T09:30:00Z",
        "2026-07-28t09:30:00z",
        "2026-07-28T09:30:00.123456789Z",
        "2026-07-28T09:30:00+05:30",
        "2016-12-31T23:59:60Z",
        "2016-12-31T15:59:60-08:00",
        "2017-01-01T08:59:60+09:00",
    ] {
        assert!(is_date_time(good), "{good}");
    }
    for bad in [
        "",
        "2026-07-28",
        "2026-07-28T09:30:00",
        "2026-07-28 09:30:00Z",
        "2026-07-28T24:00:00Z",
        "2026-07-28T09:60:00Z",
        "2026-07-28T09:30Z",
        "2026-07-28T09:30:61Z",
        "2026-07-28T09:30:60Z",
        "2026-07-28T09:30:00.Z",
        "2026-07-28T09:30:00+24:00",
        "2026-07-28T09:30:00+0530",
        "2026-02-30T09:30:00Z",
        "2026-07-28T09:30:00ZZ",
        "2026-07-28T09:30:00,5Z",
    ] {
        assert!(!is_date_time(bad), "{bad}");
    }
}
