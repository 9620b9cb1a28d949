//! The full capabilities object a client sends.

use super::object::object;
use super::{Capabilities, Capability, RawObject};

object! {
    /// The full capabilities object a client sends with every request.
    ///
    /// Implements [`ClientCapabilities`](https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities).
    /// Servers only need [`Capabilities`], see [`ClientCapabilities::set`].
    #[derive(Default)]
    pub struct ClientCapabilities {
        /// Non-standard capabilities by name.
        opt experimental: RawObject = "experimental",
        /// Present when roots can be listed. Deprecated by this revision.
        opt roots: RawObject = "roots",
        /// Present when the client's model can be asked. Deprecated by this revision.
        opt sampling: SamplingCapability = "sampling",
        /// Present when the user can be asked.
        opt elicitation: ElicitationCapability = "elicitation",
        /// Extensions by identifier, with their settings.
        opt extensions: RawObject = "extensions",
    }
}

object! {
    /// How the user can be asked; empty means by form.
    #[derive(Default)]
    pub struct ElicitationCapability {
        /// Forms.
        opt form: RawObject = "form",
        /// Pages opened in a browser.
        opt url: RawObject = "url",
    }
}

object! {
    /// How the client's model can be asked. Deprecated by this revision.
    #[derive(Default)]
    pub struct SamplingCapability {
        /// `includeContext` is understood.
        opt context: RawObject = "context",
        /// `tools` and `toolChoice` are understood.
        opt tools: RawObject = "tools",
    }
}

impl ClientCapabilities {
    /// What a server may ask of this client.
    #[must_use]
    pub fn set(&self) -> Capabilities {
        let mut set = Capabilities::NONE;
        if let Some(elicitation) = &self.elicitation {
            if elicitation.url.is_some() {
                set.insert(Capability::ElicitationUrl);
            }
            if elicitation.form.is_some() || elicitation.url.is_none() {
                set.insert(Capability::ElicitationForm);
            }
        }
        if let Some(sampling) = &self.sampling {
            set.insert(Capability::Sampling);
            if sampling.tools.is_some() {
                set.insert(Capability::SamplingTools);
            }
            if sampling.context.is_some() {
                set.insert(Capability::SamplingContext);
            }
        }
        if self.roots.is_some() {
            set.insert(Capability::Roots);
        }
        set
    }
}

impl From<Capabilities> for ClientCapabilities {
    fn from(set: Capabilities) -> Self {
        let flag = |capability| set.contains(capability).then(RawObject::new);
        let (form, url) = (
            flag(Capability::ElicitationForm),
            flag(Capability::ElicitationUrl),
        );
        let (tools, context) = (
            flag(Capability::SamplingTools),
            flag(Capability::SamplingContext),
        );
        Self {
            elicitation: (form.is_some() || url.is_some()).then(|| ElicitationCapability {
                form,
                url,
                ..Default::default()
            }),
            sampling: (set.contains(Capability::Sampling) || tools.is_some() || context.is_some())
                .then(|| SamplingCapability {
                    tools,
                    context,
                    ..Default::default()
                }),
            roots: flag(Capability::Roots),
            ..Self::default()
        }
    }
}
