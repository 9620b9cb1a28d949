//! Values that are known from the type of an argument.

use serde_json::Value;

/// The values a schema allows, when they are texts or booleans and it says all
/// of them. `null` is none.
pub(crate) fn choices(schema: &Value) -> Option<Vec<String>> {
    let mut found = Vec::new();
    collect(schema, &mut found)?;
    (!found.is_empty()).then_some(found)
}

fn collect(schema: &Value, found: &mut Vec<String>) -> Option<()> {
    if let Some(value) = schema.get("const") {
        return add(value, found);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().try_for_each(|value| add(value, found));
    }
    for branches in ["oneOf", "anyOf"] {
        if let Some(branches) = schema.get(branches).and_then(Value::as_array) {
            return branches
                .iter()
                .try_for_each(|branch| collect(branch, found));
        }
    }
    let types: &[Value] = match schema.get("type")? {
        Value::Array(types) => types,
        one => std::slice::from_ref(one),
    };
    types.iter().try_for_each(|kind| match kind.as_str()? {
        "boolean" => {
            found.extend(["true", "false"].map(str::to_owned));
            Some(())
        }
        "null" => Some(()),
        _ => None,
    })
}

fn add(value: &Value, found: &mut Vec<String>) -> Option<()> {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Null => {}
        _ => return None,
    }
    Some(())
}

/// Of `choices`, those that begin with `typed`, then those that contain it.
pub(super) fn matching<S: Into<String>>(
    typed: &str,
    choices: impl IntoIterator<Item = S>,
) -> Vec<String> {
    let typed = typed.to_lowercase();
    let (mut first, mut then) = (Vec::new(), Vec::new());
    for choice in choices {
        let choice = choice.into();
        match choice.to_lowercase().find(&typed) {
            Some(0) => first.push(choice),
            Some(_) => then.push(choice),
            None => {}
        }
    }
    first.append(&mut then);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn choices_are_known_of_types_with_few_values() {
        for (schema, expected) in [
            (
                json!({"enum": ["a", "b"], "type": "string"}),
                &["a", "b"][..],
            ),
            (
                json!({"oneOf": [{"const": "a", "description": "A"}, {"enum": ["b"]}]}),
                &["a", "b"],
            ),
            (
                json!({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}),
                &["a"],
            ),
            (json!({"enum": ["a", null]}), &["a"]),
            (json!({"type": ["boolean", "null"]}), &["true", "false"]),
        ] {
            assert_eq!(choices(&schema).expect("choices"), expected, "{schema}");
        }
        for schema in [
            json!({"type": "string"}),
            json!({"type": ["string", "null"]}),
            json!({"anyOf": [{"const": "a"}, {"type": "string"}]}),
            json!({"enum": ["a", 1]}),
            json!({"type": "null"}),
            json!(true),
        ] {
            assert_eq!(choices(&schema), None, "{schema}");
        }
    }

    #[test]
    fn what_begins_with_the_typed_text_comes_before_what_contains_it() {
        let found = matching("PY", ["happy", "Python", "rust", "pypy"]);
        assert_eq!(found, ["Python", "pypy", "happy"]);
        assert_eq!(matching("", ["b", "a"]), ["b", "a"]);
    }
}
