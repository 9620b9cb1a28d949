//! Arguments of tools and prompts, as a person writes them on a command line.

mod typed;

use mrtr::wire::RawObject;
use serde_json::value::{RawValue, to_raw_value};

use crate::exit::Failure;

/// What was written: `KEY=VALUE` words and a JSON object, which the words add to.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    object: RawObject,
    words: Vec<(String, String)>,
}

impl Arguments {
    /// # Errors
    /// Words that are not `KEY=VALUE`, an object that is none, a key twice.
    pub(crate) fn read(words: &[String], object: Option<&str>) -> Result<Self, Failure> {
        let mut object = object;
        let mut words = words;
        // A JSON object alone needs no option.
        if let ([word], None) = (words, object)
            && word.starts_with('{')
        {
            object = Some(word);
            words = &[];
        }
        let object = object.unwrap_or("{}");
        let object: RawObject = serde_json::from_str(object).map_err(|error| {
            Failure::usage(format_args!("the arguments are no JSON object: {error}"))
        })?;
        let mut pairs: Vec<(String, String)> = Vec::new();
        for word in words {
            let (key, value) = word.split_once('=').ok_or_else(|| {
                Failure::usage(format_args!(
                    "`{word}` is no argument: write it as KEY=VALUE"
                ))
            })?;
            if pairs.iter().any(|(known, _)| known == key) {
                return Err(Failure::usage(format_args!(
                    "the argument `{key}` is given twice"
                )));
            }
            pairs.push((key.to_owned(), value.to_owned()));
        }
        Ok(Self {
            object,
            words: pairs,
        })
    }

    /// Whether there are none at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.object.is_empty() && self.words.is_empty()
    }

    /// Whether the schema of the tool is needed to read them.
    pub(crate) fn need_types(&self) -> bool {
        !self.words.is_empty()
    }

    /// The arguments of a tool with this input schema. Without a schema every value is text.
    ///
    /// # Errors
    /// A value that the schema's type does not allow.
    pub(crate) fn for_tool(self, schema: Option<&RawObject>) -> Result<RawObject, Failure> {
        let schema = schema.and_then(|schema| to_raw_value(schema).ok());
        let schema = schema.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let mut object = self.object;
        for (key, text) in self.words {
            let types = schema.as_ref().map(|schema| typed::types(schema, &key));
            let value = typed::value(&text, types.unwrap_or_default()).map_err(|expected| {
                Failure::usage(format_args!(
                    "the argument `{key}` must be {expected}, as the tool's input schema says; `{text}` \
                     is not"
                ))
            })?;
            object.insert(key, value);
        }
        Ok(object)
    }

    /// The arguments of a prompt, which are all text.
    pub(crate) fn for_prompt(self) -> Result<RawObject, Failure> {
        let mut object = self.object;
        for (key, text) in self.words {
            object.insert(key, string(&text));
        }
        let is_text = |value: &RawValue| value.get().starts_with('"');
        if let Some((key, _)) = object.iter().find(|(_, value)| !is_text(value)) {
            return Err(Failure::usage(format_args!(
                "the argument `{key}` must be text: arguments of prompts always are"
            )));
        }
        Ok(object)
    }
}

/// `text` as a JSON string.
fn string(text: &str) -> Box<RawValue> {
    to_raw_value(text).unwrap_or_default()
}
