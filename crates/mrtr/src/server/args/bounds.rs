//! Bounds of arguments that their Rust type does not know.

use std::fmt;

use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use super::BadArguments;
use super::path::{Step, render};

/// References followed in a row, against a schema that refers to itself.
const MAX_REFERENCES: u8 = 16;

const KEYWORDS: [&str; 9] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

/// The bounds in an input schema: of numbers, lengths of texts and lists.
/// The types themselves are left to the deserialiser.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    schema: Value,
}

impl Bounds {
    /// The bounds in `schema`, if there are any.
    pub(crate) fn of(schema: &Value) -> Option<Self> {
        has_any(schema).then(|| Self {
            schema: schema.clone(),
        })
    }

    /// Whether arguments of the right type keep to the bounds.
    pub(crate) fn check(&self, arguments: Option<&RawValue>) -> Result<(), BadArguments> {
        let text = arguments.map_or("{}", RawValue::get);
        let value: Value = serde_json::from_str(text).map_err(BadArguments::new)?;
        let mut walk = Walk {
            root: &self.schema,
            path: Vec::new(),
        };
        walk.check(&self.schema, &value, 0)
    }
}

fn has_any(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(name, value)| {
            let is_bound = KEYWORDS.contains(&name.as_str());
            (is_bound && !is_implied(members, name, value)) || has_any(value)
        }),
        Value::Array(elements) => elements.iter().any(has_any),
        _ => false,
    }
}

/// Whether the integer type that a `format` stands for has this bound itself.
fn is_implied(members: &Map<String, Value>, name: &str, bound: &Value) -> bool {
    let format = members.get("format").and_then(Value::as_str);
    let (least, most): (i64, i64) = match format.unwrap_or_default() {
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" | "uint64" | "uint128" | "uint" => (0, i64::MAX),
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        _ => return false,
    };
    match name {
        "minimum" => bound.as_i64() == Some(least),
        "maximum" => bound.as_i64() == Some(most),
        _ => false,
    }
}

/// A keyword, whether it holds for how much greater a number is, and its words.
type Rule = (&'static str, fn(f64) -> bool, &'static str);

struct Walk<'a> {
    root: &'a Value,
    path: Vec<Step<'a>>,
}

impl<'a> Walk<'a> {
    fn check(
        &mut self,
        schema: &'a Value,
        value: &'a Value,
        references: u8,
    ) -> Result<(), BadArguments> {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let target = reference
                .strip_prefix('#')
                .and_then(|pointer| self.root.pointer(pointer));
            match target {
                Some(target) if references < MAX_REFERENCES => {
                    self.check(target, value, references + 1)?
                }
                _ => return Ok(()),
            }
        }
        for part in branches(schema, value) {
            self.check(part, value, references)?;
        }
        match value {
            Value::Number(number) => self.number(schema, number),
            Value::String(text) => self.length(
                schema,
                text.chars().count(),
                ["minLength", "maxLength"],
                "characters",
            ),
            Value::Array(elements) => {
                self.length(schema, elements.len(), ["minItems", "maxItems"], "elements")?;
                let Some(schema) = schema.get("items") else {
                    return Ok(());
                };
                elements
                    .iter()
                    .enumerate()
                    .try_for_each(|(index, element)| {
                        self.inside(Step::Element(index), schema, element)
                    })
            }
            Value::Object(members) => members.iter().try_for_each(|(name, member)| {
                let property = schema
                    .get("properties")
                    .and_then(|properties| properties.get(name));
                match property.or_else(|| schema.get("additionalProperties")) {
                    Some(schema) => self.inside(Step::Member(name), schema, member),
                    None => Ok(()),
                }
            }),
            Value::Null | Value::Bool(_) => Ok(()),
        }
    }

    fn inside(
        &mut self,
        step: Step<'a>,
        schema: &'a Value,
        value: &'a Value,
    ) -> Result<(), BadArguments> {
        self.path.push(step);
        self.check(schema, value, 0)?;
        self.path.pop();
        Ok(())
    }

    fn number(&self, schema: &Value, number: &Number) -> Result<(), BadArguments> {
        let bound = |name| schema.get(name).and_then(Value::as_number);
        let rules: [Rule; 4] = [
            ("minimum", |difference| difference >= 0.0, "at least"),
            ("maximum", |difference| difference <= 0.0, "at most"),
            (
                "exclusiveMinimum",
                |difference| difference > 0.0,
                "more than",
            ),
            (
                "exclusiveMaximum",
                |difference| difference < 0.0,
                "less than",
            ),
        ];
        for (name, holds, words) in rules {
            if let Some(bound) = bound(name)
                && !holds(difference(number, bound))
            {
                return Err(self.bad(format_args!("must be {words} {bound}, not {number}")));
            }
        }
        match bound("multipleOf") {
            Some(step) if !is_multiple(number, step) => {
                Err(self.bad(format_args!("must be a multiple of {step}, not {number}")))
            }
            _ => Ok(()),
        }
    }

    fn length(
        &self,
        schema: &Value,
        length: usize,
        names: [&str; 2],
        what: &str,
    ) -> Result<(), BadArguments> {
        let bound = |name| schema.get(name).and_then(Value::as_u64);
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        match (bound(names[0]), bound(names[1])) {
            (Some(least), _) if length < least => Err(self.bad(format_args!(
                "must have at least {least} {what}, not {length}"
            ))),
            (_, Some(most)) if length > most => Err(self.bad(format_args!(
                "must have at most {most} {what}, not {length}"
            ))),
            _ => Ok(()),
        }
    }

    fn bad(&self, problem: impl fmt::Display) -> BadArguments {
        let path = render(&self.path);
        BadArguments::new(format_args!("`{path}`: {problem}"))
    }
}

