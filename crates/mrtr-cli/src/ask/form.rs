//! Filling in a form: its fields one after the other, then a look at the whole before it is sent.

use std::sync::Arc;

use mrtr::form::{Choice, Field, FieldKind, FieldValue, FormContent, FormSchema, Format, Problem};
use mrtr::form::{MultiSelectKind, SelectKind, TextKind};
use mrtr::wire::{ElicitForm, ElicitResult};

use super::control::{Check, Controls, Label, Left, hint, label};
use super::refusal;
use crate::show::clean;

const LEAVE: &str = "Esc: decline, cancel or review";
const LEAVE_OUT: &str = "(leave it out)";

/// What the person does with the form as a whole.
enum Choose {
    Send,
    Edit,
    Decline,
    Cancel,
}

/// Has the person fill in `form`.
///
/// # Errors
/// [`Left`], never [`Left::Back`]: who leaves the form is asked whether to decline or to cancel.
pub(crate) fn fill_in(
    controls: &mut impl Controls,
    form: &ElicitForm,
) -> Result<ElicitResult, Left> {
    let schema = &form.schema;
    if let Some(answer) = warn_of_secrets(controls, schema)? {
        return Ok(answer);
    }
    let mut content = schema.defaults();
    let mut fields: Vec<&Field> = schema.fields().iter().collect();
    loop {
        for field in fields.drain(..) {
            match enter(controls, field, &mut content) {
                Ok(()) => {}
                Err(Left::Back) => break,
                Err(left) => return Err(left),
            }
        }
        match review(controls, schema, &content)? {
            Choose::Send => return Ok(ElicitResult::accept(Some(content.to_raw()))),
            Choose::Decline => return Ok(refusal(true)),
            Choose::Cancel => return Ok(refusal(false)),
            Choose::Edit => fields = which(controls, schema, &content)?,
        }
    }
}

/// Forms must not ask for secrets. The person decides, with a no at hand.
fn warn_of_secrets(
    controls: &mut impl Controls,
    schema: &FormSchema,
) -> Result<Option<ElicitResult>, Left> {
    let secrets = secrets(schema);
    if secrets.is_empty() {
        return Ok(None);
    }
    controls.warn(&secret_warning(&secrets));
    let ask = Label {
        text: "What now?".to_owned(),
        help: "what you type here is seen by this program and by the server".to_owned(),
    };
    let options = ["Decline", "Cancel", "Fill it in anyway"].map(str::to_owned);
    match controls.one(&ask, &options, 0) {
        Ok(0) => Ok(Some(refusal(true))),
        Ok(1) | Err(Left::Back) => Ok(Some(refusal(false))),
        Ok(_) => Ok(None),
        Err(left) => Err(left),
    }
}

/// The fields that seem to ask for a secret.
pub(crate) fn secrets(schema: &FormSchema) -> Vec<String> {
    let fields = schema.fields().iter();
    let secrets = fields.filter(|field| field.secret_hint().is_some());
    secrets.map(label).collect()
}

/// What is said of a form that asks for these.
pub(crate) fn secret_warning(fields: &[String]) -> String {
    format!(
        "this form seems to ask for a secret ({}). Servers must not ask for passwords, keys, tokens \
         or payment data in a form",
        fields.join(", ")
    )
}

fn enter(
    controls: &mut impl Controls,
    field: &Field,
    content: &mut FormContent,
) -> Result<(), Left> {
    let optional = if field.required { "" } else { " (optional)" };
    let label = Label {
        text: format!("{}{optional}", label(field)),
        help: format!("{}; {LEAVE}", hint(field)),
    };
    if let Some(description) = &field.description {
        controls.quote(description);
    }
    let now = content.get(&field.name).cloned();
    let value = match &field.kind {
        FieldKind::Boolean(_) => yes_no(controls, field, &label, now)?,
        FieldKind::Select(select) => one(controls, field, select, &label, now)?,
        FieldKind::MultiSelect(many) => several(controls, field, many, &label, now)?,
        FieldKind::Text(text) if text.format == Some(Format::Date) => {
            day(controls, field, text, label, now)?
        }
        _ => line(controls, field, label, now)?,
    };
    match value {
        Some(value) => content.insert(&field.name, value),
        None => content.remove(&field.name),
    };
    Ok(())
}

