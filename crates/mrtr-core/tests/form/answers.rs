//! Answers against their forms.

use mrtr_core::form::{FieldValue, FormContent, FormSchema, Number};

use super::{answer, form, form_of, told};

#[test]
fn d1_an_accept_without_content_lacks_what_is_required_and_nothing_else() {
    let form = form_of(r#"{"type":"string"}"#);
    let problems = form.validate(None).expect_err("required");
    assert_eq!(problems.to_string(), "X is required.");
    assert_eq!(
        problems.of("x").map(|problem| problem.message()),
        Some("X is required")
    );
    assert_eq!(form.validate(None), answer(&form, "{}"));
}

#[test]
fn d7_accepted_content_is_checked() {
    let form = form(
        r#"{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","minimum":0}},"required":["name"]}"#,
    );
    assert_eq!(told(&form, "{}"), "Name is required.");
    assert_eq!(told(&form, r#"{"name":42}"#), "Name must be text.");
    assert_eq!(
        told(&form, r#"{"name":"A","age":-5}"#),
        "Age must be at least 0."
    );
    assert_eq!(
        told(&form, r#"{"name":"A","extra":{"x":1}}"#),
        "extra is not a field of this form, and is not a value that a form can hold.",
    );
    assert_eq!(
        told(&form, r#"{"name":42,"age":"x"}"#),
        "Name must be text. Age must be a whole number at least 0.",
    );
}

#[test]
fn a_stranger_with_a_value_that_content_can_have_is_left_out() {
    let form = form_of(r#"{"type":"string"}"#);
    for value in ["1", "1.5", "\"s\"", "true", "[]", r#"["a"]"#] {
        let content = answer(&form, &format!(r#"{{"extra":{value},"x":"v"}}"#)).expect(value);
        assert_eq!(content.to_json(), r#"{"x":"v"}"#);
    }
    for value in ["null", "{}", "[1]", "[[]]", "[null]", "[\"a\",{}]"] {
        assert!(
            answer(&form, &format!(r#"{{"extra":{value},"x":"v"}}"#)).is_err(),
            "{value}"
        );
    }
}

#[test]
fn g1_a_required_integer_is_never_settled_by_an_empty_accept() {
    let form = form_of(r#"{"type":"integer","minimum":1,"maximum":3}"#);
    assert!(form.validate(None).is_err());
    assert!(form.check(&FormContent::new()).is_err());
    assert!(answer(&form, r#"{"x":true}"#).is_err());
    assert_eq!(
        answer(&form, r#"{"x":3}"#).expect("valid").get("x"),
        Some(&FieldValue::Number(3.into()))
    );
}

#[test]
fn numbers_are_those_of_the_schema() {
    let (number, integer) = (
        form_of(r#"{"type":"number"}"#),
        form_of(r#"{"type":"integer"}"#),
    );
    for text in ["36.6", "-0.5", "1e3", "0", "1.0", "1E+2"] {
        assert!(
            answer(&number, &format!(r#"{{"x":{text}}}"#)).is_ok(),
            "{text}"
        );
    }
    for text in [
        "1.0",
        "1e3",
        "-0",
        "150e-1",
        "9007199254740993",
        "123456789012345678901234567890",
    ] {
        let content = answer(&integer, &format!(r#"{{"x":{text}}}"#)).expect(text);
        assert_eq!(
            content.to_json(),
            format!(r#"{{"x":{text}}}"#),
            "kept as written"
        );
    }
    assert_eq!(told(&integer, r#"{"x":1.5}"#), "X must be a whole number.");
    assert_eq!(told(&integer, r#"{"x":"1"}"#), "X must be a whole number.");
    assert_eq!(told(&number, r#"{"x":"1"}"#), "X must be a number.");
    assert_eq!(told(&number, r#"{"x":true}"#), "X must be a number.");
    assert_eq!(
        told(&number, r#"{"x":1e999}"#),
        "X is a number too long or too large to handle."
    );
    let long = format!(r#"{{"x":0.{}}}"#, "1".repeat(200));
    assert_eq!(
        told(&number, &long),
        "X is a number too long or too large to handle."
    );
}

#[test]
fn integers_beyond_two_to_the_53_stay_exact() {
    let form = form_of(r#"{"type":"integer","minimum":9007199254740993}"#);
    assert!(answer(&form, r#"{"x":9007199254740992}"#).is_err());
    let content = answer(&form, r#"{"x":9007199254740993}"#).expect("valid");
    let Some(FieldValue::Number(number)) = content.get("x") else {
        panic!("number")
    };
    assert_eq!(number.as_i128(), Some(9_007_199_254_740_993));
    assert_ne!(*number, Number::from(9_007_199_254_740_992_i64));
}

#[test]
fn lengths_count_code_points() {
    let form = form_of(r#"{"type":"string","minLength":2,"maxLength":3}"#);
    for good in ["é😀", "日本語", r"\ud83d\ude00a", r"a\u0301"] {
        assert!(
            answer(&form, &format!(r#"{{"x":"{good}"}}"#)).is_ok(),
            "{good}"
        );
    }
    assert_eq!(
        told(&form, r#"{"x":"😀"}"#),
        "X must be between 2 and 3 characters long, not 1."
    );
    assert_eq!(
        told(&form, r#"{"x":"日本語版"}"#),
        "X must be between 2 and 3 characters long, not 4."
    );
}

#[test]
fn sentences_say_the_bound_that_matters() {
    for (property, content, sentence) in [
        (
            r#"{"type":"integer","minimum":1,"maximum":9}"#,
            "12",
            "X must be between 1 and 9.",
        ),
        (
            r#"{"type":"integer","minimum":1,"maximum":9}"#,
            "\"many\"",
            "X must be a whole number between 1 and 9.",
        ),
        (
            r#"{"type":"number","minimum":0.5}"#,
            "0.25",
            "X must be at least 0.5.",
        ),
        (
            r#"{"type":"number","maximum":3}"#,
            "3.1",
            "X must be at most 3.",
        ),
        (
            r#"{"type":"number","minimum":3,"maximum":3.0}"#,
            "4",
            "X must be exactly 3.",
        ),
        (
            r#"{"type":"string","minLength":1}"#,
            "\"\"",
            "X must be at least 1 character long, not 0.",
        ),
        (
            r#"{"type":"string","minLength":0,"maxLength":2}"#,
            "\"abc\"",
            "X must be at most 2 characters long, not 3.",
        ),
        (
            r#"{"type":"string","minLength":2,"maxLength":2}"#,
            "\"abc\"",
            "X must be exactly 2 characters long, not 3.",
        ),
        (
            r#"{"type":"string","format":"email"}"#,
            "\"me\"",
            "X must be an email address, like name@example.com.",
        ),
        (
            r#"{"type":"string","format":"uri"}"#,
            "\"example.com\"",
            "X must be a complete URL, like https://example.com/page.",
        ),
        (
            r#"{"type":"string","format":"date"}"#,
            "\"2026-02-30\"",
            "X must be a date, like 2026-07-28.",
        ),
        (
            r#"{"type":"string","format":"date-time"}"#,
            "\"2026-07-28\"",
            "X must be a date and time with its time zone, like 2026-07-28T09:30:00Z.",
        ),
        (
            r#"{"type":"boolean"}"#,
            "\"true\"",
            "X must be yes or no (true or false).",
        ),
        (
            r#"{"type":"boolean"}"#,
            "null",
            "X must be yes or no (true or false).",
        ),
        (
            r#"{"type":"string","enum":["a","b"]}"#,
            "\"c\"",
            "X must be one of: a, b.",
        ),
        (
            r#"{"type":"string","enum":["a","b"]}"#,
            "1",
            "X must be one of: a, b.",
        ),
        (
            r#"{"type":"string","enum":["1","2","3","4","5","6","7","8","9","10"]}"#,
            "\"0\"",
            "X must be one of: 1, 2, 3, 4, 5, 6, 7, 8 and 2 more.",
        ),
        (
            r#"{"type":"array","items":{"enum":["a","b"]},"minItems":2,"maxItems":2}"#,
            r#"["a"]"#,
            "X needs exactly 2 choices.",
        ),
        (
            r#"{"type":"array","items":{"enum":["a","b"]},"minItems":1,"maxItems":2}"#,
            "[]",
            "X needs between 1 and 2 choices.",
        ),
        (
            r#"{"type":"array","items":{"enum":["a","b"]},"maxItems":1}"#,
            r#"["a","b"]"#,
            "X takes at most 1 choice.",
        ),
        (
            r#"{"type":"array","items":{"enum":["a","b"]}}"#,
            r#"["a",1]"#,
            "X must be a list chosen from: a, b.",
        ),
        (r#"{"type":"string"}"#, r#""\ud800""#, "X must be text."),
    ] {
        assert_eq!(
            told(&form_of(property), &format!(r#"{{"x":{content}}}"#)),
            sentence,
            "{property} {content}"
        );
    }
}

#[test]
fn null_is_not_a_value_of_an_optional_field_either() {
    let form = form(r#"{"properties":{"n":{"type":"integer"}}}"#);
    assert_eq!(
        told(&form, r#"{"n":null}"#),
        "N must be a whole number, or be left out."
    );
}

#[test]
fn content_that_is_no_object_of_distinct_members_is_refused() {
    let form = form(r#"{"properties":{"my_field":{"type":"string"}}}"#);
    for content in ["[]", "\"a\"", "7", "null", "true", r#"[{"my_field":"a"}]"#] {
        assert_eq!(
            told(&form, content),
            "The answer must be an object with a value for each field."
        );
    }
    assert_eq!(
        told(&form, r#"{"my_field":"a","my_field":"a"}"#),
        "My field is given twice."
    );
    assert_eq!(
        told(&form, r#"{"my_field":"a","my\u005ffield":"b"}"#),
        "My field is given twice."
    );
    assert_eq!(
        told(&form, r#"{"other":1,"other":2}"#),
        "other is given twice."
    );
}

#[test]
fn content_comes_out_in_the_order_of_the_form() {
    let form = form(
        r#"{"properties":{"b":{"type":"string"},"a":{"type":"boolean"},"c":{"type":"number"}}}"#,
    );
    let content = answer(&form, r#"{ "c": 1.50, "a": true, "b": "x\u0079\n" }"#).expect("valid");
    assert_eq!(content.to_json(), r#"{"b":"xy\n","a":true,"c":1.50}"#);
    assert_eq!(content.to_raw().get(), content.to_json());
    assert_eq!(
        serde_json::to_string(&content).expect("JSON"),
        content.to_json()
    );
}

#[test]
fn what_is_said_is_bounded_whatever_was_answered() {
    let form = form(r#"{"properties":{}}"#);
    let hostile: Vec<_> = (0..500)
        .map(|i| format!("\"{i}\\u001b[2J\\n{}\":{{}}", "x".repeat(40)))
        .collect();
    let problems = answer(&form, &format!("{{{}}}", hostile.join(","))).expect_err("refused");
    assert_eq!(problems.iter().count(), 16);
    let text = problems.to_string();
    assert!(text.ends_with("And 484 more."), "{text}");
    assert!(text.len() < 8 * 1024 && !text.contains(char::is_control));
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(FormSchema::MAX_CONTENT_LEN));
    assert_eq!(told(&form, &long), "The answer is longer than 32 KiB.");
}

#[test]
fn a_client_checks_each_value_as_it_is_entered() {
    let form = form_of(r#"{"type":"integer","minimum":1,"maximum":9,"title":"Seats"}"#);
    let seats = &form.fields()[0];
    assert!(seats.check(&3.into()).is_ok());
    let problem = seats.check(&12.into()).expect_err("out of range");
    assert_eq!(
        (problem.field(), problem.message()),
        ("x", "Seats must be between 1 and 9")
    );
    assert!(
        seats.check(&"3".into()).is_err(),
        "the text 3 is not the number 3"
    );
}

#[test]
fn a_client_checks_the_whole_before_it_is_sent() {
    let form = form_of(r#"{"type":"string"}"#);
    let mut content = FormContent::new();
    assert_eq!(
        form.check(&content).expect_err("missing").to_string(),
        "X is required."
    );
    content.insert("x", "v");
    assert!(form.check(&content).is_ok());
    content.insert("y", true);
    assert_eq!(
        form.check(&content).expect_err("stranger").to_string(),
        "y is not a field of this form."
    );
    assert_eq!(content.remove("y"), Some(true.into()));
    assert_eq!(
        content.insert("x", "x".repeat(FormSchema::MAX_CONTENT_LEN)),
        Some("v".into())
    );
    assert_eq!(
        form.check(&content).expect_err("too long").to_string(),
        "The answer is longer than 32 KiB."
    );
}
