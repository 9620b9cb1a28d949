//! JSON Schemas of handler types, made once at registration.

mod formats;

use std::any::TypeId;

use mrtr_core::wire::RawObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use self::formats::without_number_formats;
use super::args::fields;

/// A JSON Schema object and the order its root properties are written in.
///
/// Subschemas are inlined: models and header rules read properties, not
/// references.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    /// An object.
    root: Value,
    order: &'static [&'static str],
    /// As its author wrote it, where it was not made from a type.
    written: Option<RawObject>,
}

impl Schema {
    /// The schema of the arguments `A`: an object, whatever it takes.
    ///
    /// # Errors
    /// What the type is instead; the author's fault.
    pub(crate) fn of_arguments<A: JsonSchema + DeserializeOwned + 'static>() -> Result<Self, String>
    {
        if TypeId::of::<A>() == TypeId::of::<()>() {
            return Ok(Self {
                root: json!({"type": "object", "additionalProperties": false}),
                order: &[],
                written: None,
            });
        }
        let mut members = generate::<A>(SchemaSettings::draft2020_12().for_deserialize())
            .ok_or_else(|| not_an_object::<A>())?;
        match members.get("type") {
            Some(Value::String(kind)) if kind == "object" => {}
            None if all_branches_are_objects(&members) => {
                members.insert("type".to_owned(), "object".into());
            }
            _ => return Err(not_an_object::<A>()),
        }
        for property in properties_mut(&mut members) {
            without_null_where_mirrored(property);
        }
        Ok(Self {
            root: Value::Object(members),
            order: fields::of::<A>(),
            written: None,
        })
    }

    /// The schema of a structured result; any schema that is an object.
    pub(crate) fn of_output<T: JsonSchema + 'static>() -> Self {
        // A schema `true` allows everything, as an empty object does.
        let members =
            generate::<T>(SchemaSettings::draft2020_12().for_serialize()).unwrap_or_default();
        Self {
            root: Value::Object(members),
            order: &[],
            written: None,
        }
    }

    /// A schema that was written by hand.
    ///
    /// # Errors
    /// When it is no JSON object; the author's fault.
    #[cfg(feature = "json-schema")]
    pub(crate) fn by_hand(schema: &(impl Serialize + ?Sized)) -> Result<Self, String> {
        let not_an_object = |error: serde_json::Error| format!("no JSON Schema: {error}");
        let text = serde_json::to_string(schema).map_err(not_an_object)?;
        let written: RawObject = serde_json::from_str(&text).map_err(not_an_object)?;
        Ok(Self {
            root: serde_json::from_str(&text).map_err(not_an_object)?,
            order: &[],
            written: Some(written),
        })
    }

    /// Whether it was written by hand.
    #[cfg(feature = "json-schema")]
    pub(crate) const fn is_by_hand(&self) -> bool {
        self.written.is_some()
    }

    pub(crate) const fn as_value(&self) -> &Value {
        &self.root
    }

    /// The properties of the root with their schemas, in the order they are
    /// declared where that is known.
    pub(crate) fn properties(&self) -> Vec<(&str, &Value)> {
        let Some(Value::Object(properties)) = self.root.get("properties") else {
            return Vec::new();
        };
        let place = |name: &str| {
            self.order
                .iter()
                .position(|field| *field == name)
                .unwrap_or(usize::MAX)
        };
        let mut sorted: Vec<(&str, &Value)> = properties
            .iter()
            .map(|(name, schema)| (name.as_str(), schema))
            .collect();
        sorted.sort_by_key(|(name, _)| place(name));
        sorted
    }

    /// Whether the root property `name` must be there.
    pub(crate) fn requires(&self, name: &str) -> bool {
        let Some(Value::Array(required)) = self.root.get("required") else {
            return false;
        };
        required.iter().any(|required| required == name)
    }

    /// Whether it names what further properties look like, as maps do.
    pub(crate) fn is_open(&self) -> bool {
        self.root
            .get("additionalProperties")
            .is_some_and(|schema| *schema != Value::Bool(false))
    }

    /// As it stands in a definition.
    ///
    /// # Errors
    /// What serialisation says.
    pub(crate) fn to_object(&self) -> Result<RawObject, serde_json::Error> {
        if let Some(written) = &self.written {
            return Ok(written.clone());
        }
        let mut told = self.clone();
        without_number_formats(&mut told.root);
        serde_json::from_str(&serde_json::to_string(&told)?)
    }
}

