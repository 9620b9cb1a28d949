//! The parameters of a call, kept as the caller wrote them, and the text of each leg.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The original parameters of a call, checked once and never rewritten.
///
/// A leg is these bytes plus the members that belong to that leg alone, so an answer or a state can
/// neither change the caller's object nor travel to another call.
#[derive(Clone)]
pub(super) struct CallParams {
    raw: Box<RawValue>,
    members: Members,
}

impl CallParams {
    pub(super) fn new(raw: Box<RawValue>) -> Result<Self, ParamsError> {
        let members = Members::of(raw.get())?;
        match members.retry_field {
            Some(member) => Err(ParamsError::RetryField { member }),
            None => Ok(Self { raw, members }),
        }
    }

    pub(super) fn raw(&self) -> &RawValue {
        &self.raw
    }

    pub(super) fn has_meta(&self) -> bool {
        self.members.meta
    }

    /// The parameters of one leg. `meta` goes first; the two retry fields go last.
    pub(super) fn leg(
        &self,
        meta: Option<&RawValue>,
        answers: Option<&RawValue>,
        state: Option<&RawValue>,
    ) -> String {
        let inner = inner(self.raw.get());
        let added = [meta, answers, state].into_iter().flatten();
        let size: usize = added.map(|raw| raw.get().len()).sum();
        let mut leg = String::with_capacity(self.raw.get().len() + size + 64);
        leg.push('{');
        push_member(&mut leg, "_meta", meta);
        if !self.members.empty {
            if leg.len() > 1 {
                leg.push(',');
            }
            leg.push_str(inner);
        }
        push_member(&mut leg, "inputResponses", answers);
        push_member(&mut leg, "requestState", state);
        leg.push('}');
        leg
    }
}

fn push_member(leg: &mut String, name: &str, value: Option<&RawValue>) {
    if let Some(value) = value {
        if leg.len() > 1 {
            leg.push(',');
        }
        leg.push('"');
        leg.push_str(name);
        leg.push_str("\":");
        leg.push_str(value.get());
    }
}

/// What stands between the braces of an object's text.
fn inner(object: &str) -> &str {
    let object = object.trim();
    let object = object.strip_prefix('{').unwrap_or(object);
    object.strip_suffix('}').unwrap_or(object)
}

/// Checks that `meta` can stand as a leg's `_meta`.
pub(super) fn check_meta(meta: &RawValue) -> Result<(), ParamsError> {
    Members::of(meta.get()).map(drop)
}

/// What matters here about the members of an object.
#[derive(Clone)]
struct Members {
    empty: bool,
    meta: bool,
    retry_field: Option<&'static str>,
}

impl Members {
    fn of(text: &str) -> Result<Self, ParamsError> {
        serde_json::from_str(text).map_err(|error| ParamsError::NotAnObject {
            reason: error.to_string(),
        })
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;

        impl<'de> Visitor<'de> for Keys {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Members {
                    empty: true,
                    meta: false,
                    retry_field: None,
                };
                while let Some(key) = map.next_key::<String>()? {
                    members.empty = false;
                    match key.as_str() {
                        "_meta" => members.meta = true,
                        "inputResponses" => members.retry_field = Some("inputResponses"),
                        "requestState" => members.retry_field = Some("requestState"),
                        _ => {}
                    }
                    map.next_value::<IgnoredAny>()?;
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(Keys)
    }
}

/// The caller's parameters cannot start a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamsError {
    /// The parameters or the `_meta` are not a JSON object.
    NotAnObject {
        /// What the JSON decoder said.
        reason: String,
    },
    /// The parameters already carry `inputResponses` or `requestState`. Those belong to one retry;
    /// in a first leg they would answer questions that nobody was asked.
    RetryField {
        /// The member's name.
        member: &'static str,
    },
    /// Both the parameters and [`set_meta`](super::Exchange::set_meta) give a `_meta`.
    TwoMetas,
}

impl fmt::Display for ParamsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject { reason } => {
                write!(
                    f,
                    "the parameters of a call must be a JSON object: {reason}"
                )
            }
            Self::RetryField { member } => write!(
                f,
                "the parameters of a new call must not carry `{member}`: it belongs to the retry of \
                 another request, so give the parameters without it"
            ),
            Self::TwoMetas => f.write_str(
                "the parameters already have a `_meta`: put it there or set it per leg, not both",
            ),
        }
    }
}

impl std::error::Error for ParamsError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn a_leg_keeps_the_callers_bytes_between_what_it_adds() {
        let params = CallParams::new(raw("{ \"name\" : \"t\",\n\"n\":1.0e0, \"n\":2 }")).unwrap();
        let leg = params.leg(
            Some(&raw("{\"m\":1}")),
            Some(&raw("{}")),
            Some(&raw("\"S\"")),
        );
        assert_eq!(
            leg,
            "{\"_meta\":{\"m\":1}, \"name\" : \"t\",\n\"n\":1.0e0, \"n\":2 ,\
             \"inputResponses\":{},\"requestState\":\"S\"}"
        );
        assert_eq!(params.leg(None, None, None), params.raw().get());
    }

    #[test]
    fn empty_params_need_no_comma() {
        let params = CallParams::new(raw("{ }")).unwrap();
        assert_eq!(params.leg(None, None, None), "{}");
        assert_eq!(
            params.leg(None, None, Some(&raw("\"S\""))),
            "{\"requestState\":\"S\"}"
        );
        assert_eq!(params.leg(Some(&raw("{}")), None, None), "{\"_meta\":{}}");
    }

    #[test]
    fn b1_params_that_carry_an_earlier_retry_are_refused_even_when_escaped() {
        for text in [
            "{\"requestState\":null}",
            "{\"name\":\"t\",\"inputResponses\":{}}",
            "{\"input\\u0052esponses\":{}}",
        ] {
            assert!(matches!(
                CallParams::new(raw(text)),
                Err(ParamsError::RetryField { .. })
            ));
        }
        assert!(CallParams::new(raw("{\"arguments\":{\"requestState\":\"x\"}}")).is_ok());
    }

    #[test]
    fn params_must_be_an_object() {
        for text in ["[]", "null", "7", "\"{}\""] {
            assert!(matches!(
                CallParams::new(raw(text)),
                Err(ParamsError::NotAnObject { .. })
            ));
        }
    }
}
