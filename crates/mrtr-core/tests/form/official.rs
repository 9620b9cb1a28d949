//! The official schema and samples of the protocol, in the folder that `MRTR_SPEC_DIR` names.

use std::fs;
use std::path::PathBuf;

use mrtr_core::form::{Field, Form, FormSchema, Format};
use serde_json::{Value, json};

use super::derive::{Booking, Class, Notice, Numbers};

/// The folder, or a loud skip outside of CI.
fn spec_dir() -> Option<PathBuf> {
    let dir = std::env::var_os("MRTR_SPEC_DIR").map(PathBuf::from);
    if dir.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "CI must set MRTR_SPEC_DIR"
        );
        eprintln!("SKIPPED: set MRTR_SPEC_DIR to the folder with schema.json and examples");
    }
    dir
}

/// Checks against one definition of the official schema.
fn definition(name: &str) -> Option<jsonschema::Validator> {
    let text = fs::read_to_string(spec_dir()?.join("schema.json")).expect("schema.json");
    let mut schema: Value = serde_json::from_str(&text).expect("JSON");
    schema["$ref"] = json!(format!("#/$defs/{name}"));
    for keyword in ["anyOf", "oneOf", "type", "properties"] {
        schema.as_object_mut().expect("an object").remove(keyword);
    }
    Some(jsonschema::validator_for(&schema).expect("a schema"))
}

fn forms() -> Vec<FormSchema> {
    let by_hand = FormSchema::builder()
        .field(
            Field::text("a")
                .title("A")
                .format(Format::Uri)
                .min_length(3)
                .optional(),
        )
        .field(Field::number("b").min(-0.5).default(1e300))
        .field(Field::select("c", [("x", "X")]).default("x"))
        .field(
            Field::multi_select("d", ["x", "y"])
                .min_items(1)
                .default(["y"]),
        )
        .build()
        .expect("a form");
    vec![
        by_hand,
        Booking::schema().clone(),
        Class::schema().clone(),
        Notice::schema().clone(),
        Numbers::schema().clone(),
    ]
}

#[test]
fn built_and_derived_forms_are_what_the_official_schema_asks_for() {
    let (Some(property), Some(request)) = (
        definition("PrimitiveSchemaDefinition"),
        definition("ElicitRequest"),
    ) else {
        return;
    };
    assert!(
        !property.is_valid(&json!({"type": "object"})),
        "the definition was not applied"
    );
    for form in forms() {
        let schema: Value = serde_json::from_str(form.raw()).expect("JSON");
        for (name, value) in schema["properties"].as_object().expect("properties") {
            assert!(property.is_valid(value), "{name}: {value}");
            only_official_keywords(value);
        }
        let message = json!({"method": "elicitation/create", "params": {"message": "m", "requestedSchema": schema}});
        assert!(request.is_valid(&message), "{message}");
    }
}

/// The official definitions leave other keywords open; we write none.
fn only_official_keywords(property: &Value) {
    const COMMON: &[&str] = &["type", "title", "description", "default"];
    let own: &[&str] = match property["type"].as_str() {
        Some("string") => &["minLength", "maxLength", "format", "enum", "oneOf"],
        Some("integer" | "number") => &["minimum", "maximum"],
        Some("array") => &["minItems", "maxItems", "items"],
        _ => &[],
    };
    for keyword in property.as_object().expect("an object").keys() {
        assert!(
            COMMON.contains(&&**keyword) || own.contains(&&**keyword),
            "{property}"
        );
    }
}

#[test]
fn every_official_sample_of_a_field_reads_with_its_default() {
    let Some(dir) = spec_dir() else { return };
    let mut seen = 0;
    for folder in fs::read_dir(dir.join("examples")).expect("examples") {
        let folder = folder.expect("a folder").path();
        if !folder
            .file_name()
            .is_some_and(|name| name.to_string_lossy().ends_with("Schema"))
        {
            continue;
        }
        for sample in fs::read_dir(folder).expect("samples") {
            let property: Value = serde_json::from_str(
                &fs::read_to_string(sample.expect("a sample").path()).expect("text"),
            )
            .expect("JSON");
            let form = super::form_of(&property.to_string());
            let content: Value = serde_json::from_str(&form.defaults().to_json()).expect("JSON");
            assert_eq!(content["x"], property["default"], "{property}");
            assert!(super::answer(&form, &content.to_string()).is_ok());
            seen += 1;
        }
    }
    assert!(seen >= 7, "only {seen} samples");
}

#[test]
fn the_official_answer_fits_the_official_form() {
    let Some(dir) = spec_dir() else { return };
    let read = |path: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(dir.join("examples").join(path)).expect(path))
            .expect("JSON")
    };
    for fields in ["single-field", "multiple-fields"] {
        let request = read(&format!("ElicitRequestFormParams/elicit-{fields}.json"));
        let result = read(&format!("ElicitResult/input-{fields}.json"));
        let form = super::form(&request["requestedSchema"].to_string());
        assert!(
            super::answer(&form, &result["content"].to_string()).is_ok(),
            "{fields}"
        );
    }
}
