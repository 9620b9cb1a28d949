//! Rules that hold for every form and every answer.

use mrtr_core::form::{
    Choice, Field, FieldDraft, FieldKind, FieldValue, FormContent, FormSchema, Format, Number,
};
use proptest::prelude::*;
use serde_json::value::RawValue;

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("finite", Number::from_f64)
    ]
}

fn choices() -> impl Strategy<Value = Vec<Choice>> {
    let choice = (".{0,6}", prop::option::of("[^\\pC]{0,6}"));
    prop::collection::vec(choice, 1..5).prop_map(|choices| {
        let choice = |(i, (value, title)): (usize, (String, Option<String>))| {
            let value = format!("{i}{}", value.replace(char::is_control, ""));
            title.map_or_else(
                || Choice::new(&*value),
                |title| Choice::titled(&*value, title),
            )
        };
        choices.into_iter().enumerate().map(choice).collect()
    })
}

fn draft(name: String) -> impl Strategy<Value = FieldDraft> {
    let format = prop::sample::select(vec![
        Format::Email,
        Format::Uri,
        Format::Date,
        Format::DateTime,
    ]);
    let text = (
        0u32..9,
        0u32..9,
        prop::option::of(format),
        "[a-c\"\\\\é😀]{0,3}",
    )
        .prop_map({
            let name = name.clone();
            move |(a, b, format, default)| {
                let text = Field::text(&*name)
                    .min_length(a.min(b))
                    .max_length(a.max(b).max(3));
                match format {
                    Some(format) => text.format(format).into(),
                    None => text.min_length(0).default(default).into(),
                }
            }
        });
    let numeric = (any::<bool>(), number(), number()).prop_map({
        let name = name.clone();
        move |(integer, a, b)| {
            let field = if integer {
                Field::integer(&*name)
            } else {
                Field::number(&*name)
            };
            field
                .min(a.clone().min(b.clone()))
                .max(a.max(b))
                .optional()
                .into()
        }
    });
    let boolean = prop::option::of(any::<bool>()).prop_map({
        let name = name.clone();
        move |default| {
            default
                .map_or(Field::boolean(&*name), |value| {
                    Field::boolean(&*name).default(value)
                })
                .into()
        }
    });
    let select = choices().prop_map({
        let name = name.clone();
        move |options| {
            let default = options[0].value.clone();
            Field::select(&*name, options)
                .default(default)
                .description("d\n\"")
                .into()
        }
    });
    let many = (choices(), 0u32..2).prop_map(move |(options, min)| {
        let all: Vec<_> = options.iter().map(|option| option.value.clone()).collect();
        Field::multi_select(&*name, options)
            .min_items(min)
            .default(all)
            .title("T")
            .optional()
            .into()
    });
    prop_oneof![text, numeric, boolean, select, many]
}

