//! Writes a form as the JSON of `requestedSchema`.

use std::fmt::Write as _;

use super::field::{Choice, Field, FieldKind};
use super::write::{write_array, write_string};

pub(crate) fn render(fields: &[Field]) -> String {
    let mut out = String::from("{\"type\":\"object\",\"properties\":{");
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_string(&mut out, &field.name);
        out.push(':');
        property(&mut out, field);
    }
    out.push('}');
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| &*field.name)
        .collect();
    if !required.is_empty() {
        out.push_str(",\"required\":");
        write_array(&mut out, required);
    }
    out.push('}');
    out
}

fn property(out: &mut String, field: &Field) {
    let kind = match &field.kind {
        FieldKind::Text(_) | FieldKind::Select(_) => "string",
        FieldKind::Number(number) if number.integer => "integer",
        FieldKind::Number(_) => "number",
        FieldKind::Boolean(_) => "boolean",
        FieldKind::MultiSelect(_) => "array",
    };
    out.push_str("{\"type\":\"");
    out.push_str(kind);
    out.push('"');
    string(out, "title", field.title.as_deref());
    string(out, "description", field.description.as_deref());
    match &field.kind {
        FieldKind::Text(text) => {
            plain(out, "minLength", text.min_length);
            plain(out, "maxLength", text.max_length);
            string(
                out,
                "format",
                text.format.as_ref().map(|format| format.name()),
            );
        }
        FieldKind::Number(number) => {
            plain(out, "minimum", number.minimum.as_ref());
            plain(out, "maximum", number.maximum.as_ref());
        }
        FieldKind::Boolean(_) => {}
        FieldKind::Select(select) => {
            out.push(',');
            choices(out, &select.options, "oneOf");
        }
        FieldKind::MultiSelect(many) => {
            plain(out, "minItems", many.min_items);
            plain(out, "maxItems", many.max_items);
            let titled = many.options.iter().any(|option| option.title.is_some());
            out.push_str(if titled {
                ",\"items\":{"
            } else {
                ",\"items\":{\"type\":\"string\","
            });
            choices(out, &many.options, "anyOf");
            out.push('}');
        }
    }
    if let Some(default) = field.default_value() {
        out.push_str(",\"default\":");
        default.write(out);
    }
    out.push('}');
}

fn choices(out: &mut String, options: &[Choice], titled: &str) {
    if options.iter().all(|option| option.title.is_none()) {
        out.push_str("\"enum\":");
        return write_array(out, options.iter().map(|option| &*option.value));
    }
    out.push('"');
    out.push_str(titled);
    out.push_str("\":[");
    for (i, option) in options.iter().enumerate() {
        out.push_str(if i > 0 { ",{\"const\":" } else { "{\"const\":" });
        write_string(out, &option.value);
        out.push_str(",\"title\":");
        write_string(out, option.label());
        out.push('}');
    }
    out.push(']');
}

fn string(out: &mut String, keyword: &str, text: Option<&str>) {
    if let Some(text) = text {
        out.push_str(",\"");
        out.push_str(keyword);
        out.push_str("\":");
        write_string(out, text);
    }
}

fn plain<T: std::fmt::Display>(out: &mut String, keyword: &str, value: Option<T>) {
    if let Some(value) = value {
        // Writing to a string cannot fail.
        let _ = write!(out, ",\"{keyword}\":{value}");
    }
}
