//! How much work it is to check a value against a schema of somebody else.

use std::collections::HashMap;

use serde_json::Value;

/// Most subschemas, with all references followed.
const MOST_PARTS: u64 = 100_000;
/// Most of them within each other, references followed.
const MOST_DEPTH: usize = 256;
/// Most subschemas that one content is checked against, counted once for each of its values.
const MOST_STEPS: u64 = 20_000_000;
/// Most bytes of text that are matched, counted once for each pattern.
const MOST_MATCHED: u64 = 1024 * 1024;

/// What checking costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    Bounded(Work),
    /// There is too much of the schema, or it leads back into itself: how often depends on the value,
    /// and may double with each level of it.
    Unbounded,
    /// What the schema refers to is not in it.
    Elsewhere(String),
}

/// What a value is checked against at most, with all references followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    parts: u64,
    patterns: u64,
}

impl Work {
    pub(super) fn is_bearable(self, size: Size) -> bool {
        self.parts.saturating_mul(size.values) <= MOST_STEPS
            && self.patterns.saturating_mul(size.text) <= MOST_MATCHED
    }
}

/// How much there is to be checked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    values: u64,
    /// Bytes of texts and names.
    text: u64,
}

impl Size {
    pub(super) fn of(value: &Value) -> Self {
        let mut size = Self::default();
        size.add(value);
        size
    }

    fn add(&mut self, value: &Value) {
        self.values += 1;
        match value {
            Value::String(text) => self.text += text.len() as u64,
            Value::Array(elements) => elements.iter().for_each(|element| self.add(element)),
            Value::Object(members) => {
                for (name, value) in members {
                    self.text += name.len() as u64;
                    self.add(value);
                }
            }
            _ => {}
        }
    }
}

impl Cost {
    pub(super) fn of(schema: &Value) -> Self {
        let own = schema.get("$id").and_then(Value::as_str);
        let mut count = Count {
            root: schema,
            own: own.map(|id| id.strip_suffix('#').unwrap_or(id)),
            known: HashMap::new(),
            depth: 0,
        };
        count.of(schema).map_or_else(|cost| cost, Self::Bounded)
    }
}

struct Count<'a> {
    root: &'a Value,
    /// The schema's own address.
    own: Option<&'a str>,
    /// By where the part of the schema lies in memory; `None` while it is being counted.
    known: HashMap<*const Value, Option<Work>>,
    depth: usize,
}

impl<'a> Count<'a> {
    fn of(&mut self, part: &'a Value) -> Result<Work, Cost> {
        match self.known.get(&std::ptr::from_ref(part)) {
            Some(None) => return Err(Cost::Unbounded),
            Some(Some(known)) => return Ok(*known),
            None => self.known.insert(part, None),
        };
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(Cost::Unbounded);
        }
        let mut work = Work {
            parts: 1,
            patterns: 0,
        };
        match part {
            Value::Array(elements) => {
                for element in elements {
                    work.add(self.of(element)?)?;
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    work.add(self.member(part, name, value)?)?;
                }
            }
            _ => {}
        }
        self.depth -= 1;
        self.known.insert(part, Some(work));
        Ok(work)
    }

    fn member(&mut self, part: &Value, name: &str, value: &'a Value) -> Result<Work, Cost> {
        match (name, value) {
            ("$ref", Value::String(reference)) => self.of(self.target(reference)?),
            ("$dynamicRef" | "$recursiveRef", Value::String(_)) => Err(Cost::Unbounded),
            // References in there start from another address.
            ("$id", Value::String(_)) if !std::ptr::eq(part, self.root) => Err(Cost::Unbounded),
            ("pattern", Value::String(_)) => Ok(Work {
                parts: 1,
                patterns: 1,
            }),
            ("patternProperties", Value::Object(members)) => {
                let mut work = self.of(value)?;
                work.patterns += members.len() as u64;
                Ok(work)
            }
            // Most likely no schemas, but what one is made of as data.
            ("const" | "default" | "enum" | "examples", _) => match self.of(value) {
                Err(Cost::Elsewhere(_)) => Err(Cost::Unbounded),
                known => known,
            },
            _ => self.of(value),
        }
    }

    fn target(&self, reference: &str) -> Result<&'a Value, Cost> {
        let own = self.own.and_then(|own| reference.strip_prefix(own));
        let fragment = match own.unwrap_or(reference) {
            "" => "",
            within => match within.strip_prefix('#') {
                Some(fragment) => fragment,
                None if reference.starts_with("http") => {
                    return Err(Cost::Elsewhere(reference.to_owned()));
                }
                None => return Err(Cost::Unbounded),
            },
        };
        if fragment.contains('%') || !(fragment.is_empty() || fragment.starts_with('/')) {
            return Err(Cost::Unbounded);
        }
        // A pointer to nowhere is for the validator to complain of.
        Ok(self.root.pointer(fragment).unwrap_or(&Value::Null))
    }
}

