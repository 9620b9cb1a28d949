//! Checks of the four text formats. All work in constant expressions.

/// A mailbox by RFC 5321: `local@domain`, ASCII, also with a quoted local part or an address literal.
pub(crate) const fn is_email(text: &str) -> bool {
    let s = text.as_bytes();
    if s.len() > 254 {
        return false;
    }
    let mut at = s.len();
    while at > 0 && s[at - 1] != b'@' {
        at -= 1;
    }
    if at == 0 {
        return false;
    }
    let (local, domain) = (s.split_at(at - 1).0, s.split_at(at).1);
    is_local_part(local) && is_domain(domain)
}

const fn is_local_part(s: &[u8]) -> bool {
    if s.is_empty() || s.len() > 64 {
        return false;
    }
    if s[0] == b'"' {
        return is_quoted(s);
    }
    let mut after_dot = true;
    let mut i = 0;
    while i < s.len() {
        let dot = s[i] == b'.';
        if (dot && after_dot) || !(dot || is_atom(s[i])) {
            return false;
        }
        after_dot = dot;
        i += 1;
    }
    !after_dot
}

const fn is_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || is_in(byte, b"!#$%&'*+-/=?^_`{|}~")
}

const fn is_quoted(s: &[u8]) -> bool {
    if s.len() < 2 || s[s.len() - 1] != b'"' {
        return false;
    }
    let mut i = 1;
    while i < s.len() - 1 {
        match s[i] {
            b'"' => return false,
            b'\\' => {
                i += 1;
                if i == s.len() - 1 || !matches!(s[i], b' '..=b'~') {
                    return false;
                }
            }
            b' '..=b'~' => {}
            _ => return false,
        }
        i += 1;
    }
    true
}

const fn is_domain(s: &[u8]) -> bool {
    if s.is_empty() || s.len() > 253 {
        return false;
    }
    if s[0] == b'[' {
        let last = s.len() - 1;
        if s[last] != b']' {
            return false;
        }
        return if starts_with(s, b"[IPv6:") {
            is_ipv6(s, 6, last)
        } else {
            is_ipv4(s, 1, last)
        };
    }
    let mut label = 0;
    let mut i = 0;
    while i < s.len() {
        match s[i] {
            b'.' => {
                if label == 0 || s[i - 1] == b'-' {
                    return false;
                }
                label = 0;
            }
            b'-' if label == 0 => return false,
            b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' if label < 63 => label += 1,
            _ => return false,
        }
        i += 1;
    }
    label > 0 && s[s.len() - 1] != b'-'
}

/// An absolute URI by RFC 3986: a scheme, and nothing that would have to be escaped.
pub(crate) const fn is_uri(text: &str) -> bool {
    let s = text.as_bytes();
    let mut i = 0;
    while i < s.len() && (s[i].is_ascii_alphanumeric() || is_in(s[i], b"+-.")) {
        i += 1;
    }
    if i == 0 || i == s.len() || s[i] != b':' || !s[0].is_ascii_alphabetic() {
        return false;
    }
    i += 1;
    if i + 1 < s.len() && s[i] == b'/' && s[i + 1] == b'/' {
        let start = i + 2;
        i = start;
        while i < s.len() && !matches!(s[i], b'/' | b'?' | b'#') {
            i += 1;
        }
        if !is_authority(s, start, i) {
            return false;
        }
    }
    let mut in_fragment = false;
    while i < s.len() {
        let fine = match s[i] {
            b'#' if !in_fragment => {
                in_fragment = true;
                true
            }
            b'/' | b'?' | b':' | b'@' => true,
            _ => is_uri_char(s, i),
        };
        if !fine {
            return false;
        }
        i += 1;
    }
    true
}

const fn is_authority(s: &[u8], start: usize, end: usize) -> bool {
    let mut host = end;
    while host > start && s[host - 1] != b'@' {
        host -= 1;
    }
    let mut i = start;
    while i + 1 < host {
        if s[i] != b':' && !is_uri_char(s, i) {
            return false;
        }
        i += 1;
    }
    i = host;
    if i < end && s[i] == b'[' {
        while i < end && s[i] != b']' {
            i += 1;
        }
        if i == end || !is_ipv6(s, host + 1, i) {
            return false;
        }
        i += 1;
        if i < end && s[i] != b':' {
            return false;
        }
    }
    while i < end && s[i] != b':' {
        if !is_uri_char(s, i) {
            return false;
        }
        i += 1;
    }
    i += 1;
    while i < end {
        if !s[i].is_ascii_digit() {
            return false;
        }
        i += 1;
    }
    true
}

