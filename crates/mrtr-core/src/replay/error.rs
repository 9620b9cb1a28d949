//! What a handler may fail with.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use super::{OutcomeUnknown, Refused};

/// The error of a handler: anything that converts into a boxed error, sorted
/// by what the client may learn of it.
///
/// Conversion with `?` keeps the error for the log and shows the client a
/// fixed text, because error texts of libraries leak paths, queries and
/// tokens. [`visible`](Self::visible) shows its text.
/// A [`Refused`] anywhere among the sources stays a refusal, an
/// [`OutcomeUnknown`] stays one too.
///
/// It is deliberately not an [`Error`] itself, so that it can be made of every
/// one of them.
///
/// ```
/// use mrtr_core::replay::{Refused, ToolError, ToolErrorKind};
///
/// fn parse(text: &str) -> Result<u16, ToolError> {
///     let port: u16 = text.parse()?;
///     if port < 1024 {
///         return Err(ToolError::visible(format!("port {port} is reserved")));
///     }
///     Ok(port)
/// }
/// assert!(matches!(parse("x").unwrap_err().kind(), ToolErrorKind::Opaque));
/// assert_eq!(parse("80").unwrap_err().client_text(), "port 80 is reserved");
///
/// let refused = ToolError::from(Refused::declined("pay"));
/// assert_eq!(refused.refused().map(Refused::key), Some("pay"));
/// ```
pub struct ToolError {
    kind: ToolErrorKind,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What the client may learn of a [`ToolError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// Only that it failed.
    Opaque,
    /// This text.
    Visible(Cow<'static, str>),
    /// There is nothing under the name or address that was asked for.
    NotFound,
    /// The person refused a question.
    Refused(Refused),
    /// Something was begun and its outcome is not known.
    OutcomeUnknown(OutcomeUnknown),
}

impl ToolError {
    /// An error whose text is meant for the client, and so for the model.
    #[must_use]
    pub fn visible(text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind: ToolErrorKind::Visible(text.into()),
            source: None,
        }
    }

    /// Nothing exists under the requested name or address, as a resource
    /// template finds out only while it runs.
    #[must_use]
    pub const fn not_found() -> Self {
        Self {
            kind: ToolErrorKind::NotFound,
            source: None,
        }
    }

    /// Keeps `cause` for the log, beside what the client may learn.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(cause.into());
        self
    }

    /// What the client may learn.
    #[must_use]
    pub const fn kind(&self) -> &ToolErrorKind {
        &self.kind
    }

    /// The refusal, when that is what ended the handler.
    #[must_use]
    pub const fn refused(&self) -> Option<&Refused> {
        match &self.kind {
            ToolErrorKind::Refused(refused) => Some(refused),
            _ => None,
        }
    }

    /// The text for the client.
    #[must_use]
    pub fn client_text(&self) -> Cow<'static, str> {
        match &self.kind {
            ToolErrorKind::Opaque => Cow::Borrowed("The operation failed."),
            ToolErrorKind::Visible(text) => text.clone(),
            ToolErrorKind::NotFound => Cow::Borrowed("Not found."),
            ToolErrorKind::Refused(Refused::Declined(_)) => {
                Cow::Borrowed("The user declined the request.")
            }
            ToolErrorKind::Refused(Refused::Cancelled(_)) => {
                Cow::Borrowed("The user cancelled the request.")
            }
            ToolErrorKind::OutcomeUnknown(_) => Cow::Borrowed(
                "The operation was begun, but its outcome is not known. It may have happened or not, and it was not tried again.",
            ),
        }
    }

    /// The error behind it, for the log.
    #[must_use]
    pub fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl<E> From<E> for ToolError
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    fn from(error: E) -> Self {
        let source = error.into();
        let kind = if let Some(refused) = Refused::find(source.as_ref()) {
            ToolErrorKind::Refused(refused)
        } else if let Some(unknown) = OutcomeUnknown::find(source.as_ref()) {
            ToolErrorKind::OutcomeUnknown(unknown)
        } else {
            ToolErrorKind::Opaque
        };
        Self {
            kind,
            source: Some(source),
        }
    }
}

/// The whole chain of sources, for the log and never for the client.
impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind)?;
        let mut next = self.source();
        while let Some(error) = next {
            write!(f, ": {error}")?;
            next = error.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    fn pay() -> Result<(), Refused> {
        Err(Refused::cancelled("pay"))
    }

    #[derive(Debug)]
    struct Wrapped(Refused);

    impl fmt::Display for Wrapped {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.fmt(f)
        }
    }

    /// As `#[error(transparent)]` does it.
    impl Error for Wrapped {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.0.source()
        }
    }

    #[test]
    fn a_refusal_survives_anyhow_and_context_and_transparent_wrappers() {
        let plain: anyhow::Error = pay().unwrap_err().into();
        let context = pay().context("while paying").unwrap_err();
        let twice = pay()
            .context("while paying")
            .context("while booking")
            .unwrap_err();
        let wrapped = anyhow::Error::from(Wrapped(pay().unwrap_err()));
        for error in [plain, context, twice, wrapped] {
            let error = ToolError::from(error);
            assert_eq!(error.refused(), Some(&Refused::cancelled("pay")));
        }
        let io = std::io::Error::other(Wrapped(pay().unwrap_err()));
        assert_eq!(
            ToolError::from(io).refused(),
            Some(&Refused::cancelled("pay"))
        );
    }

    #[test]
    fn an_unknown_outcome_survives_context_and_transparent_wrappers() {
        let unknown = || OutcomeUnknown::new("charge".into());
        let context = Err::<(), _>(unknown()).context("while paying").unwrap_err();
        let transparent = std::io::Error::other(unknown());
        for error in [unknown().into(), context.into(), transparent.into()] {
            let error: ToolError = error;
            assert_eq!(error.kind(), &ToolErrorKind::OutcomeUnknown(unknown()));
            assert!(error.client_text().contains("not known"));
        }
    }

    #[test]
    fn a_foreign_error_is_kept_for_the_log_and_hidden_from_the_client() {
        let error = ToolError::from(std::io::Error::other("secret path /etc/x"));
        assert!(!error.client_text().contains("secret"));
        assert!(format!("{error:?}").contains("secret path"));
    }

    #[test]
    fn a_text_converts_and_is_opaque() {
        let error = ToolError::from("internal detail");
        assert_eq!(error.kind(), &ToolErrorKind::Opaque);
    }
}