impl Work {
    fn add(&mut self, more: Self) -> Result<(), Cost> {
        self.parts += more.parts;
        self.patterns += more.patterns;
        match self.parts + self.patterns > MOST_PARTS {
            true => Err(Cost::Unbounded),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parts(schema: &Value) -> u64 {
        match Cost::of(schema) {
            Cost::Bounded(work) => work.parts,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn subschemas_are_counted_with_references_followed() {
        let point = json!({"type": "object", "properties": {"x": {"type": "number"}}});
        let once = parts(&point);
        let twice = json!({"$defs": {"p": point}, "properties": {"a": {"$ref": "#/$defs/p"}, "b": {"$ref": "#/$defs/p"}}});
        // The definition, each use of it, and `properties`, `$defs` and the schema around them.
        assert_eq!(parts(&twice), 3 * once + 5);
    }

    #[test]
    fn what_doubles_with_each_reference_is_unbounded() {
        let mut schema = json!({"$defs": {"d0": {}}, "$ref": "#/$defs/d30"});
        for n in 1..=30 {
            let to = json!({"$ref": format!("#/$defs/d{}", n - 1)});
            schema["$defs"][format!("d{n}")] = json!({"allOf": [to, to]});
        }
        assert_eq!(Cost::of(&schema), Cost::Unbounded);
    }

    #[test]
    fn what_leads_back_into_itself_or_too_deep_is_unbounded() {
        let mut chain = json!({"$ref": "#/$defs/d0", "$defs": {}});
        for n in 0..10_000 {
            chain["$defs"][format!("d{n}")] = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        }
        for schema in [
            json!({"$ref": "#"}),
            json!({"properties": {"left": {"$ref": "#"}}}),
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
            json!({"$id": "https://a.example/s", "items": {"$ref": "https://a.example/s"}}),
            json!({"$dynamicRef": "#x"}),
            json!({"$anchor": "x", "items": {"$ref": "#x"}}),
            json!({"items": {"$id": "https://a.example/t", "$ref": "#"}}),
            json!({"items": {"$ref": "t.json"}}),
            json!({"items": {"$ref": "json-schema:///"}}),
            json!({"examples": [{"$ref": "https://a.example/t"}]}),
            chain,
        ] {
            assert_eq!(Cost::of(&schema), Cost::Unbounded);
        }
    }

    #[test]
    fn what_is_not_in_the_schema_is_named() {
        for elsewhere in ["https://a.example/t", "http://a.example/s#x"] {
            let schema = json!({"$id": "https://b.example/s", "items": {"$ref": elsewhere}});
            assert_eq!(Cost::of(&schema), Cost::Elsewhere(elsewhere.to_owned()));
        }
    }

    #[test]
    fn a_property_may_be_called_like_a_keyword() {
        let schema = json!({"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}});
        assert_eq!(parts(&schema), 6);
    }

    #[test]
    fn what_is_bearable_depends_on_schema_and_value() {
        let work = |schema| match Cost::of(&schema) {
            Cost::Bounded(work) => work,
            other => panic!("{other:?}"),
        };
        let plain = work(json!({"items": {"type": "string"}}));
        let matched = work(json!({"items": {"pattern": "^a*$"}}));
        let named = work(json!({"patternProperties": {"^a": {}, "^b": {}}}));
        assert_eq!(
            (plain.patterns, matched.patterns, named.patterns),
            (0, 1, 2)
        );
        let short = Size::of(&json!({"name": ["a", "bc"]}));
        assert_eq!((short.values, short.text), (4, 7));
        let long = Size {
            values: 1,
            text: MOST_MATCHED + 1,
        };
        assert!(plain.is_bearable(short) && matched.is_bearable(short));
        assert!(plain.is_bearable(long) && !matched.is_bearable(long));
        let many = Size {
            values: MOST_STEPS / 2,
            text: 0,
        };
        assert!(!plain.is_bearable(many));
    }
}