/// Exact for integers; for others as exact as a quotient of floats can be.
fn is_multiple(number: &Number, step: &Number) -> bool {
    if let (Some(number), Some(step)) = (number.as_i128(), step.as_i128()) {
        return number.checked_rem(step) == Some(0);
    }
    let (Some(number), Some(step)) = (number.as_f64(), step.as_f64()) else {
        return true;
    };
    let quotient = number / step;
    (quotient - quotient.round()).abs() <= 2.0 * f64::EPSILON * quotient.abs()
}

/// Schemas that hold for the same value: all of `allOf`, and what an `anyOf`
/// or `oneOf` says beside `null`. Which one of several it is, the type knows.
fn branches<'a>(schema: &'a Value, value: &Value) -> impl Iterator<Item = &'a Value> {
    let list = |name| {
        schema
            .get(name)
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice)
    };
    let is_null = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("null");
    let alternatives = [list("anyOf"), list("oneOf")]
        .into_iter()
        .filter_map(move |list| {
            let mut others = list.iter().filter(|schema| !is_null(schema));
            let first = others.next().filter(|_| others.next().is_none());
            first.filter(|_| list.len() == 2)
        });
    let alternatives: Vec<&Value> = match value {
        Value::Null => Vec::new(),
        _ => alternatives.collect(),
    };
    list("allOf").iter().chain(alternatives)
}

/// Positive when `a` is the greater one; exact for whole numbers.
fn difference(a: &Number, b: &Number) -> f64 {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => match a.cmp(&b) {
            std::cmp::Ordering::Less => -1.0,
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => 1.0,
        },
        _ => a.as_f64().unwrap_or_default() - b.as_f64().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::schema::Schema;
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Trip {
        #[schemars(length(min = 2, max = 5))]
        to: String,
        #[schemars(range(min = 1, max = 9))]
        nights: Option<u8>,
        #[schemars(length(min = 1))]
        seats: Vec<Seat>,
        back: Option<Box<Trip>>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Seat {
        #[schemars(range(max = 3.5), extend("exclusiveMinimum" = 0.5, "multipleOf" = 0.25))]
        width: f64,
        #[schemars(range(max = 9_007_199_254_740_993_u64))]
        serial: u64,
    }

    fn bounds<A: JsonSchema + serde::de::DeserializeOwned + 'static>() -> Option<Bounds> {
        Bounds::of(Schema::of_arguments::<A>().expect("an object").as_value())
    }

    fn check(text: &str) -> Result<(), String> {
        let raw: &RawValue = serde_json::from_str(text).expect("JSON");
        bounds::<Trip>()
            .expect("bounds")
            .check(Some(raw))
            .map_err(|problem| problem.to_string())
    }

    #[test]
    fn values_inside_the_bounds_pass() {
        let seat = r#"{"width":0.75,"serial":9007199254740993}"#;
        for text in [
            format!(r#"{{"to":"Oslo","nights":9,"seats":[{seat}],"back":null}}"#),
            format!(r#"{{"to":"Ås","nights":null,"seats":[{seat},{seat}],"unknown":-1}}"#),
        ] {
            assert_eq!(check(&text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_is_outside_is_named_with_its_bound() {
        for (text, problem) in [
            (
                r#"{"to":"x"}"#,
                "`to`: must have at least 2 characters, not 1",
            ),
            (
                r#"{"to":"Berlin"}"#,
                "`to`: must have at most 5 characters, not 6",
            ),
            (r#"{"nights":0}"#, "`nights`: must be at least 1, not 0"),
            (r#"{"nights":10}"#, "`nights`: must be at most 9, not 10"),
            (
                r#"{"seats":[]}"#,
                "`seats`: must have at least 1 elements, not 0",
            ),
            (
                r#"{"seats":[{"width":1},{"width":0.5}]}"#,
                "`seats[1].width`: must be more than 0.5, not 0.5",
            ),
            (
                r#"{"seats":[{"width":3.6}]}"#,
                "`seats[0].width`: must be at most 3.5, not 3.6",
            ),
            (
                r#"{"seats":[{"serial":9007199254740994}]}"#,
                "`seats[0].serial`: must be at most 9007199254740993, not 9007199254740994",
            ),
            (
                r#"{"back":{"to":"x"}}"#,
                "`back.to`: must have at least 2 characters, not 1",
            ),
            (
                r#"{"back":{"back":{"nights":0}}}"#,
                "`back.back.nights`: must be at least 1, not 0",
            ),
        ] {
            assert_eq!(check(text), Err(problem.into()), "{text}");
        }
    }

    #[test]
    fn a_schema_without_bounds_costs_nothing() {
        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only described")]
        struct Plain {
            to: String,
            a: u8,
            b: Option<u16>,
            c: Vec<u32>,
            d: u64,
            e: usize,
            f: i8,
            g: i16,
            h: i64,
        }
        assert!(bounds::<Plain>().is_none());
        assert!(bounds::<()>().is_none());

        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only described")]
        struct Less {
            #[schemars(range(max = 254))]
            one: u8,
        }
        assert!(bounds::<Less>().is_some());
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = serde_json::json!({"$ref": "#", "minItems": 1});
        let bounds = Bounds { schema };
        assert!(bounds.check(None).is_ok());
    }
}
