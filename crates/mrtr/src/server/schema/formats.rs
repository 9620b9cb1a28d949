//! Formats that only Rust knows.

use serde_json::Value;

/// Takes away the formats that name Rust's number types, such as `uint32`. JSON Schema knows none of
/// them: clients warn of them on each use, and some models' interfaces refuse them. Where only the
/// format gave a bound, the bound takes its place.
pub(super) fn without_number_formats(schema: &mut Value) {
    let members = match schema {
        Value::Object(members) => members,
        Value::Array(schemas) => return schemas.iter_mut().for_each(without_number_formats),
        _ => return,
    };
    let bounds: Option<(Value, Value)> = match members.get("format").and_then(Value::as_str) {
        Some("int32") => Some((i32::MIN.into(), i32::MAX.into())),
        Some("uint32") => Some((0.into(), u32::MAX.into())),
        _ => None,
    };
    if let Some((least, most)) = bounds {
        members.entry("minimum").or_insert(least);
        members.entry("maximum").or_insert(most);
    }
    let is_number_format = |format: &str| {
        let bits = format.trim_start_matches('u').strip_prefix("int");
        bits.is_some_and(|bits| bits.bytes().all(|byte| byte.is_ascii_digit()))
            || matches!(format, "float" | "double")
    };
    if (members.get("format").and_then(Value::as_str)).is_some_and(is_number_format) {
        members.remove("format");
    }
    for (name, value) in members.iter_mut() {
        if !matches!(name.as_str(), "default" | "const" | "enum" | "examples") {
            without_number_formats(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::super::Schema;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Numbers {
        small: u8,
        word: u32,
        signed: Option<i32>,
        #[schemars(range(max = 9))]
        bounded: u32,
        long: Vec<usize>,
        real: f64,
        #[schemars(extend("format" = "date"))]
        day: String,
        #[schemars(default)]
        format: u64,
    }

    #[test]
    fn clients_are_told_bounds_and_no_formats_of_rust() {
        let object = Schema::of_output::<Numbers>().to_object().expect("JSON");
        let told = serde_json::to_value(&object).expect("JSON");
        for format in ["uint8", "uint32", "int32", "uint", "uint64", "double"] {
            assert!(
                !told.to_string().contains(&format!(r#""{format}""#)),
                "{told}"
            );
        }
        let properties = &told["properties"];
        assert_eq!(properties["small"]["maximum"], 255);
        assert_eq!(properties["word"]["maximum"], u32::MAX);
        assert_eq!(properties["signed"]["minimum"], i32::MIN);
        assert_eq!(properties["bounded"]["maximum"], 9);
        assert_eq!(properties["day"]["format"], "date");
        assert_eq!(properties["format"]["type"], "integer");
    }
}
