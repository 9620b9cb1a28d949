//! One question, as its author compiled it.

use crate::form::FormSchema;
use crate::wire::{CreateMessageRequest, ElicitRequest, InputKind, InputRequest, ListRootsRequest};

use super::journal::Digest;

/// Longest text about a wrong answer that is added to a message, in characters.
const MAX_CORRECTION: usize = 600;

/// A question and the digest that tells it from other ones.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    request: InputRequest,
    kind: InputKind,
    digest: Digest,
}

impl Question {
    pub(crate) fn form(message: String, schema: FormSchema) -> Self {
        let digest = digest(InputKind::ElicitForm, &message, &schema.digest());
        Self {
            request: InputRequest::Elicit(ElicitRequest::form(message, schema)),
            kind: InputKind::ElicitForm,
            digest,
        }
    }

    /// The URL is not part of the digest: it may carry a fresh ticket each time.
    pub(crate) fn url(message: String, url: String) -> Self {
        let digest = digest(InputKind::ElicitUrl, &message, &[]);
        Self {
            request: InputRequest::Elicit(ElicitRequest::url(message, url)),
            kind: InputKind::ElicitUrl,
            digest,
        }
    }

    pub(crate) fn sample(request: CreateMessageRequest) -> Result<Self, String> {
        request.validate().map_err(|problem| problem.to_string())?;
        let text = serde_json::to_string(&request).map_err(|problem| problem.to_string())?;
        Ok(Self {
            digest: digest(InputKind::Sample, &text, &[]),
            request: request.into(),
            kind: InputKind::Sample,
        })
    }

    pub(crate) fn roots() -> Self {
        Self {
            request: InputRequest::Roots(ListRootsRequest::default()),
            kind: InputKind::Roots,
            digest: digest(InputKind::Roots, "", &[]),
        }
    }

    pub(crate) const fn kind(&self) -> InputKind {
        self.kind
    }

    pub(crate) const fn digest(&self) -> Digest {
        self.digest
    }

    pub(crate) const fn request(&self) -> &InputRequest {
        &self.request
    }

    /// The request to send, its message extended by what was wrong with the
    /// last answer.
    pub(crate) fn into_request(self, correction: Option<&str>) -> InputRequest {
        let mut request = self.request;
        if let (InputRequest::Elicit(elicit), Some(correction)) = (&mut request, correction) {
            let message = match elicit {
                ElicitRequest::Form(form) => &mut form.message,
                ElicitRequest::Url(url) => &mut url.message,
            };
            message.push_str("\n\n");
            message.extend(correction.chars().take(MAX_CORRECTION));
        }
        request
    }
}

fn digest(kind: InputKind, message: &str, form: &[u8]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[match kind {
        InputKind::ElicitForm => 0,
        InputKind::ElicitUrl => 1,
        InputKind::Sample => 2,
        InputKind::Roots => 3,
    }]);
    hasher.update(&(message.len() as u64).to_le_bytes());
    hasher.update(message.as_bytes());
    hasher.update(form);
    let mut digest = Digest::default();
    hasher.finalize_xof().fill(&mut digest);
    digest
}