/// Unreserved characters, sub-delimiters, and `%` with two hexadecimal digits after it.
const fn is_uri_char(s: &[u8], i: usize) -> bool {
    match s[i] {
        b'%' => i + 2 < s.len() && s[i + 1].is_ascii_hexdigit() && s[i + 2].is_ascii_hexdigit(),
        byte => byte.is_ascii_alphanumeric() || is_in(byte, b"-._~!$&'()*+,;="),
    }
}

const fn is_ipv4(s: &[u8], start: usize, end: usize) -> bool {
    let (mut parts, mut digits, mut value) = (1, 0, 0u32);
    let mut i = start;
    while i < end {
        match s[i] {
            b'.' if digits > 0 && parts < 4 => {
                parts += 1;
                digits = 0;
                value = 0;
            }
            // No leading zeros, which some readers take for octal.
            b'0'..=b'9' if digits == 0 || value > 0 => {
                value = value * 10 + (s[i] - b'0') as u32;
                digits += 1;
                if value > 255 {
                    return false;
                }
            }
            _ => return false,
        }
        i += 1;
    }
    parts == 4 && digits > 0
}

const fn is_ipv6(s: &[u8], start: usize, end: usize) -> bool {
    let (mut groups, mut compressed) = (0, false);
    let mut i = start;
    if i + 1 < end && s[i] == b':' && s[i + 1] == b':' {
        compressed = true;
        i += 2;
    }
    while i < end {
        let group = i;
        while i < end && s[i].is_ascii_hexdigit() {
            i += 1;
        }
        if i < end && s[i] == b'.' {
            groups += 2;
            return is_ipv4(s, group, end) && (groups == 8 || (compressed && groups < 8));
        }
        if i == group || i - group > 4 {
            return false;
        }
        groups += 1;
        if i == end {
            break;
        }
        if s[i] != b':' || i + 1 == end {
            return false;
        }
        i += 1;
        if s[i] == b':' {
            if compressed {
                return false;
            }
            compressed = true;
            i += 1;
        }
    }
    groups == 8 || (compressed && groups < 8)
}

/// A day of the Gregorian calendar: `YYYY-MM-DD`.
pub(crate) const fn is_date(text: &str) -> bool {
    let s = text.as_bytes();
    s.len() == 10 && date_at_start(s)
}

const fn date_at_start(s: &[u8]) -> bool {
    let (Some(year), Some(month), Some(day)) = (number(s, 0, 4), number(s, 5, 2), number(s, 8, 2))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    s[4] == b'-' && s[7] == b'-' && day >= 1 && day <= days
}

/// A point in time by RFC 3339, with an offset; a leap second only where one can be.
pub(crate) const fn is_date_time(text: &str) -> bool {
    let s = text.as_bytes();
    if s.len() < 20 || !date_at_start(s) || !matches!(s[10], b'T' | b't') {
        return false;
    }
    let (Some(hour), Some(minute), Some(second)) =
        (number(s, 11, 2), number(s, 14, 2), number(s, 17, 2))
    else {
        return false;
    };
    if s[13] != b':' || s[16] != b':' || hour > 23 || minute > 59 || second > 60 {
        return false;
    }
    let mut i = 19;
    if s[i] == b'.' {
        i += 1;
        let first = i;
        while i < s.len() && s[i].is_ascii_digit() {
            i += 1;
        }
        if i == first {
            return false;
        }
    }
    let offset = match s.len() - i {
        1 if matches!(s[i], b'Z' | b'z') => 0,
        6 if matches!(s[i], b'+' | b'-') && s[i + 3] == b':' => {
            let (Some(hours), Some(minutes)) = (number(s, i + 1, 2), number(s, i + 4, 2)) else {
                return false;
            };
            if hours > 23 || minutes > 59 {
                return false;
            }
            let size = hours * 60 + minutes;
            if s[i] == b'-' { -size } else { size }
        }
        _ => return false,
    };
    second < 60 || (hour * 60 + minute - offset).rem_euclid(24 * 60) == 24 * 60 - 1
}

/// The number that these digits write; `None` if there are other characters or too few.
const fn number(s: &[u8], start: usize, len: usize) -> Option<i32> {
    if start + len > s.len() {
        return None;
    }
    let mut value = 0;
    let mut i = start;
    while i < start + len {
        if !s[i].is_ascii_digit() {
            return None;
        }
        value = value * 10 + (s[i] - b'0') as i32;
        i += 1;
    }
    Some(value)
}

const fn is_in(byte: u8, set: &[u8]) -> bool {
    let mut i = 0;
    while i < set.len() {
        if set[i] == byte {
            return true;
        }
        i += 1;
    }
    false
}

const fn starts_with(s: &[u8], start: &[u8]) -> bool {
    let mut i = 0;
    while i < start.len() {
        if i >= s.len() || s[i] != start[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
#[path = "formats_tests.rs"]
mod tests;
