//! `#[derive(Form)]`.

use mrtr_core::form::{
    FieldValue, Form, FormChoice, FormField, FormSchema, KindSpec, Number, Problems,
};
use mrtr_derive::Form;
use serde_json::value::RawValue;

#[derive(Form, Debug, PartialEq)]
#[form(crate = "mrtr_core")]
pub(crate) struct Booking {
    /// How many of you
    /// travel.
    ///
    /// Children count.
    #[form(min = 1, max = 9, default = 2)]
    seats: u8,
    #[form(title = "Travel class", default = Class::Business)]
    class: Class,
    #[form(min_items = 1, max_items = 2, default = [Extra::Meal, "bag"])]
    extras: Vec<Extra>,
    #[form(format = "date", rename = "departureDate")]
    departure: String,
    #[form(min_length = 2, max_length = 80, default = "none")]
    note: Option<String>,
    #[form(min = 0.5, max = 1000)]
    budget: Option<f64>,
    #[form(default = false)]
    window: bool,
    r#type: Option<Class>,
    #[form(not_secret)]
    token: Option<i64>,
    code: Option<Airport>,
}

/// Where to sit.
#[derive(Form, Debug, PartialEq, Clone, Copy)]
#[form(crate = "mrtr_core")]
pub(crate) enum Class {
    Economy,
    /// More room
    Business,
    #[form(rename = "1st", title = "First class")]
    First,
}

#[derive(Form, Debug, PartialEq)]
#[form(crate = "mrtr_core")]
pub(crate) enum Extra {
    #[form(rename = "meal")]
    Meal,
    #[form(rename = "bag")]
    Bag,
}

#[derive(Debug, PartialEq)]
struct Airport(String);

impl FormField for Airport {
    const KIND: KindSpec = KindSpec::Text;

    fn read(value: &FieldValue) -> Result<Self, String> {
        let code = String::read(value)?;
        if code.len() == 3 {
            Ok(Self(code))
        } else {
            Err("must be a three-letter code".into())
        }
    }
}

#[derive(Form, Debug, PartialEq)]
#[form(crate = "mrtr_core")]
pub(crate) struct Notice {}

#[derive(Form, Debug, PartialEq)]
#[form(crate = "mrtr_core")]
pub(crate) struct Unit;

#[derive(Form, Debug, PartialEq)]
#[form(crate = "mrtr_core")]
#[allow(dead_code)]
pub(crate) struct Numbers {
    a: i8,
    b: u16,
    c: u32,
    d: i64,
    e: u64,
    f: f32,
    g: Number,
    h: usize,
    #[form(min = -5, max = 0xff)]
    i: i32,
}

fn read<T: Form>(json: &str) -> Result<T, Problems> {
    let content: &RawValue = serde_json::from_str(json).expect("JSON");
    T::from_answer(Some(content))
}

#[test]
fn fields_come_in_source_order_as_the_protocol_writes_them() {
    let expected = concat!(
        r#"{"type":"object","properties":{"#,
        r#""seats":{"type":"integer","description":"How many of you travel.\nChildren count.","minimum":1,"maximum":9,"default":2},"#,
        r#""class":{"type":"string","title":"Travel class","oneOf":[{"const":"Economy","title":"Economy"},"#,
        r#"{"const":"Business","title":"More room"},{"const":"1st","title":"First class"}],"default":"Business"},"#,
        r#""extras":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["meal","bag"]},"default":["meal","bag"]},"#,
        r#""departureDate":{"type":"string","format":"date"},"#,
        r#""note":{"type":"string","minLength":2,"maxLength":80,"default":"none"},"#,
        r#""budget":{"type":"number","minimum":0.5,"maximum":1000},"#,
        r#""window":{"type":"boolean","default":false},"#,
        r#""type":{"type":"string","oneOf":[{"const":"Economy","title":"Economy"},{"const":"Business","title":"More room"},"#,
        r#"{"const":"1st","title":"First class"}]},"#,
        r#""token":{"type":"integer"},"#,
        r#""code":{"type":"string"}"#,
        r#"},"required":["seats","class","extras","departureDate","window"]}"#,
    );
    assert_eq!(Booking::schema().raw(), expected);
    assert_eq!(
        serde_json::from_str::<FormSchema>(expected)
            .expect("a form")
            .fields(),
        Booking::schema().fields()
    );
}

#[test]
fn the_form_is_made_once() {
    assert!(std::ptr::eq(Booking::schema(), Booking::schema()));
    assert!(std::ptr::eq(
        Booking::schema().raw(),
        Booking::schema().clone().raw()
    ));
}

