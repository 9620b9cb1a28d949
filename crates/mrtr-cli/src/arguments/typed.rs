//! One value by the types that a JSON schema allows.

use mrtr::form::Number;
use serde_json::Value;
use serde_json::value::RawValue;

/// How many references are followed.
const HOPS: usize = 16;

/// The types that a value may have. None at all: nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Types {
    string: bool,
    integer: bool,
    number: bool,
    boolean: bool,
    null: bool,
    array: bool,
    object: bool,
}

impl Types {
    fn is_known(self) -> bool {
        self != Self::default()
    }

    fn add(&mut self, name: &str) {
        match name {
            "string" => self.string = true,
            "integer" => self.integer = true,
            "number" => self.number = true,
            "boolean" => self.boolean = true,
            "null" => self.null = true,
            "array" => self.array = true,
            "object" => self.object = true,
            _ => {}
        }
    }

    /// The type of a value that is allowed as such.
    fn add_of(&mut self, value: &Value) {
        self.add(match value {
            Value::String(_) => "string",
            Value::Number(_) => "number",
            Value::Bool(_) => "boolean",
            Value::Null => "null",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        });
    }

    fn expected(self) -> String {
        let names = [
            (self.integer, "a whole number"),
            (self.number, "a number"),
            (self.boolean, "true or false"),
            (self.array, "a JSON array"),
            (self.object, "a JSON object"),
            (self.null, "null"),
        ];
        let names = names
            .iter()
            .filter(|(allowed, _)| *allowed)
            .map(|(_, name)| *name);
        names.collect::<Vec<_>>().join(" or ")
    }
}

/// The types that `schema` allows for the member `key`.
pub(super) fn types(schema: &Value, key: &str) -> Types {
    let mut types = Types::default();
    collect(schema, &schema["properties"][key], &mut types, HOPS);
    types
}

fn collect(root: &Value, schema: &Value, types: &mut Types, hops: usize) {
    if hops == 0 {
        return;
    }
    match &schema["type"] {
        Value::String(name) => types.add(name),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .for_each(|name| types.add(name)),
        _ => {
            if let Some(values) = schema["enum"].as_array() {
                values.iter().for_each(|value| types.add_of(value));
            }
            if let Some(value) = schema.get("const") {
                types.add_of(value);
            }
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let branches = schema[keyword].as_array();
        for branch in branches.into_iter().flatten() {
            collect(root, branch, types, hops - 1);
        }
    }
    let target = schema["$ref"]
        .as_str()
        .and_then(|target| target.strip_prefix('#'));
    if let Some(target) = target.and_then(|pointer| root.pointer(pointer)) {
        collect(root, target, types, hops - 1);
    }
}

/// `text` as a value of one of `types`. Of several that fit, the narrowest; text only where nothing
/// else does.
///
/// # Errors
/// What was expected, in words.
pub(super) fn value(text: &str, types: Types) -> Result<Box<RawValue>, String> {
    if !types.is_known() {
        return Ok(super::string(text));
    }
    let trimmed = text.trim();
    let raw = |text: &str| RawValue::from_string(text.to_owned()).ok();
    if let Some(number) = Number::parse(trimmed)
        && (types.number || (types.integer && number.is_integer()))
    {
        return raw(number.as_str()).ok_or_else(|| types.expected());
    }
    if types.boolean {
        match trimmed.to_lowercase().as_str() {
            "true" | "yes" => return raw("true").ok_or_else(|| types.expected()),
            "false" | "no" => return raw("false").ok_or_else(|| types.expected()),
            _ => {}
        }
    }
    let starts = |open| trimmed.starts_with(open);
    let json = (types.null && trimmed == "null")
        || (types.array && starts('['))
        || (types.object && starts('{'));
    if json && let Some(value) = raw(trimmed) {
        return Ok(value);
    }
    if types.string {
        return Ok(super::string(text));
    }
    Err(types.expected())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(schema: &Value, text: &str) -> Result<String, String> {
        let schema = json!({ "properties": { "k": schema }, "$defs": {
            "level": { "type": "integer" }, "loop": { "$ref": "#/$defs/loop" } } });
        value(text, types(&schema, "k")).map(|value| value.get().to_owned())
    }

    #[test]
    fn values_are_read_by_their_type() {
        for (schema, text, value) in [
            (json!({"type": "string"}), "7", "\"7\""),
            (json!({"type": "string"}), "true", "\"true\""),
            (
                json!({"type": "integer"}),
                "9007199254740993",
                "9007199254740993",
            ),
            (json!({"type": "integer"}), "1.0", "1.0"),
            (json!({"type": "number"}), "36.6", "36.6"),
            (json!({"type": "boolean"}), "True", "true"),
            (json!({"type": "boolean"}), "no", "false"),
            (json!({"type": "array"}), "[1, 2]", "[1, 2]"),
            (json!({"type": "object"}), "{\"a\":1}", "{\"a\":1}"),
            (json!({"type": ["integer", "null"]}), "null", "null"),
            (json!({"type": ["string", "null"]}), "null", "null"),
            (
                json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
                "x",
                "\"x\"",
            ),
            (
                json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
                "7",
                "7",
            ),
            (json!({"enum": ["a", "7"]}), "7", "\"7\""),
            (json!({"$ref": "#/$defs/level"}), "7", "7"),
            (json!({}), "7", "\"7\""),
            (json!(true), "7", "\"7\""),
        ] {
            assert_eq!(read(&schema, text).as_deref(), Ok(value), "{schema} {text}");
        }
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        for (schema, text, expected) in [
            (json!({"type": "integer"}), "seven", "a whole number"),
            (json!({"type": "integer"}), "1.5", "a whole number"),
            (json!({"type": "boolean"}), "1", "true or false"),
            (json!({"type": "array"}), "[1,", "a JSON array"),
            (json!({"type": ["number", "null"]}), "", "a number or null"),
        ] {
            assert_eq!(
                read(&schema, text),
                Err(expected.to_owned()),
                "{schema} {text}"
            );
        }
    }

    #[test]
    fn a_reference_to_itself_ends() {
        assert_eq!(
            read(&json!({"$ref": "#/$defs/loop"}), "7").as_deref(),
            Ok("\"7\"")
        );
    }
}