/// `type` first, `properties` in order, the rest as it comes.
impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Ordered<'a>(Vec<(&'a str, &'a Value)>);
        impl Serialize for Ordered<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().copied())
            }
        }

        let mut map = serializer.serialize_map(None)?;
        if let Some(kind) = self.root.get("type") {
            map.serialize_entry("type", kind)?;
        }
        for (name, value) in self.root.as_object().into_iter().flatten() {
            match name.as_str() {
                "type" => {}
                "properties" => map.serialize_entry(name, &Ordered(self.properties()))?,
                _ => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Option<Map<String, Value>> {
    let settings = settings.with(|settings| {
        // 2020-12 is what the absence of `$schema` means.
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut members) = schema.to_value() else {
        return None;
    };
    // The name of a Rust type says nothing to a client; a title its author chose does.
    if members.get("title").and_then(Value::as_str) == Some(&*T::schema_name()) {
        members.remove("title");
    }
    Some(members)
}

fn properties_mut(members: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    let properties = members.get_mut("properties").and_then(Value::as_object_mut);
    properties
        .into_iter()
        .flat_map(|properties| properties.iter_mut().map(|(_, property)| property))
}

/// An argument that is mirrored in a header has one of three plain types by the
/// rules; that it may be left out is said elsewhere, `null` need not be.
fn without_null_where_mirrored(schema: &mut Value) {
    let Value::Object(members) = schema else {
        return;
    };
    if members.contains_key("x-mcp-header")
        && let Some(Value::Array(kinds)) = members.get_mut("type")
    {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &mut kinds[..] {
            let kind = kind.take();
            members.insert("type".to_owned(), kind);
        }
    }
    for property in properties_mut(members) {
        without_null_where_mirrored(property);
    }
}

fn all_branches_are_objects(members: &Map<String, Value>) -> bool {
    ["oneOf", "anyOf"].iter().any(|name| {
        members
            .get(*name)
            .and_then(Value::as_array)
            .is_some_and(|branches| {
                branches
                    .iter()
                    .all(|branch| branch.get("type").and_then(Value::as_str) == Some("object"))
            })
    })
}

fn not_an_object<A: JsonSchema>() -> String {
    format!(
        "its arguments `{}` are not described by an object; take a struct with named fields, or `()` for none",
        A::schema_name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    /// A trip to book.
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Trip {
        /// Where to.
        to: String,
        nights: Option<u8>,
        class: Class,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Class {
        Economy,
        First,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "by")]
    #[expect(dead_code, reason = "only described")]
    enum Search {
        Name { name: String },
        Id { id: u64 },
    }

    fn text(schema: &Schema) -> String {
        serde_json::to_string(schema).expect("serialises")
    }

    #[test]
    fn properties_keep_the_order_of_the_fields_and_nothing_is_a_reference() {
        let schema = Schema::of_arguments::<Trip>().expect("an object");
        let text = text(&schema);
        let to = text.find(r#""to""#).expect("to");
        let nights = text.find(r#""nights""#).expect("nights");
        let class = text.find(r#""class""#).expect("class");
        assert!(to < nights && nights < class, "{text}");
        assert!(text.starts_with(r#"{"type":"object""#), "{text}");
        assert!(
            !text.contains("$ref") && !text.contains("$schema"),
            "{text}"
        );
        assert!(
            text.contains("Where to.") && text.contains("economy"),
            "{text}"
        );
        assert!(!text.contains(r#""title""#), "{text}");
        assert!(schema.requires("to") && !schema.requires("nights"));
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Query {
        #[schemars(extend("x-mcp-header" = "Region"))]
        region: Option<String>,
        nothing: Option<String>,
    }

    #[test]
    fn an_optional_argument_in_a_header_has_a_plain_type() {
        let schema = Schema::of_arguments::<Query>().expect("an object");
        assert_eq!(schema.root["properties"]["region"]["type"], "string");
        assert_eq!(
            schema.root["properties"]["nothing"]["type"],
            json!(["string", "null"])
        );
        assert!(!schema.requires("region"));
    }

    #[test]
    fn no_arguments_are_an_object_without_members() {
        let schema = Schema::of_arguments::<()>().expect("an object");
        assert_eq!(
            text(&schema),
            r#"{"type":"object","additionalProperties":false}"#
        );
    }

    #[test]
    fn an_enum_of_structs_becomes_an_object() {
        let schema = Schema::of_arguments::<Search>().expect("an object");
        assert!(text(&schema).starts_with(r#"{"type":"object""#));
    }

    #[test]
    fn arguments_that_are_no_object_are_refused_by_name() {
        for problem in [
            Schema::of_arguments::<String>().expect_err("a string"),
            Schema::of_arguments::<Vec<u8>>().expect_err("an array"),
            Schema::of_arguments::<Option<Trip>>().expect_err("nullable"),
            Schema::of_arguments::<Value>().expect_err("anything"),
            Schema::of_arguments::<Class>().expect_err("a string of choices"),
        ] {
            assert!(problem.contains("not described by an object"), "{problem}");
        }
    }
}
