//! Taking out of a server's text what would act on a terminal instead of being read.

use std::iter::Peekable;
use std::str::Chars;

use unicode_width::UnicodeWidthChar as _;

/// How many marks without a width may follow each other: more would draw over other lines.
const MAX_MARKS: usize = 8;

const ESC: char = '\u{1b}';

/// `text` without control sequences, with its line ends and tabs.
///
/// Whole sequences go (colours, cursor movements, window titles, hyperlinks), and so do all other C0
/// and C1 controls and the invisible characters that reorder or hide text. Every kind of line end
/// becomes `\n`, so that nothing can be written over.
pub(crate) fn block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut marks = 0;
    while let Some(c) = chars.next() {
        let keep = match c {
            '\n' | '\t' => Some(c),
            '\r' => {
                chars.next_if_eq(&'\n');
                Some('\n')
            }
            '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
            ESC => {
                escape(&mut chars);
                None
            }
            '\u{9b}' => {
                control_sequence(&mut chars);
                None
            }
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => {
                string(&mut chars);
                None
            }
            c if c.is_control() || is_hidden(c) => None,
            c => Some(c),
        };
        let Some(c) = keep else { continue };
        marks = if c.width() == Some(0) { marks + 1 } else { 0 };
        if marks <= MAX_MARKS {
            out.push(c);
        }
    }
    out
}

/// `text` as one line of at most `limit` characters, for labels and names.
pub(crate) fn line(text: &str, limit: usize) -> String {
    let text = block(text);
    let mut out = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
            count += 1;
        }
        for c in word.chars() {
            if count >= limit {
                out.push('…');
                return out;
            }
            out.push(c);
            count += 1;
        }
    }
    out
}

/// [`block`] without empty lines around it, cut after `lines` lines or `limit` characters with a
/// last line that says so.
pub(crate) fn cut(text: &str, lines: usize, limit: usize) -> String {
    let text = block(text);
    let text = text.trim_matches('\n').trim_end();
    let by_lines = text.match_indices('\n').nth(lines.saturating_sub(1));
    let by_limit = text.char_indices().nth(limit);
    let ends = [by_lines.map(|(at, _)| at), by_limit.map(|(at, _)| at)];
    let Some(end) = ends.into_iter().flatten().min() else {
        return text.to_owned();
    };
    let left = text[end..].chars().count();
    format!("{}\n[{left} more characters are not shown]", &text[..end])
}

/// `text` with every character that is not plain ASCII text as a JSON escape, for JSON that goes to a
/// terminal. JSON has such characters inside strings only, so its meaning stays the same.
pub(crate) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let harmless = matches!(c, '\n' | '\t') || (!c.is_control() && !is_hidden(c));
        if harmless {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

/// After an escape character.
fn escape(chars: &mut Peekable<Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            string(chars);
        }
        Some(' '..='~') => {
            while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
            chars.next_if(|c| matches!(c, '0'..='~'));
        }
        _ => {}
    }
}

/// After a control sequence introducer.
fn control_sequence(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| matches!(c, '0'..='?')).is_some() {}
    while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// After the start of a control string: to its end, or to the control character that breaks it off.
fn string(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| !c.is_control()).is_some() {}
    match chars.peek() {
        Some('\u{7}' | '\u{9c}') => {
            chars.next();
        }
        Some(&ESC) => {
            let mut ahead = chars.clone();
            ahead.next();
            if ahead.next() == Some('\\') {
                *chars = ahead;
            }
        }
        _ => {}
    }
}

/// Characters without a shape that reorder, join or hide what is around them, and letters that are
/// blank, with which a line could be filled up. Joiners stay, since scripts and emoji need them.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_control_sequences_go() {
        for (text, clean) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{1b}[2J\u{1b}[1;1Hb", "ab"),
            ("\u{1b}]0;title\u{7}x", "x"),
            (
                "\u{1b}]8;;https://evil.example\u{1b}\\click\u{1b}]8;;\u{1b}\\",
                "click",
            ),
            ("\u{9b}31mred", "red"),
            ("\u{9d}0;title\u{9c}x", "x"),
            ("\u{1b}Pq#0\u{1b}\\x", "x"),
            ("\u{1b}(0x", "x"),
            ("\u{1b}cx", "x"),
            ("x\u{1b}", "x"),
            ("x\u{1b}[", "x"),
            ("a\u{8}\u{7f}\u{0}b", "ab"),
        ] {
            assert_eq!(block(text), clean, "{text:?}");
        }
    }

    #[test]
    fn a_control_string_without_an_end_hides_no_later_line() {
        assert_eq!(block("\u{1b}]0;title\nshown"), "\nshown");
        assert_eq!(block("\u{1b}]0;title\u{1b}[1mshown"), "shown");
    }

    #[test]
    fn what_reorders_or_hides_text_goes_and_joiners_stay() {
        assert_eq!(block("pay\u{202e}gpj\u{2066}.exe\u{200b}"), "paygpj.exe");
        assert_eq!(line("x\u{2800}\u{3164}\u{a0}\u{3000}y", 9), "x y");
        assert_eq!(block("x\u{e0041}\u{e0042}\u{ad}y"), "xy");
        assert_eq!(block("👩\u{200d}👧"), "👩\u{200d}👧");
    }

    #[test]
    fn nothing_can_be_written_over() {
        assert_eq!(
            block("safe\revil\r\nx\u{85}y\u{2028}z\tt"),
            "safe\nevil\nx\ny\nz\tt"
        );
    }

    #[test]
    fn stacked_marks_end() {
        let stacked = format!("a{}b", "\u{301}".repeat(100));
        assert_eq!(block(&stacked).chars().count(), 2 + MAX_MARKS);
    }

    #[test]
    fn a_line_is_one_bounded_line() {
        assert_eq!(line("  two\n\twords\u{1b}[0m ", 40), "two words");
        assert_eq!(line("abcdef", 3), "abc…");
        assert_eq!(line("abc", 3), "abc");
    }

    #[test]
    fn long_messages_are_cut_and_say_so() {
        assert_eq!(cut("\n\nhello\n", 3, 100), "hello");
        assert_eq!(
            cut("a\nb\nc\nd", 2, 100),
            "a\nb\n[4 more characters are not shown]"
        );
        assert_eq!(
            cut("abcdef", 9, 4),
            "abcd\n[2 more characters are not shown]"
        );
    }

    #[test]
    fn json_keeps_its_meaning() {
        let text = "{\"a\":\"x\u{9b}\u{202e}é\u{e0041}\"}";
        let shown = json(text);
        assert!(
            shown.chars().all(|c| !c.is_control() && !is_hidden(c)),
            "{shown}"
        );
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        assert_eq!(value(&shown), value(text));
    }

    proptest::proptest! {
        #[test]
        fn no_text_leaves_a_control_character(text in "\\PC*|[\\x00-\\x9f\\[\\]0-9;a-zA-Z\u{202e}]*") {
            let clean = block(&text);
            assert!(!clean.chars().any(|c| is_hidden(c) || (c.is_control() && c != '\n' && c != '\t')));
            assert_eq!(block(&clean), clean);
        }
    }
}
