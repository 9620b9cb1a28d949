//! What a person types into one field.

use mrtr_core::form::FieldValue;

use super::form_of;

fn typed(property: &str, text: &str) -> Result<FieldValue, String> {
    form_of(property).fields()[0]
        .enter(text)
        .map_err(|problem| problem.to_string())
}

fn many(values: &[&str]) -> Result<FieldValue, String> {
    Ok(FieldValue::Many(
        values.iter().map(|&value| value.to_owned()).collect(),
    ))
}

#[test]
fn numbers_and_texts() {
    let seats = r#"{"type":"integer","minimum":1,"maximum":9}"#;
    assert_eq!(typed(seats, " 3 "), Ok(3.into()));
    assert_eq!(typed(seats, "12"), Err("X must be between 1 and 9".into()));
    assert_eq!(
        typed(seats, "three"),
        Err("X must be a whole number between 1 and 9".into())
    );
    assert_eq!(
        typed(seats, ""),
        Err("X must be a whole number between 1 and 9".into())
    );
    assert_eq!(
        typed(r#"{"type":"string"}"#, " as is "),
        Ok(" as is ".into())
    );
    assert_eq!(
        typed(r#"{"type":"string","minLength":1}"#, ""),
        Err("X must be at least 1 character long, not 0".into())
    );
}

#[test]
fn yes_and_no() {
    for (text, value) in [
        ("y", true),
        ("Yes", true),
        ("TRUE", true),
        ("n", false),
        ("no", false),
        ("false", false),
    ] {
        assert_eq!(typed(r#"{"type":"boolean"}"#, text), Ok(value.into()));
    }
    for text in ["", "maybe", "1", "yesno"] {
        assert!(typed(r#"{"type":"boolean"}"#, text).is_err(), "{text}");
    }
}

#[test]
fn choices_by_value_or_title() {
    let color = r#"{"oneOf":[{"const":"r","title":"Red"},{"const":"Red","title":"Crimson"},{"const":"g","title":"Green"}]}"#;
    assert_eq!(typed(color, "r"), Ok("r".into()));
    assert_eq!(typed(color, "green"), Ok("g".into()));
    assert_eq!(typed(color, "G"), Ok("g".into()));
    assert_eq!(
        typed(color, "Red"),
        Ok("Red".into()),
        "the exact value, not the title of another"
    );
    assert_eq!(
        typed(color, "blue"),
        Err("X must be one of: r, Red, g".into())
    );
}

#[test]
fn several_choices_with_commas_between() {
    let extras = r#"{"type":"array","items":{"anyOf":[{"const":"m","title":"Meal"},{"const":"b","title":"Bag, large"}]}}"#;
    assert_eq!(typed(extras, "meal, b"), many(&["m", "b"]));
    assert_eq!(typed(extras, "bag, large"), many(&["b"]));
    assert_eq!(typed(extras, " "), many(&[]));
    assert_eq!(
        typed(extras, "meal,,b"),
        Err("X can only contain: m, b".into())
    );
    assert_eq!(typed(extras, "m, meal"), Err("X contains m twice".into()));
}
