//! Recognises names of things that a form must not ask for.
//!
//! Works in constant expressions, so that a derived form that asks for a password does not compile.

/// What to tell an author whose form asks for one.
pub(crate) const ADVICE: &str = "a form must not ask for passwords, keys, tokens or payment credentials: send the person \
     to a page of your own with `elicit_url`, or state that this is no secret with `not_secret`";

/// One word, as written between separators or humps of a name.
const WORDS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accesstoken",
    "authtoken",
    "clientsecret",
    "pin",
    "otp",
    "totp",
    "cvv",
    "cvc",
    "credential",
    "credentials",
    "cardnumber",
    "passwort",
    "kennwort",
];

/// Two words in a row.
const PAIRS: &[(&str, &str)] = &[
    ("api", "key"),
    ("access", "key"),
    ("private", "key"),
    ("signing", "key"),
    ("encryption", "key"),
    ("ssh", "key"),
    ("card", "number"),
    ("credit", "card"),
    ("debit", "card"),
    ("security", "code"),
    ("verification", "code"),
    ("recovery", "code"),
    ("backup", "code"),
    ("seed", "phrase"),
    ("recovery", "phrase"),
    ("pass", "word"),
];

/// Found anywhere: scripts that do not put spaces between words.
const ANYWHERE: &[&str] = &[
    "密码",
    "密碼",
    "口令",
    "密钥",
    "密鑰",
    "令牌",
    "验证码",
    "パスワード",
    "비밀번호",
    "пароль",
];

/// The word of the text that names a secret. Case and the style of separators do not matter, parts of longer
/// words do not count: "secretary" is fine.
pub(crate) const fn word_in(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < ANYWHERE.len() {
        if contains(bytes, ANYWHERE[i].as_bytes()) {
            return Some(ANYWHERE[i]);
        }
        i += 1;
    }
    let mut last = (0, 0);
    let mut start = 0;
    while let Some((from, to)) = next_word(bytes, start) {
        let mut i = 0;
        while i < WORDS.len() {
            if same(bytes, from, to, WORDS[i]) {
                return Some(WORDS[i]);
            }
            i += 1;
        }
        let mut i = 0;
        while i < PAIRS.len() {
            if same(bytes, last.0, last.1, PAIRS[i].0) && same(bytes, from, to, PAIRS[i].1) {
                return Some(PAIRS[i].1);
            }
            i += 1;
        }
        last = (from, to);
        start = to;
    }
    None
}

/// Where the next word lies: letters and digits, ended by anything else or by a capital after a small letter.
const fn next_word(bytes: &[u8], mut start: usize) -> Option<(usize, usize)> {
    while start < bytes.len() && !is_word(bytes[start]) {
        start += 1;
    }
    let mut end = start;
    while end < bytes.len() && is_word(bytes[end]) {
        if end > start && bytes[end].is_ascii_uppercase() && bytes[end - 1].is_ascii_lowercase() {
            break;
        }
        end += 1;
    }
    if end > start {
        Some((start, end))
    } else {
        None
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

const fn same(bytes: &[u8], from: usize, to: usize, word: &str) -> bool {
    let word = word.as_bytes();
    if to - from != word.len() {
        return false;
    }
    let mut i = 0;
    while i < word.len() {
        if bytes[from + i].to_ascii_lowercase() != word[i] {
            return false;
        }
        i += 1;
    }
    true
}

const fn contains(bytes: &[u8], part: &[u8]) -> bool {
    let mut at = 0;
    while at + part.len() <= bytes.len() {
        let mut i = 0;
        while i < part.len() && bytes[at + i] == part[i] {
            i += 1;
        }
        if i == part.len() {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::word_in;

    #[test]
    fn names_of_secrets_are_recognised_in_every_style() {
        for name in [
            "password",
            "userPassword",
            "NEW_PASSWORD",
            "api_key",
            "apiKey",
            "API key",
            "github-token",
            "PIN",
            "pin_code",
            "card number",
            "oneTimeOtp",
            "Your password, please",
            "请输入密码",
        ] {
            assert!(word_in(name).is_some(), "{name}");
        }
    }

    #[test]
    fn parts_of_longer_words_are_not_secrets() {
        for name in [
            "secretary",
            "pinned",
            "spinner",
            "tokens",
            "max_tokens",
            "key",
            "card",
            "number",
            "code",
            "",
        ] {
            assert_eq!(word_in(name), None, "{name}");
        }
    }
}