/// Numbers and text. Nothing typed leaves an optional field out.
fn line(
    controls: &mut impl Controls,
    field: &Field,
    mut label: Label,
    now: Option<FieldValue>,
) -> Result<Option<FieldValue>, Left> {
    if !field.required {
        label.help = format!("nothing leaves it out; {}", label.help);
    }
    let start = now.as_ref().map(shown).unwrap_or_default();
    let checked = field.clone();
    let check: Check<str> = Arc::new(move |typed| {
        if typed.is_empty() {
            return if checked.required {
                Err(sentence(&checked.problem("is needed")))
            } else {
                Ok(())
            };
        }
        checked
            .enter(typed)
            .map(drop)
            .map_err(|problem| sentence(&problem))
    });
    let typed = controls.line(&label, &start, check)?;
    if typed.is_empty() {
        return Ok(None);
    }
    field.enter(&typed).map(Some).map_err(broken)
}

fn yes_no(
    controls: &mut impl Controls,
    field: &Field,
    label: &Label,
    now: Option<FieldValue>,
) -> Result<Option<FieldValue>, Left> {
    let now = match now {
        Some(FieldValue::Boolean(now)) => Some(now),
        _ => None,
    };
    if field.required {
        return controls.yes_no(label, now).map(|yes| Some(yes.into()));
    }
    let options = [LEAVE_OUT, "Yes", "No"].map(str::to_owned);
    let start = now.map_or(0, |now| if now { 1 } else { 2 });
    Ok(match controls.one(label, &options, start)? {
        1 => Some(true.into()),
        2 => Some(false.into()),
        _ => None,
    })
}

fn one(
    controls: &mut impl Controls,
    field: &Field,
    select: &SelectKind,
    label: &Label,
    now: Option<FieldValue>,
) -> Result<Option<FieldValue>, Left> {
    let before = usize::from(!field.required);
    let mut options = titles(&select.options);
    if !field.required {
        options.insert(0, LEAVE_OUT.to_owned());
    }
    if options.is_empty() {
        controls.say("There is nothing to choose from, so this form cannot be sent.");
        return Err(Left::Back);
    }
    let at = |value: &str| {
        select
            .options
            .iter()
            .position(|option| option.value == value)
    };
    let start = match &now {
        Some(FieldValue::Text(now)) => at(now).map_or(0, |at| at + before),
        _ => 0,
    };
    let chosen = controls.one(label, &options, start)?;
    let value = chosen
        .checked_sub(before)
        .and_then(|at| select.options.get(at));
    Ok(value.map(|option| FieldValue::Text(option.value.clone())))
}

fn several(
    controls: &mut impl Controls,
    field: &Field,
    many: &MultiSelectKind,
    label: &Label,
    now: Option<FieldValue>,
) -> Result<Option<FieldValue>, Left> {
    let now = match now {
        Some(FieldValue::Many(now)) => now,
        _ => Vec::new(),
    };
    let ticked: Vec<_> = (0..many.options.len())
        .filter(|at| now.contains(&many.options[*at].value))
        .collect();
    let values = |options: &[Choice], chosen: &[usize]| {
        let chosen = chosen.iter().filter_map(|at| options.get(*at));
        FieldValue::Many(chosen.map(|option| option.value.clone()).collect())
    };
    let (checked, options) = (field.clone(), many.options.clone());
    let check: Check<[usize]> = Arc::new(move |chosen| {
        if chosen.is_empty() && !checked.required {
            return Ok(());
        }
        let value = values(&options, chosen);
        checked.check(&value).map_err(|problem| sentence(&problem))
    });
    let chosen = controls.many(label, &titles(&many.options), &ticked, check)?;
    let value = values(&many.options, &chosen);
    // Without any choice the field is left out, unless that would bring its default back.
    let none = chosen.is_empty() && !field.required;
    let keep = many.default.is_some() && field.check(&value).is_ok();
    Ok(if none && !keep { None } else { Some(value) })
}

fn day(
    controls: &mut impl Controls,
    field: &Field,
    text: &TextKind,
    label: Label,
    now: Option<FieldValue>,
) -> Result<Option<FieldValue>, Left> {
    // Lengths can forbid every day of a calendar; then only text can be tried.
    let never =
        text.max_length.is_some_and(|max| max < 10) || text.min_length.is_some_and(|min| min > 10);
    if never || !controls.has_calendar() {
        return line(controls, field, label, now);
    }
    if !field.required {
        let options = [LEAVE_OUT, "Pick a day"].map(str::to_owned);
        let start = usize::from(now.is_some());
        if controls.one(&label, &options, start)? == 0 {
            return Ok(None);
        }
    }
    let start = now.as_ref().map(shown);
    let day = controls.day(&label, start.as_deref())?;
    field.enter(&day).map(Some).map_err(broken)
}

