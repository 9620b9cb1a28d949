//! Doc comments as text.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The paragraphs of a doc comment, each on one line; `None` when there is no text.
pub(crate) fn text(attributes: &[Attribute]) -> Option<String> {
    let mut paragraphs: Vec<String> = vec![String::new()];
    for line in attributes
        .iter()
        .filter_map(line)
        .flat_map(|text| lines(&text))
    {
        match (line.is_empty(), paragraphs.last_mut()) {
            (true, Some(last)) if !last.is_empty() => paragraphs.push(String::new()),
            (false, Some(last)) => {
                if !last.is_empty() {
                    last.push(' ');
                }
                last.push_str(&line);
            }
            _ => {}
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    (!paragraphs.is_empty()).then(|| paragraphs.join("\n"))
}

fn line(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// One line per `///`, several per `/** */`.
fn lines(text: &str) -> Vec<String> {
    text.split('\n')
        .map(|line| line.trim().trim_start_matches("* ").to_owned())
        .collect()
}
