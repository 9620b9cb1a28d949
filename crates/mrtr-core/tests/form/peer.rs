//! Forms that a peer sent.

use mrtr_core::form::{Choice, FieldKind, FormSchema, Format, Number};

use super::{answer, form, form_of, refusal, told};

#[test]
fn f8_the_text_of_a_form_passes_through_unchanged() {
    let json = "{ \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\n\"properties\":{\"z\":{\"type\":\"string\",\
        \"x-order\":1.50},\"a\":{\"type\":\"string\",\"enum\":[\"x\"],\"enumNames\":[\"X\"]}},\"additionalProperties\":true}";
    let form = form(json);
    assert_eq!(form.raw(), json);
    assert_eq!(serde_json::to_string(&form).expect("JSON"), json);
    let names: Vec<_> = form
        .fields()
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(names, ["z", "a"]);
}

#[test]
fn the_digest_is_of_the_bytes() {
    let (plain, spaced) = (
        form(r#"{"type":"object","properties":{}}"#),
        form(r#"{"type": "object","properties":{}}"#),
    );
    assert_ne!(plain.digest(), spaced.digest());
    assert_eq!(
        plain.digest()[..],
        blake3::hash(plain.raw().as_bytes()).as_bytes()[..16]
    );
}

#[test]
fn g2_every_way_to_write_a_select() {
    let options = |property: &str| match &form_of(property).fields()[0].kind {
        FieldKind::Select(select) => select.options.clone(),
        FieldKind::MultiSelect(many) => many.options.clone(),
        other => panic!("{other:?}"),
    };
    let plain = vec![Choice::new("a"), Choice::new("b")];
    let titled = vec![Choice::titled("a", "A"), Choice::titled("b", "B")];
    assert_eq!(options(r#"{"type":"string","enum":["a","b"]}"#), plain);
    assert_eq!(
        options(r#"{"type":"string","enum":["a","b"],"enumNames":["A","B"]}"#),
        titled
    );
    assert_eq!(
        options(
            r#"{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}"#
        ),
        titled
    );
    assert_eq!(
        options(r#"{"type":"array","items":{"type":"string","enum":["a","b"]}}"#),
        plain
    );
    assert_eq!(
        options(
            r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}"#
        ),
        titled
    );
}

#[test]
fn g2_a_multi_select_takes_a_list_of_its_choices() {
    for items in [
        r#"{"type":"string","enum":["a","b"]}"#,
        r#"{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}"#,
    ] {
        let form = form_of(&format!(
            r#"{{"type":"array","items":{items},"minItems":1}}"#
        ));
        assert_eq!(
            answer(&form, r#"{"x":["a"]}"#).expect("valid").to_json(),
            r#"{"x":["a"]}"#
        );
        assert_eq!(told(&form, r#"{"x":[]}"#), "X needs at least 1 choice.");
        assert_eq!(
            told(&form, r#"{"x":["a","c"]}"#),
            "X can only contain: a, b."
        );
        assert_eq!(told(&form, r#"{"x":["a","a"]}"#), "X contains a twice.");
        assert_eq!(
            told(&form, r#"{"x":"a"}"#),
            "X must be a list chosen from: a, b."
        );
    }
}

#[test]
fn g6_an_unknown_format_is_kept_and_not_checked() {
    let form = form_of(r#"{"type":"string","format":"int32"}"#);
    let FieldKind::Text(text) = &form.fields()[0].kind else {
        panic!("text")
    };
    assert_eq!(text.format, Some(Format::Other("int32".into())));
    assert!(answer(&form, r#"{"x":"not a number"}"#).is_ok());
    let form = form_of(r#"{"type":"integer","format":"int32","multipleOf":2,"examples":[4]}"#);
    assert!(answer(&form, r#"{"x":3}"#).is_ok());
}

#[test]
fn g6_titles_bounds_and_defaults_are_honoured() {
    let form = form(
        r#"{"type":"object","properties":{
            "n":{"type":"integer","title":"Seats","description":"How many","minimum":1,"maximum":9,"default":2},
            "t":{"type":"string","minLength":1,"maxLength":3,"default":"ab"},
            "b":{"type":"boolean","default":false},
            "s":{"type":"string","enum":["x","y"],"default":"y"},
            "m":{"type":"array","items":{"type":"string","enum":["x","y"]},"default":["y","x"]}}}"#,
    );
    assert_eq!(form.fields()[0].label(), "Seats");
    assert_eq!(form.fields()[0].description.as_deref(), Some("How many"));
    assert_eq!(
        form.defaults().to_json(),
        r#"{"n":2,"t":"ab","b":false,"s":"y","m":["y","x"]}"#
    );
    assert_eq!(told(&form, r#"{"n":0}"#), "Seats must be between 1 and 9.");
}

#[test]
fn a_default_that_does_not_fit_is_ignored() {
    for property in [
        r#"{"type":"string","default":7}"#,
        r#"{"type":"string","maxLength":1,"default":"long"}"#,
        r#"{"type":"integer","default":"7"}"#,
        r#"{"type":"integer","default":7.5}"#,
        r#"{"type":"integer","maximum":3,"default":7}"#,
        r#"{"type":"boolean","default":"yes"}"#,
        r#"{"type":"string","enum":["a"],"default":"b"}"#,
        r#"{"type":"array","items":{"enum":["a"]},"default":"a"}"#,
        r#"{"type":"array","items":{"enum":["a"]},"default":["a","b"]}"#,
        r#"{"type":"number","default":null}"#,
        r#"{"type":"number","default":{"a":1}}"#,
    ] {
        let form = form_of(property);
        assert!(form.defaults().is_empty(), "{property}");
    }
}

#[test]
fn g7_forms_without_fields_and_all_optional_forms_are_submittable_empty() {
    for json in [
        r#"{"type":"object","properties":{}}"#,
        r#"{"type":"object","properties":{},"required":[]}"#,
        r#"{"type":"object"}"#,
        "{}",
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}"#,
        r#"{"type":"object","properties":{"a":{"type":"string"}},"required":null}"#,
    ] {
        let form = form(json);
        assert!(form.validate(None).expect(json).is_empty());
        assert!(answer(&form, "{}").expect(json).is_empty());
    }
}

#[test]
fn a_required_name_without_a_property_can_still_be_given() {
    let form =
        form(r#"{"type":"object","properties":{"a":{"type":"boolean"}},"required":["reason"]}"#);
    assert_eq!(form.fields().len(), 2);
    assert_eq!(told(&form, r#"{"a":true}"#), "Reason is required.");
    assert!(answer(&form, r#"{"reason":"because"}"#).is_ok());
}

#[test]
fn a_type_may_also_allow_null_or_be_left_to_its_choices() {
    let kind = |property: &str| form_of(property).fields()[0].kind.clone();
    assert!(matches!(
        kind(r#"{"type":["string","null"]}"#),
        FieldKind::Text(_)
    ));
    assert!(matches!(kind(r#"{"type":["null","integer"]}"#), FieldKind::Number(n) if n.integer));
    assert!(matches!(kind(r#"{"enum":["a"]}"#), FieldKind::Select(_)));
    assert!(matches!(
        kind(r#"{"items":{"enum":["a"]}}"#),
        FieldKind::MultiSelect(_)
    ));
}

#[test]
fn what_is_no_form_is_refused_with_the_reason() {
    for (json, reason) in [
        ("[]", "the form is not an object"),
        (r#""x""#, "the form is not an object"),
        ("null", "the form is not an object"),
        (
            r#"{"type":"array","properties":{}}"#,
            "the form must have the type \"object\"",
        ),
        (
            r#"{"type":"object","properties":[]}"#,
            "the form has `properties` that is not an object",
        ),
        (
            r#"{"type":"object","required":["a",1]}"#,
            "the form has a `required` that is not a list of names",
        ),
        (
            r#"{"type":"object","required":true}"#,
            "the form has a `required` that is not a list of names",
        ),
        (
            r#"{"properties":{"a":{"type":"string"},"a":{"type":"integer"}}}"#,
            "the form has `properties` that has `a` twice",
        ),
        (
            r#"{"properties":{"a":7}}"#,
            "field `a` of the form is not an object",
        ),
        (
            r#"{"properties":{"a":{}}}"#,
            "field `a` of the form does not say its type",
        ),
        (
            r#"{"properties":{"a":{"type":"object","properties":{}}}}"#,
            "field `a` of the form is an object, but a form has no nested objects",
        ),
        (
            r#"{"properties":{"a":{"type":"array","items":{"type":"string"}}}}"#,
            "field `a` of the form is a list without choices, which a form cannot have",
        ),
        (
            r#"{"properties":{"a":{"type":"array"}}}"#,
            "field `a` of the form is a list without choices, which a form cannot have",
        ),
        (
            r#"{"properties":{"a":{"type":"null"}}}"#,
            "field `a` of the form must have the type",
        ),
        (
            r#"{"properties":{"a":{"type":["string","integer"]}}}"#,
            "field `a` of the form must have the type",
        ),
        (
            r#"{"properties":{"a":{"type":"string","minLength":"3"}}}"#,
            "has a `minLength` that is not a whole number from zero up",
        ),
        (
            r#"{"properties":{"a":{"type":"string","maxLength":-1}}}"#,
            "has a `maxLength` that is not a whole number from zero up",
        ),
        (
            r#"{"properties":{"a":{"type":"string","maxLength":1.5}}}"#,
            "has a `maxLength` that is not a whole number from zero up",
        ),
        (
            r#"{"properties":{"a":{"type":"number","minimum":"0"}}}"#,
            "has a `minimum` that is not a number",
        ),
        (
            r#"{"properties":{"a":{"type":"string","enum":"x"}}}"#,
            "has an `enum` that is not a list of texts",
        ),
        (
            r#"{"properties":{"a":{"type":"string","enum":["x",1]}}}"#,
            "has an `enum` that is not a list of texts",
        ),
        (
            r#"{"properties":{"a":{"type":"string","oneOf":[{"title":"A"}]}}}"#,
            "has a `oneOf` that is not a list of `const` texts with titles",
        ),
        (
            r#"{"properties":{"a":{"type":"string","type":"integer"}}}"#,
            "has `type` twice",
        ),
    ] {
        let error = refusal(json);
        assert!(error.contains(reason), "{json}: {error}");
    }
}

#[test]
fn a_form_is_bounded() {
    let property = |i: usize| format!(r#""f{i}":{{"type":"string"}}"#);
    let with = |n: usize| {
        let properties: Vec<_> = (0..n).map(property).collect();
        format!(
            r#"{{"type":"object","properties":{{{}}}}}"#,
            properties.join(",")
        )
    };
    assert_eq!(
        form(&with(FormSchema::MAX_FIELDS)).fields().len(),
        FormSchema::MAX_FIELDS
    );
    assert!(refusal(&with(FormSchema::MAX_FIELDS + 1)).contains("more than 256 fields"));
    let required: Vec<_> = (0..300).map(|i| format!("\"r{i}\"")).collect();
    assert!(
        refusal(&format!(r#"{{"required":[{}]}}"#, required.join(",")))
            .contains("more than 256 fields")
    );
    let long = format!(r#"{{"description":"{}"}}"#, "x".repeat(FormSchema::MAX_LEN));
    assert!(refusal(&long).contains("longer than 262144 bytes"));
    let options: Vec<_> = (0..=FormSchema::MAX_OPTIONS)
        .map(|i| format!("\"{i}\""))
        .collect();
    assert!(
        refusal(&format!(
            r#"{{"properties":{{"a":{{"enum":[{}]}}}}}}"#,
            options.join(",")
        ))
        .contains("more than 10000 choices")
    );
    let name = "n".repeat(5000);
    assert!(refusal(&format!(r#"{{"properties":{{"{name}":7}}}}"#)).len() < 200);
}

#[test]
fn a_repeated_choice_is_offered_once() {
    let form = form_of(r#"{"type":"string","enum":["a","b","a"]}"#);
    let FieldKind::Select(select) = &form.fields()[0].kind else {
        panic!("select")
    };
    assert_eq!(select.options.len(), 2);
}

#[test]
fn bounds_are_read_exactly() {
    let form = form_of(r#"{"type":"integer","maximum":9007199254740992}"#);
    let FieldKind::Number(number) = &form.fields()[0].kind else {
        panic!("number")
    };
    assert_eq!(
        number.maximum,
        Some(Number::from(9_007_199_254_740_992_i64))
    );
    assert!(answer(&form, r#"{"x":9007199254740992}"#).is_ok());
    assert_eq!(
        told(&form, r#"{"x":9007199254740993}"#),
        "X must be at most 9007199254740992."
    );
}

#[test]
fn a_field_that_asks_for_a_secret_is_recognised() {
    for (property, hint) in [
        (r#"{"type":"string","title":"Your API key"}"#, Some("key")),
        (r#"{"type":"string","writeOnly":true}"#, Some("writeOnly")),
        (r#"{"type":"string","format":"password"}"#, Some("password")),
        (r#"{"type":"string","title":"City"}"#, None),
        (r#"{"type":"string","writeOnly":"true"}"#, None),
    ] {
        assert_eq!(
            form_of(property).fields()[0].secret_hint(),
            hint,
            "{property}"
        );
    }
    let form = form(r#"{"properties":{"githubToken":{"type":"string"}}}"#);
    assert_eq!(form.fields()[0].secret_hint(), Some("token"));
}

#[test]
fn a_name_is_made_readable_where_there_is_no_title() {
    for (name, label) in [
        ("seats", "Seats"),
        ("arrival_date", "Arrival date"),
        ("arrival-date", "Arrival date"),
        ("arrivalDate", "Arrival date"),
        ("__x__", "X"),
        ("_", "_"),
        ("ID", "ID"),
    ] {
        let form = form(&format!(
            r#"{{"properties":{{"{name}":{{"type":"string"}}}}}}"#
        ));
        assert_eq!(form.fields()[0].label(), label);
        assert_eq!(
            form.field(name).map(|field| field.name.as_str()),
            Some(name)
        );
    }
}
