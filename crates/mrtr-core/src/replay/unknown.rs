//! Something was begun, and nobody knows what came of it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// The body of a [`once`](super::Cx::once) was begun, by this attempt or an
/// earlier one, and whoever ran it is gone without a word: it may have happened
/// or not. It is not tried again.
///
/// With `?` it ends the handler; [`ToolError`](super::ToolError) finds it again
/// even inside another error, so that the client is told just that. The state is
/// not used up by it: the same request, sent again, asks again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeUnknown(Begun);

impl OutcomeUnknown {
    pub(super) const fn new(key: Arc<str>) -> Self {
        Self(Begun { key })
    }

    /// The key of the `once`.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.0.key
    }

    /// Looks for one in an error and all its sources.
    #[must_use]
    pub fn find(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(unknown) = error.downcast_ref::<Self>() {
                return Some(unknown.clone());
            }
            if let Some(begun) = error.downcast_ref::<Begun>() {
                return Some(Self(begun.clone()));
            }
            next = error.source();
        }
        None
    }
}

impl fmt::Display for OutcomeUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the outcome of `{}` is not known", self.key())
    }
}

/// Its source shows what happened through wrappers that forward only that.
impl Error for OutcomeUnknown {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Begun {
    key: Arc<str>,
}

impl fmt::Display for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it was begun and is not tried again")
    }
}

impl Error for Begun {}