#[test]
fn an_answer_becomes_the_struct() {
    let booking: Booking = read(
        r#"{"seats":2.0,"class":"1st","extras":["bag"],"departureDate":"2026-07-28","window":true,"budget":36.6,"token":9007199254740993,"code":"OSL"}"#,
    )
    .expect("valid");
    let expected = Booking {
        seats: 2,
        class: Class::First,
        extras: vec![Extra::Bag],
        departure: "2026-07-28".into(),
        note: None,
        budget: Some(36.6),
        window: true,
        r#type: None,
        token: Some(9_007_199_254_740_993),
        code: Some(Airport("OSL".into())),
    };
    assert_eq!(booking, expected);
}

#[test]
fn every_problem_is_told_at_once() {
    let problems =
        read::<Booking>(r#"{"seats":10,"class":"Third","extras":[],"departureDate":"soon"}"#)
            .expect_err("invalid");
    assert_eq!(
        problems.to_string(),
        "Seats must be between 1 and 9. Travel class must be one of: Economy, Business, 1st. Extras needs between 1 and 2 choices. \
         DepartureDate must be a date, like 2026-07-28. Window is required."
            .replace("DepartureDate", "Departure date"),
    );
}

#[test]
fn what_only_the_type_refuses_is_told_as_well() {
    let problems = read::<Booking>(
        r#"{"seats":1,"class":"1st","extras":["bag"],"departureDate":"2026-07-28","window":true,"token":1e30,"code":"Oslo"}"#,
    )
    .expect_err("invalid");
    let messages: Vec<_> = problems.iter().map(|problem| problem.message()).collect();
    assert_eq!(
        messages,
        [
            "Token must be between -9223372036854775808 and 9223372036854775807",
            "Code must be a three-letter code"
        ],
    );
}

#[test]
fn the_types_limits_are_on_the_wire_where_peers_can_read_them() {
    let expected = concat!(
        r#"{"type":"object","properties":{"#,
        r#""a":{"type":"integer","minimum":-128,"maximum":127},"#,
        r#""b":{"type":"integer","minimum":0,"maximum":65535},"#,
        r#""c":{"type":"integer","minimum":0,"maximum":4294967295},"#,
        r#""d":{"type":"integer"},"#,
        r#""e":{"type":"integer","minimum":0},"#,
        r#""f":{"type":"number"},"#,
        r#""g":{"type":"number"},"#,
        r#""h":{"type":"integer","minimum":0},"#,
        r#""i":{"type":"integer","minimum":-5,"maximum":255}"#,
        r#"},"required":["a","b","c","d","e","f","g","h","i"]}"#,
    );
    assert_eq!(Numbers::schema().raw(), expected);
    let fine = r#"{"a":-128,"b":0,"c":4294967295,"d":-9223372036854775808,"e":18446744073709551615,"f":0.1,"g":0.10,"h":0,"i":0}"#;
    let numbers: Numbers = read(fine).expect("valid");
    assert_eq!(
        (numbers.d, numbers.e, numbers.f, numbers.g.as_str()),
        (i64::MIN, u64::MAX, 0.1, "0.10")
    );
    let told = read::<Numbers>(&fine.replace("18446744073709551615", "18446744073709551616"))
        .expect_err("too large");
    assert_eq!(
        told.to_string(),
        "E must be between 0 and 18446744073709551615."
    );
    let told = read::<Numbers>(&fine.replace("0.1,", "1e300,")).expect_err("too large");
    assert!(
        told.to_string().starts_with("F must be between -340282"),
        "{told}"
    );
}

#[test]
fn a_form_without_fields_is_a_message_to_confirm() {
    for schema in [Notice::schema(), Unit::schema()] {
        assert_eq!(schema.raw(), r#"{"type":"object","properties":{}}"#);
    }
    assert_eq!(Notice::from_answer(None), Ok(Notice {}));
    assert_eq!(read::<Unit>("{}"), Ok(Unit));
}

#[test]
fn a_choice_is_a_form_of_its_own() {
    assert_eq!(
        Class::schema().raw(),
        concat!(
            r#"{"type":"object","properties":{"choice":{"type":"string","description":"Where to sit.","oneOf":["#,
            r#"{"const":"Economy","title":"Economy"},{"const":"Business","title":"More room"},{"const":"1st","title":"First class"}]}},"#,
            r#""required":["choice"]}"#,
        ),
    );
    assert_eq!(
        read::<Class>(r#"{"choice":"Business"}"#),
        Ok(Class::Business)
    );
    assert_eq!(
        read::<Class>("{}").expect_err("required").to_string(),
        "Choice is required."
    );
    assert_eq!(
        (Class::First.value(), Class::from_value("1st")),
        ("1st", Some(Class::First))
    );
}

#[test]
fn a_form_may_be_declared_inside_a_function() {
    #[derive(Form)]
    #[form(crate = "mrtr_core")]
    struct Local {
        name: String,
    }
    assert_eq!(
        read::<Local>(r#"{"name":"Ada"}"#).map(|form| form.name),
        Ok("Ada".into())
    );
}