/// Shows the whole answer and asks what to do with it.
fn review(
    controls: &mut impl Controls,
    schema: &FormSchema,
    content: &FormContent,
) -> Result<Choose, Left> {
    let problems = schema.check(content).err().unwrap_or_default();
    if schema.fields().is_empty() {
        controls.say("There is nothing to fill in.");
    } else {
        controls.say("Your answer:");
    }
    for field in schema.fields() {
        let value = content
            .get(&field.name)
            .map(|value| displayed(field, value));
        let value = value.unwrap_or_else(|| "-".to_owned());
        controls.say(&format!("  {}: {value}", label(field)));
    }
    for problem in &problems {
        controls.warn(&sentence(problem));
    }
    let mut options = Vec::new();
    if problems.is_empty() {
        options.push(("Send", Choose::Send));
    }
    if !schema.fields().is_empty() {
        options.push(("Edit", Choose::Edit));
    }
    options.push(("Decline (say no)", Choose::Decline));
    options.push(("Cancel (neither yes nor no)", Choose::Cancel));
    let ask = Label {
        text: "What now?".to_owned(),
        help: "Esc: cancel; Ctrl-C: end, and send nothing".to_owned(),
    };
    let titles: Vec<_> = options
        .iter()
        .map(|(title, _)| (*title).to_owned())
        .collect();
    match controls.one(&ask, &titles, 0) {
        Ok(chosen) if chosen < options.len() => Ok(options.swap_remove(chosen).1),
        Ok(_) | Err(Left::Back) => Ok(Choose::Cancel),
        Err(left) => Err(left),
    }
}

/// Which fields to go through again.
fn which<'a>(
    controls: &mut impl Controls,
    schema: &'a FormSchema,
    content: &FormContent,
) -> Result<Vec<&'a Field>, Left> {
    let fields = schema.fields();
    if let [only] = fields {
        return Ok(vec![only]);
    }
    let problems = schema.check(content).err().unwrap_or_default();
    let first = |field: &Field| problems.of(&field.name).is_some();
    let start = fields.iter().position(first).unwrap_or(0);
    let mut titles: Vec<_> = fields.iter().map(label).collect();
    titles.push("All of them".to_owned());
    let ask = Label {
        text: "Edit which field?".to_owned(),
        help: "Esc: back".to_owned(),
    };
    match controls.one(&ask, &titles, start) {
        Ok(chosen) => Ok(fields
            .get(chosen)
            .map_or_else(|| fields.iter().collect(), |one| vec![one])),
        Err(Left::Back) => Ok(Vec::new()),
        Err(left) => Err(left),
    }
}

fn titles(options: &[Choice]) -> Vec<String> {
    let title = |option: &Choice| clean::line(option.label(), crate::show::LABEL);
    options.iter().map(title).collect()
}

fn shown(value: &FieldValue) -> String {
    match value {
        FieldValue::Text(text) => clean::line(text, usize::MAX),
        FieldValue::Number(number) => number.as_str().to_owned(),
        FieldValue::Boolean(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        FieldValue::Many(values) => clean::line(&values.join(", "), usize::MAX),
    }
}

/// A value as the person chose it: by title.
fn displayed(field: &Field, value: &FieldValue) -> String {
    let titled = |options: &[Choice], value: &str| {
        let option = options.iter().find(|option| option.value == value);
        clean::line(option.map_or(value, Choice::label), crate::show::LABEL)
    };
    match (&field.kind, value) {
        (FieldKind::Select(select), FieldValue::Text(value)) => titled(&select.options, value),
        (FieldKind::MultiSelect(many), FieldValue::Many(values)) if !values.is_empty() => {
            let titles = values.iter().map(|value| titled(&many.options, value));
            titles.collect::<Vec<_>>().join(", ")
        }
        (_, FieldValue::Many(_)) => "none".to_owned(),
        _ => shown(value),
    }
}

fn sentence(problem: &Problem) -> String {
    clean::line(problem.message(), 300)
}

/// The control let a value through that its own check refuses.
fn broken(problem: Problem) -> Left {
    Left::Broken(sentence(&problem))
}