fn any_form() -> impl Strategy<Value = FormSchema> {
    prop::collection::vec("[a-zé\"\\\\]{0,4}", 0..6)
        .prop_flat_map(|names| {
            let named = |(i, name): (usize, String)| draft(format!("{name}{i}"));
            names.into_iter().enumerate().map(named).collect::<Vec<_>>()
        })
        .prop_map(|drafts| {
            let form = drafts
                .into_iter()
                .fold(FormSchema::builder(), |form, draft| form.field(draft));
            form.build().expect("a form")
        })
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        number().prop_map(|number| number.as_str().to_owned()),
        Just("1e400".to_owned()),
        Just(r#""\ud800""#.to_owned()),
        ".{0,8}".prop_map(|text| serde_json::to_string(&text).expect("JSON")),
        prop::sample::select(vec![
            "string", "number", "integer", "boolean", "array", "object"
        ])
        .prop_map(|name| format!("\"{name}\"")),
    ];
    let keys = prop::sample::select(vec![
        "type",
        "properties",
        "required",
        "enum",
        "enumNames",
        "oneOf",
        "anyOf",
        "const",
        "title",
        "items",
        "default",
        "format",
        "minLength",
        "maximum",
        "minItems",
        "a",
        "b",
        "0",
        "a0",
        "",
    ]);
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((keys.clone(), inner), 0..6).prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(key, value)| format!("\"{key}\": {value}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// A value that the field takes, if one is easily found.
fn fitting(field: &Field) -> Option<FieldValue> {
    let candidates: Vec<FieldValue> = match &field.kind {
        FieldKind::Text(_) => vec![
            "".into(),
            "aaa".into(),
            "a@b".into(),
            "x:abc".into(),
            "2026-07-28".into(),
        ],
        FieldKind::Number(kind) => kind
            .minimum
            .clone()
            .into_iter()
            .chain(kind.maximum.clone())
            .map(FieldValue::Number)
            .collect(),
        FieldKind::Boolean(_) => vec![true.into()],
        FieldKind::Select(kind) => kind
            .options
            .iter()
            .map(|option| option.value.as_str().into())
            .collect(),
        FieldKind::MultiSelect(kind) => vec![FieldValue::Many(
            kind.options
                .iter()
                .map(|option| option.value.clone())
                .collect(),
        )],
        _ => vec![],
    };
    candidates
        .into_iter()
        .find(|value| field.check(value).is_ok())
}

proptest! {
    #[test]
    fn a_built_form_reads_back_as_itself(form in any_form()) {
        let read: FormSchema = serde_json::from_str(form.raw()).expect("a form");
        prop_assert_eq!(read.fields(), form.fields());
        prop_assert_eq!(read.digest(), form.digest());
        prop_assert!(serde_json::from_str::<serde_json::Value>(form.raw()).is_ok());
    }

    #[test]
    fn content_that_was_checked_is_valid_and_reads_back_as_itself(form in any_form()) {
        let mut content = FormContent::new();
        for field in form.fields() {
            if let Some(value) = fitting(field) {
                content.insert(&*field.name, value);
            }
        }
        match form.check(&content) {
            Ok(()) => {
                let schema: serde_json::Value = serde_json::from_str(form.raw()).expect("JSON");
                let instance: serde_json::Value = serde_json::from_str(&content.to_json()).expect("JSON");
                prop_assert!(jsonschema::is_valid(&schema, &instance), "{schema} {instance}");
                prop_assert_eq!(form.validate(Some(&content.to_raw())), Ok(content));
            }
            Err(problems) => prop_assert_eq!(form.validate(Some(&content.to_raw())), Err(problems)),
        }
    }

    #[test]
    fn whatever_a_peer_sends_as_a_form_is_read_or_refused(json in json()) {
        let raw = RawValue::from_string(json.clone()).expect("JSON");
        match FormSchema::parse(&raw) {
            Ok(form) => {
                prop_assert_eq!(form.raw(), json);
                prop_assert!(form.defaults().iter().all(|(name, value)| form.field(name).is_some_and(|field| field.check(value).is_ok())));
                let _ = form.validate(None);
            }
            Err(error) => prop_assert!(error.to_string().len() < 500),
        }
    }

    #[test]
    fn whatever_is_answered_is_accepted_as_it_is_or_refused_briefly(form in any_form(), answer in json()) {
        let raw = RawValue::from_string(answer).expect("JSON");
        match form.validate(Some(&raw)) {
            Ok(content) => {
                prop_assert!(form.check(&content).is_ok());
                prop_assert_eq!(form.validate(Some(&content.to_raw())), Ok(content));
            }
            Err(problems) => {
                let text = problems.to_string();
                prop_assert!(!text.is_empty() && text.len() < 8 * 1024);
            }
        }
    }

    #[test]
    fn a_valid_answer_is_what_a_json_schema_validator_accepts(form in any_form(), answer in json()) {
        let raw = RawValue::from_string(answer).expect("JSON");
        if form.validate(Some(&raw)).is_ok() {
            let schema: serde_json::Value = serde_json::from_str(form.raw()).expect("JSON");
            let instance: serde_json::Value = serde_json::from_str(raw.get()).expect("JSON");
            prop_assert!(jsonschema::is_valid(&schema, &instance), "{schema} {instance}");
        }
    }
}
