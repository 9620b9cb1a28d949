//! Saying what a server asked when nobody is there to answer.

use std::path::Path;

use mrtr::exchange::Target;
use mrtr::form::{Choice, Field, FieldKind, FieldValue};
use mrtr::wire::{ElicitRequest, InputRequest, InputRequests};

use super::example;
use crate::ask::hint;
use crate::details::Details;
use crate::exit::{Exit, Failure};
use crate::show::{LABEL, Screen, clean, name};

/// Most choices that are listed.
const CHOICES: usize = 20;

/// Questions that nobody answered.
pub(crate) struct Needed<'a> {
    pub(crate) server: &'a Target,
    /// All questions of the round.
    pub(crate) questions: &'a InputRequests,
    /// The keys of those without an answer.
    pub(crate) open: Vec<String>,
    /// Given answers that were not asked for.
    pub(crate) unused: Vec<String>,
    /// Where the call is kept.
    pub(crate) saved: Option<&'a Path>,
}

impl Needed<'_> {
    /// Lists the open questions and how to answer them.
    pub(crate) fn show(&self, screen: &Screen<'_>) {
        let mut options = Vec::new();
        for key in &self.open {
            let Some(question) = self.questions.get(key) else {
                continue;
            };
            self.question(screen, key, question);
            let option = example::option(key, question);
            match &option {
                Some(option) => screen.say(&format!("  answer with: {option}")),
                None => {
                    screen.say("  answer with: --answers FILE, a JSON object of keys and answers")
                }
            }
            options.extend(option);
        }
        if !self.unused.is_empty() {
            let keys: Vec<_> = self
                .unused
                .iter()
                .map(|key| clean::line(key, LABEL))
                .collect();
            screen.say(&format!(
                "\nThese answers were not asked for so far: {}",
                keys.join(", ")
            ));
        }
        if let Some(path) = self.saved {
            let path = path.display().to_string();
            let path = shell_words::quote(&path).into_owned();
            let command = [vec![format!("mrtr resume {path}")], options].concat();
            screen.say(&format!(
                "\nThe call is kept. Go on with: {}",
                command.join(" ")
            ));
        }
    }

    fn question(&self, screen: &Screen<'_>, key: &str, question: &InputRequest) {
        match question {
            InputRequest::Elicit(elicit) => {
                screen.asks(self.server, key, elicit.message());
                match elicit {
                    ElicitRequest::Form(form) => {
                        form.schema
                            .fields()
                            .iter()
                            .for_each(|field| self::field(screen, field));
                    }
                    ElicitRequest::Url(url) => screen.address(&url.url),
                    _ => {}
                }
            }
            InputRequest::Sample(request) => {
                screen.asks(self.server, key, "");
                screen.say("  It wants the answer of a model to this conversation:");
                if let Some(system) = &request.system_prompt {
                    screen.quote(&format!("[system] {system}"));
                }
                for message in &request.messages {
                    let role = format!("{:?}", message.role).to_lowercase();
                    screen.quote(&format!("[{role}] {}", message.content.to_text()));
                }
            }
            _ => {
                screen.asks(self.server, key, "");
                screen.say("  It wants to know which folders you work in.");
            }
        }
    }

    /// The failure that ends the program.
    pub(crate) fn failure(&self) -> Failure {
        let keys: Vec<_> = self
            .open
            .iter()
            .map(|key| clean::line(key, LABEL))
            .collect();
        let message = format!(
            "{} asked what nobody answered: {} (give --answer, or run this at a terminal)",
            name(self.server),
            keys.join(", ")
        );
        let details = Details::default()
            .with("server", &self.server.to_string())
            .with("inputRequests", self.questions)
            .with("open", &self.open)
            .with("unused", &self.unused)
            .with("saved", &self.saved.map(|path| path.display().to_string()));
        Failure::message(Exit::InputNeeded, message).with_details(details)
    }
}

/// One field, its choices and its default.
fn field(screen: &Screen<'_>, field: &Field) {
    let name = clean::line(&field.name, LABEL);
    let required = if field.required {
        "required"
    } else {
        "optional"
    };
    let default = match field.default_value() {
        Some(FieldValue::Text(text)) => format!(", default {}", clean::line(&text, LABEL)),
        Some(FieldValue::Number(number)) => format!(", default {number}"),
        Some(FieldValue::Boolean(yes)) => format!(", default {yes}"),
        Some(FieldValue::Many(many)) => {
            format!(", default {}", clean::line(&many.join(", "), LABEL))
        }
        None => String::new(),
    };
    screen.say(&format!("  {name}: {}, {required}{default}", hint(field)));
    if field.secret_hint().is_some() {
        screen.warn("this seems to be a secret, which servers must not ask for in a form");
    }
    let title = field
        .title
        .as_ref()
        .filter(|title| !is_name(title, &field.name));
    for text in title.into_iter().chain(&field.description) {
        screen.quote(text);
    }
    let options = match &field.kind {
        FieldKind::Select(select) => &select.options,
        FieldKind::MultiSelect(many) => &many.options,
        _ => return,
    };
    for option in options.iter().take(CHOICES) {
        screen.say(&format!("    - {}", choice(option)));
    }
    if let more @ 1.. = options.len().saturating_sub(CHOICES) {
        screen.say(&format!("    and {more} more"));
    }
}

/// Whether a title says nothing beyond the name.
fn is_name(title: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    letters(title) == letters(name)
}

fn choice(option: &Choice) -> String {
    let value = clean::line(&option.value, LABEL);
    match &option.title {
        Some(title) if *title != option.value => {
            format!("{value} ({})", clean::line(title, LABEL))
        }
        _ => value,
    }
}
