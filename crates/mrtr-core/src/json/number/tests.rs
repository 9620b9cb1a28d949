use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Decimal<'_> {
    Decimal::parse(text).expect("a number")
}

#[test]
fn one_value_however_it_is_written() {
    for same in [
        "1.0", "1e0", "10e-1", "0.1e1", "0.001E+3", "1.000e-0", "100e-2",
    ] {
        assert_eq!(parse(same), parse("1"), "{same}");
    }
    for same in ["-0", "0.0", "0e999999999999999999999999", "-0.00e-5"] {
        assert_eq!(parse(same), parse("0"), "{same}");
    }
    assert_eq!(parse("1200"), parse("0.012e5"));
    assert_eq!(parse("10.05"), parse("1005e-2"));
}

#[test]
fn neighbours_beyond_two_to_the_53_differ() {
    assert_ne!(parse("9007199254740993"), parse("9007199254740992"));
    assert_ne!(parse("0.1"), parse("0.10000000000000000001"));
    assert_ne!(parse("1e400"), parse("1e401"), "both are infinite as f64");
    assert_ne!(parse("1"), parse("-1"));
    assert_ne!(parse("1"), parse("10"));
    assert_ne!(parse("12"), parse("120"));
}

#[test]
fn huge_exponents_are_neither_expanded_nor_confused() {
    assert_ne!(parse("1e999999999"), parse("1e999999998"));
    assert_eq!(parse("1e999999999"), parse("0.1e1000000000"));
    let mut out = Vec::new();
    parse("1e999999999").write_canonical(&mut out);
    assert!(out.len() < 10);
    let too_large = Err(NumberError::ExponentTooLarge);
    assert_eq!(Decimal::parse("1e99999999999999999999"), too_large);
    assert_eq!(Decimal::parse("10e9223372036854775807"), too_large);
}

#[test]
fn only_json_numbers_are_numbers() {
    for text in [
        "", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x1", "1 ", "NaN", "1e1.0", "--1",
    ] {
        assert_eq!(
            Decimal::parse(text),
            Err(NumberError::NotANumber),
            "{text:?}"
        );
    }
}

#[test]
fn an_integer_may_be_written_with_a_point() {
    for text in ["1.0", "0.5e1", "150e-1", "0"] {
        assert!(parse(text).is_integer(), "{text}");
    }
    assert!(!parse("15e-1").is_integer());
}

#[test]
fn order_is_by_value() {
    let ascending = [
        "-1e400",
        "-9007199254740993",
        "-9007199254740992.5",
        "-1.1",
        "-1",
        "-1e-9223372036854775807",
        "0",
        "1e-400",
        "0.09",
        "0.1",
        "0.11",
        "1",
        "9.99",
        "10",
        "9007199254740992",
        "9007199254740993",
        "1e9223372036854775806",
    ];
    for (i, left) in ascending.iter().enumerate() {
        for (j, right) in ascending.iter().enumerate() {
            assert_eq!(parse(left).cmp(&parse(right)), i.cmp(&j), "{left} {right}");
        }
    }
    assert_eq!(parse("-0").cmp(&parse("0e9")), Ordering::Equal);
}

#[test]
fn integers_convert_exactly_or_not_at_all() {
    assert_eq!(parse("1.50e1").to_i128(), Some(15));
    assert_eq!(parse("-0.0").to_i128(), Some(0));
    assert_eq!(parse(&i128::MIN.to_string()).to_i128(), Some(i128::MIN));
    assert_eq!(parse(&i128::MAX.to_string()).to_i128(), Some(i128::MAX));
    assert_eq!(parse("1e38").to_i128(), Some(10i128.pow(38)));
    for none in [
        "1.5",
        "1e39",
        "1e9223372036854775806",
        "170141183460469231731687303715884105728",
    ] {
        assert_eq!(parse(none).to_i128(), None, "{none}");
    }
}

fn canonical(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    parse(text).write_canonical(&mut out);
    out
}

proptest! {
    #[test]
    fn shifting_the_point_keeps_the_value(
        number: i64, zeros in 0usize..30, shift in 0i64..40,
    ) {
        let plain = number.to_string();
        let padded = format!("{number}.{}", "0".repeat(zeros + 1));
        let shifted = format!("{number}{}e-{shift}", "0".repeat(shift as usize));
        prop_assert_eq!(parse(&plain), parse(&padded));
        prop_assert_eq!(canonical(&plain), canonical(&shifted));
    }

    #[test]
    fn different_integers_differ(left: i128, right: i128) {
        prop_assert_eq!(canonical(&left.to_string()) == canonical(&right.to_string()), left == right);
    }

    #[test]
    fn equality_and_the_canonical_form_agree(
        left in r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        right in r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
    ) {
        prop_assert_eq!(parse(&left) == parse(&right), canonical(&left) == canonical(&right));
    }

    #[test]
    fn order_agrees_with_integers_and_equality(left: i64, right: i64, near in -3i64..3) {
        for right in [right, left.saturating_add(near)] {
            let (a, b) = (left.to_string(), format!("{right}.0"));
            prop_assert_eq!(parse(&a).cmp(&parse(&b)), left.cmp(&right));
            prop_assert_eq!(parse(&a) == parse(&b), left == right);
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in "[-+0-9.eE]{0,30}") {
        if let Ok(number) = Decimal::parse(&text) {
            let _ = (number.to_i128(), number.cmp(&number));
        }
    }
}
