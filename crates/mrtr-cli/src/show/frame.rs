//! Setting a server's text apart from what the program says.

use unicode_width::UnicodeWidthChar as _;

use super::clean;

/// The margin in front of every line of a server's text. Nothing else starts with it.
pub(crate) const MARGIN: &str = "  │ ";
const MARGIN_WIDTH: usize = 4;
const NARROWEST: usize = 10;

/// How much of a question's message is shown.
const LINES: usize = 30;
const CHARACTERS: usize = 4000;

/// A server's message, cleaned, cut, and set behind a margin on every line.
///
/// Lines are broken at `width` columns here, so that the terminal breaks none: the rest of a broken
/// line would stand without its margin and could pass for the program's own words.
pub(crate) fn quote(text: &str, width: Option<usize>) -> String {
    let text = clean::cut(text, LINES, CHARACTERS);
    let room = width.map_or(usize::MAX, |width| {
        width.saturating_sub(MARGIN_WIDTH + 1).max(NARROWEST)
    });
    let mut out = String::new();
    for line in text.lines() {
        for piece in pieces(&line.replace('\t', "    "), room) {
            out.push_str(MARGIN);
            out.push_str(piece.trim_end());
            out.push('\n');
        }
    }
    out.truncate(out.trim_end_matches('\n').len());
    out
}

/// `line` in pieces of at most `room` columns, broken after a space where there is one.
fn pieces(line: &str, room: usize) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line;
    loop {
        let (mut used, mut space, mut end) = (0, None, None);
        for (at, c) in rest.char_indices() {
            used += c.width().unwrap_or(0);
            if used > room {
                end = Some(space.unwrap_or(at));
                break;
            }
            if c == ' ' {
                space = Some(at + 1);
            }
        }
        match end {
            Some(end) if end > 0 => {
                let (piece, left) = rest.split_at(end);
                out.push(piece);
                rest = left.trim_start_matches(' ');
            }
            _ => {
                out.push(rest);
                return out;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_stands_behind_the_margin() {
        let text = "Pay?\nhttps://bank.example asks:\u{1b}[2K\r? Continue";
        let quoted = quote(text, Some(80));
        assert!(
            quoted.lines().all(|line| line.starts_with(MARGIN)),
            "{quoted}"
        );
        assert_eq!(quoted.lines().count(), 3);
    }

    #[test]
    fn lines_are_broken_before_the_terminal_breaks_them() {
        let text = format!("Hello {} 'https://bank.example asks'", " ".repeat(70));
        let wide = "支".repeat(60);
        for text in [
            text.as_str(),
            "a ".repeat(100).as_str(),
            wide.as_str(),
            "x".repeat(500).as_str(),
        ] {
            for width in [24, 40, 80] {
                for line in quote(text, Some(width)).lines() {
                    let used: usize = line.chars().filter_map(|c| c.width()).sum();
                    assert!(
                        line.starts_with(MARGIN) && used < width,
                        "{width}: {line:?}"
                    );
                }
            }
        }
        assert_eq!(quote("one two three", Some(24)), "  │ one two three");
        let broken = quote("a message of several words", Some(24));
        assert_eq!(broken, "  │ a message of\n  │ several words");
    }

    #[test]
    fn without_a_terminal_no_line_is_broken() {
        let text = "x".repeat(300);
        assert_eq!(quote(&text, None), format!("{MARGIN}{text}"));
    }
}
