//! Members of a failure's JSON document, in the order and with the text they were given.

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// What a script gets with `--json` beside the message.
#[derive(Default)]
pub(crate) struct Details(Vec<(&'static str, Box<RawValue>)>);

impl Details {
    /// Adds a member. What cannot be JSON is left out.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Self {
        self.0
            .extend(to_raw_value(value).ok().map(|value| (name, value)));
        self
    }
}

impl Serialize for Details {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Document {
        exit: u8,
        #[serde(flatten)]
        details: Details,
    }

    #[test]
    fn members_keep_the_order_of_the_wire() {
        let wire: Box<RawValue> = serde_json::from_str(r#"{"z":1.0,"a":2}"#).unwrap();
        let details = Details::default().with("form", &wire).with("key", "k");
        let text = serde_json::to_string(&Document { exit: 3, details }).unwrap();
        assert_eq!(text, r#"{"exit":3,"form":{"z":1.0,"a":2},"key":"k"}"#);
    }
}
