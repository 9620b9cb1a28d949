//! JSON for people: indented, otherwise as it came.

use super::clean;

/// `json` with line ends and indentation. Members keep their order and numbers their digits, which a
/// detour over a tree of values would not promise. `json` must be valid.
pub(crate) fn json(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                out.push(c);
                while let Some(c) = chars.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|c| c.is_ascii_whitespace()).is_some() {}
                match chars.next_if(|c| matches!(c, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        depth += 1;
                        indent(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                indent(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                indent(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    clean::json(&out)
}

fn indent(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use super::json;

    #[test]
    fn order_and_digits_stay() {
        let text = r#"{"z":9007199254740993.0,"a":[1, {"s":"a,b:{\"\\"}],"e":{},"n":[ ]}"#;
        let pretty = "{\n  \"z\": 9007199254740993.0,\n  \"a\": [\n    1,\n    {\n      \
                      \"s\": \"a,b:{\\\"\\\\\"\n    }\n  ],\n  \"e\": {},\n  \"n\": []\n}";
        assert_eq!(json(text), pretty);
        assert_eq!(json(pretty), pretty);
    }
}
