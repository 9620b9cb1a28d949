//! Arguments that arrive as text: prompt arguments and URI template variables.

use std::borrow::Cow;
use std::fmt;

use mrtr_core::wire::RawObject;
use serde::de::value::{MapDeserializer, StrDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::value::RawValue;

/// Named texts, in any order.
pub(crate) type Texts<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// Reads a value of type `A` from named texts. Numbers, booleans and unit
/// variants are read from their text, an absent name is an absent field.
pub(crate) fn from_texts<A: DeserializeOwned>(texts: &Texts<'_>) -> Result<A, TextError> {
    let members = texts
        .iter()
        .map(|(name, text)| (&**name, Text { name, text }));
    A::deserialize(Members(MapDeserializer::new(members)))
}

/// Reads the `arguments` of a prompt: an object of strings.
pub(crate) fn texts_of(arguments: Option<&RawValue>) -> Result<Texts<'_>, TextError> {
    let Some(arguments) = arguments else {
        return Ok(Vec::new());
    };
    let members: RawObject = serde_json::from_str(arguments.get()).map_err(|_| {
        TextError("`arguments` must be an object without repeated names".to_owned())
    })?;
    members
        .iter()
        .map(|(name, value)| {
            let text: String = serde_json::from_str(value.get())
                .map_err(|_| TextError(format!("the argument `{name}` must be a string")))?;
            Ok((Cow::Owned(name.to_owned()), Cow::Owned(text)))
        })
        .collect()
}

/// Why named texts do not make a value; a sentence for whoever sent them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextError(String);

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TextError {}

impl de::Error for TextError {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self(text.to_string())
    }

    fn missing_field(name: &'static str) -> Self {
        Self(format!("the argument `{name}` is missing"))
    }

    fn unknown_field(name: &str, _: &'static [&'static str]) -> Self {
        Self(format!("there is no argument `{name}`"))
    }
}

type TextMembers<'a, I> = MapDeserializer<'a, I, TextError>;

struct Members<'a, I: Iterator<Item = (&'a str, Text<'a>)>>(TextMembers<'a, I>);

impl<'de, I: Iterator<Item = (&'de str, Text<'de>)>> Deserializer<'de> for Members<'de, I> {
    type Error = TextError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_map(self.0)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// One text and the name it came under.
#[derive(Clone, Copy)]
struct Text<'a> {
    name: &'a str,
    text: &'a str,
}

impl<'a> IntoDeserializer<'a, TextError> for Text<'a> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Text<'_> {
    fn parse<T: std::str::FromStr>(self, what: &str) -> Result<T, TextError> {
        self.text
            .parse()
            .map_err(|_| TextError(format!("the argument `{}` must be {what}", self.name)))
    }

    fn named(self, error: &TextError) -> TextError {
        TextError(format!("the argument `{}`: {error}", self.name))
    }
}

macro_rules! parsed {
    ($($deserialize:ident $visit:ident $what:literal,)*) => {
        $(
            fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
                visitor
                    .$visit(self.parse($what)?)
                    .map_err(|error: TextError| self.named(&error))
            }
        )*
    };
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = TextError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor
            .visit_borrowed_str(self.text)
            .map_err(|error: TextError| self.named(&error))
    }

    parsed! {
        deserialize_bool visit_bool "true or false",
        deserialize_i8 visit_i8 "a whole number in range",
        deserialize_i16 visit_i16 "a whole number in range",
        deserialize_i32 visit_i32 "a whole number in range",
        deserialize_i64 visit_i64 "a whole number in range",
        deserialize_i128 visit_i128 "a whole number in range",
        deserialize_u8 visit_u8 "a whole number in range",
        deserialize_u16 visit_u16 "a whole number in range",
        deserialize_u32 visit_u32 "a whole number in range",
        deserialize_u64 visit_u64 "a whole number in range",
        deserialize_u128 visit_u128 "a whole number in range",
        deserialize_f32 visit_f32 "a number",
        deserialize_f64 visit_f64 "a number",
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TextError> {
        let variant: StrDeserializer<'_, TextError> = self.text.into_deserializer();
        visitor
            .visit_enum(variant)
            .map_err(|error: TextError| self.named(&error))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Tone {
        Formal,
        Short,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(transparent)]
    struct Id(u64);

    #[derive(Debug, Deserialize, PartialEq)]
    struct Brief {
        topic: String,
        id: Id,
        tone: Option<Tone>,
        #[serde(default)]
        loud: bool,
        ratio: Option<f64>,
    }

    fn brief(texts: &[(&'static str, &'static str)]) -> Result<Brief, String> {
        let texts = texts
            .iter()
            .map(|(name, text)| (Cow::Borrowed(*name), Cow::Borrowed(*text)))
            .collect();
        from_texts(&texts).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_booleans_and_variants_are_read_from_their_text() {
        let all = [
            ("ratio", "0.5"),
            ("loud", "true"),
            ("tone", "short"),
            ("id", "18446744073709551615"),
            ("topic", "7"),
            ("unknown", "x"),
        ];
        assert_eq!(
            brief(&all),
            Ok(Brief {
                topic: "7".into(),
                id: Id(u64::MAX),
                tone: Some(Tone::Short),
                loud: true,
                ratio: Some(0.5),
            })
        );
    }

    #[test]
    fn an_error_names_the_argument() {
        assert_eq!(
            brief(&[("id", "1")]),
            Err("the argument `topic` is missing".into())
        );
        assert_eq!(
            brief(&[("topic", "t"), ("id", "x")]),
            Err("the argument `id` must be a whole number in range".into())
        );
        let wrong = brief(&[("topic", "t"), ("id", "1"), ("tone", "loud")]);
        let wrong = wrong.expect_err("no such tone");
        assert!(wrong.starts_with("the argument `tone`: "), "{wrong}");
        assert!(wrong.contains("formal"), "{wrong}");
    }

    #[test]
    fn prompt_arguments_are_strings_and_nothing_else() {
        let read = |text: &str| {
            let raw: Box<RawValue> = serde_json::from_str(text).expect("JSON");
            texts_of(Some(&raw))
                .map(|texts| texts.len())
                .map_err(|error| error.to_string())
        };
        assert_eq!(read(r#"{"a":"b","c":""}"#), Ok(2));
        assert_eq!(
            read(r#"{"a":7}"#),
            Err("the argument `a` must be a string".into())
        );
        assert_eq!(
            read(r#"{"a":null}"#),
            Err("the argument `a` must be a string".into())
        );
        assert!(read(r#"{"a":"b","a":"c"}"#).is_err());
    }

    #[test]
    fn no_arguments_are_a_unit_or_a_map() {
        assert_eq!(from_texts::<()>(&Vec::new()), Ok(()));
        let map: std::collections::BTreeMap<String, String> =
            from_texts(&vec![("a".into(), "b".into())]).expect("a map of texts");
        assert_eq!(map["a"], "b");
    }
}
