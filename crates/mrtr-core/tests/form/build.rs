//! Forms built by hand.

use mrtr_core::form::{Choice, Field, FieldDraft, FormSchema, Format, Number};

fn error(field: impl Into<FieldDraft>) -> String {
    FormSchema::builder()
        .field(field)
        .build()
        .expect_err("refused")
        .to_string()
}

#[test]
fn the_wire_form_is_exactly_the_protocols() {
    let form = FormSchema::builder()
        .field(
            Field::text("name")
                .title("Name")
                .description("Say \"hi\"\n")
                .min_length(1)
                .max_length(80)
                .default("Ada"),
        )
        .field(Field::text("mail").format(Format::Email).optional())
        .field(Field::integer("seats").min(1).max(9).default(2))
        .field(Field::number("price").min(0.5).max(1e300).optional())
        .field(Field::boolean("agree").default(false))
        .field(Field::select("class", ["eco", "biz"]).default("biz"))
        .field(Field::select("color", [("#f00", "Red"), ("#0f0", "Green")]).optional())
        .field(
            Field::multi_select("extras", ["meal", "bag"])
                .min_items(1)
                .max_items(2)
                .default(["bag"]),
        )
        .field(
            Field::multi_select("days", [Choice::titled("1", "Monday"), Choice::new("2")])
                .optional(),
        )
        .build()
        .expect("a form");
    let expected = concat!(
        r#"{"type":"object","properties":{"#,
        r#""name":{"type":"string","title":"Name","description":"Say \"hi\"\n","minLength":1,"maxLength":80,"default":"Ada"},"#,
        r#""mail":{"type":"string","format":"email"},"#,
        r#""seats":{"type":"integer","minimum":1,"maximum":9,"default":2},"#,
        r#""price":{"type":"number","minimum":0.5,"maximum":1e300},"#,
        r#""agree":{"type":"boolean","default":false},"#,
        r#""class":{"type":"string","enum":["eco","biz"],"default":"biz"},"#,
        r##""color":{"type":"string","oneOf":[{"const":"#f00","title":"Red"},{"const":"#0f0","title":"Green"}]},"##,
        r#""extras":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["meal","bag"]},"default":["bag"]},"#,
        r#""days":{"type":"array","items":{"anyOf":[{"const":"1","title":"Monday"},{"const":"2","title":"2"}]}}"#,
        r#"},"required":["name","seats","agree","class","extras"]}"#,
    );
    assert_eq!(form.raw(), expected);
}

#[test]
fn a_form_without_fields_only_shows_its_message() {
    let form = FormSchema::builder().build().expect("a form");
    assert_eq!(form.raw(), r#"{"type":"object","properties":{}}"#);
    assert!(form.validate(None).is_ok());
}

#[test]
fn mistakes_of_the_author_are_told_with_the_field() {
    for (message, wanted) in [
        (error(Field::text("")), "the name is empty"),
        (
            error(Field::text("n".repeat(101))),
            "the name has 101 characters, more than 100",
        ),
        (
            error(Field::text("a\u{7}")),
            "the name contains control characters",
        ),
        (
            error(Field::text("a").title("t".repeat(201))),
            "the title has 201 characters",
        ),
        (
            error(Field::text("a").description("t".repeat(2001))),
            "the description has 2001 characters",
        ),
        (
            error(Field::text("a").min_length(3).max_length(2)),
            "the min_length 3 is above the max_length 2",
        ),
        (
            error(Field::text("a").format(Format::Other("phone".into()))),
            "email, uri, date and date-time only",
        ),
        (
            error(Field::text("a").format(Format::Date).default("soon")),
            "the default does not fit: A must be a date",
        ),
        (
            error(Field::integer("a").min(3).max(2)),
            "the min 3 is above the max 2",
        ),
        (
            error(Field::integer("a").max(2).default(3)),
            "the default does not fit: A must be at most 2",
        ),
        (
            error(Field::integer("a").default(0.5)),
            "the default does not fit: A must be a whole number",
        ),
        (
            error(Field::number("a").min(f64::NAN)),
            "not a finite number",
        ),
        (
            error(Field::number("a").max(f64::INFINITY)),
            "not a finite number",
        ),
        (
            error(Field::select("a", [""; 0])),
            "a select offers 1 to 10000 choices, not 0",
        ),
        (
            error(Field::select("a", ["x", "x"])),
            "the choice x is offered twice",
        ),
        (
            error(Field::select("a", ["x"]).default("y")),
            "the default does not fit: A must be one of: x",
        ),
        (
            error(Field::multi_select("a", ["x"]).min_items(2)),
            "the min_items 2 is above the number of choices 1",
        ),
        (
            error(
                Field::multi_select("a", ["x", "y"])
                    .min_items(2)
                    .max_items(1),
            ),
            "the min_items 2 is above the max_items 1",
        ),
        (
            error(
                Field::multi_select("a", ["x", "y"])
                    .max_items(1)
                    .default(["x", "y"]),
            ),
            "A takes at most 1 choice",
        ),
    ] {
        assert!(
            message.starts_with("cannot build the form: field `") && message.contains(wanted),
            "{message}"
        );
    }
    let twice = FormSchema::builder()
        .field(Field::text("a"))
        .field(Field::boolean("a"))
        .build();
    assert_eq!(twice.expect_err("twice").field(), Some("a"));
    let many = (0..257)
        .fold(FormSchema::builder(), |form, i| {
            form.field(Field::text(format!("f{i}")))
        })
        .build();
    assert_eq!(
        many.expect_err("too many").to_string(),
        "cannot build the form: more than 256 fields"
    );
}

#[test]
fn a_form_does_not_ask_for_secrets() {
    for message in [
        error(Field::text("api_key")),
        error(Field::text("x").title("Your password")),
    ] {
        assert!(
            message.contains("must not ask for passwords") && message.contains("elicit_url"),
            "{message}"
        );
    }
    assert!(
        FormSchema::builder()
            .field(Field::integer("token").not_secret())
            .build()
            .is_ok()
    );
}

#[test]
fn a_peers_field_can_be_used_in_a_form_of_ones_own() {
    let theirs = super::form(
        r#"{"properties":{"n":{"type":"integer","maximum":3},"w":{"type":"string","writeOnly":true}}}"#,
    );
    let form = FormSchema::builder()
        .field(theirs.fields()[0].clone())
        .build()
        .expect("a form");
    assert_eq!(
        form.raw(),
        r#"{"type":"object","properties":{"n":{"type":"integer","maximum":3}}}"#
    );
    assert!(error(theirs.fields()[1].clone()).contains("writeOnly"));
}

#[test]
fn numbers_of_the_host_become_numbers_of_json() {
    for (value, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (36.6, "36.6"),
        (1e21, "1e21"),
        (1e-9, "1e-9"),
        (5e-324, "5e-324"),
        (100.0, "100"),
    ] {
        let number = Number::from_f64(value).expect("finite");
        assert_eq!((number.as_str(), number.as_f64()), (text, value));
        assert_eq!(Number::parse(text), Some(number));
    }
    assert_eq!(Number::from_f64(f64::NAN), None);
    assert_eq!(Number::from(u64::MAX).as_i128(), Some(u64::MAX.into()));
    for text in ["NaN", "Infinity", "1e999", "01", "+1", "", "0x1", " 1"] {
        assert_eq!(Number::parse(text), None, "{text}");
    }
}
