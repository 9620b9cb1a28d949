//! What an exchange remembers: the part of the sealed state that replay owns.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::by_key::ByKey;
use crate::ledger::Epoch;
use crate::state::{DecodeError, Reader, Writer};
use crate::trace::TraceContext;
use crate::wire::{Action, InputKind, InputResponse};

/// Longest key of a question or step, in bytes, prefixes included.
pub const MAX_KEY_BYTES: usize = 256;

/// The digest of a question as its author wrote it.
pub(crate) type Digest = [u8; 16];

/// A question that went out: enough to recognise it, not to ask it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) kind: InputKind,
    pub(crate) digest: Digest,
    /// In how many rounds in a row it was another one than the round before.
    pub(crate) changes: u8,
}

/// What a person or client answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// JSON: the content of a form, a sampling or roots result; empty for a URL.
    Accepted(Arc<str>),
    Declined,
    Cancelled,
}

/// An answer that its ask accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    pub(crate) kind: InputKind,
    pub(crate) digest: Digest,
    pub(crate) given: Given,
    /// What is kept is made from the answer, not the answer.
    pub(crate) projected: bool,
    /// It answered a question that was asked, rather than having come along
    /// with a request that had no state.
    pub(crate) solicited: bool,
}

/// What is known under one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Asked(Asked),
    Received {
        asked: Asked,
        given: Given,
        solicited: bool,
    },
    Recorded(Recorded),
    Step(Box<str>),
}

/// All that is known, by key, and the state of an explicit flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Journal {
    pub(crate) entries: ByKey<Entry>,
    pub(crate) flow: Option<Box<str>>,
    /// The memory of the ledger that the exchange relies on, if it does.
    pub(crate) epoch: Option<Epoch>,
    /// The trace that the exchange belongs to, if its client said so.
    pub(crate) trace: Option<TraceContext>,
}

/// The first byte of a journal: what else it holds beside its entries.
const FLOW: u8 = 1;
const EPOCH: u8 = 1 << 1;
const TRACE: u8 = 1 << 2;

impl Journal {
    pub(crate) fn encode(&self, out: &mut Writer) {
        let flow = if self.flow.is_some() { FLOW } else { 0 };
        let epoch = if self.epoch.is_some() { EPOCH } else { 0 };
        let trace = if self.trace.is_some() { TRACE } else { 0 };
        out.u8(flow | epoch | trace);
        if let Some(epoch) = &self.epoch {
            out.raw(epoch.as_bytes());
        }
        if let Some(trace) = &self.trace {
            trace.encode(out);
        }
        if let Some(flow) = &self.flow {
            out.str(flow);
        }
        out.varint(self.entries.len() as u64);
        for (key, entry) in self.entries.iter() {
            out.str(key);
            entry.encode(out);
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let holds = input.u8()?;
        if holds & !(FLOW | EPOCH | TRACE) != 0 {
            return Err(DecodeError::UnknownTag(holds));
        }
        let epoch = match holds & EPOCH {
            0 => None,
            _ => Some(Epoch::from_bytes(input.array()?)),
        };
        let trace = match holds & TRACE {
            0 => None,
            _ => Some(TraceContext::decode(&mut input)?),
        };
        let flow = match holds & FLOW {
            0 => None,
            _ => Some(input.str(usize::MAX)?.into()),
        };
        let mut entries = ByKey::new();
        let mut last: Option<Arc<str>> = None;
        for _ in 0..input.count(usize::MAX)? {
            let key: Arc<str> = input.str(MAX_KEY_BYTES)?.into();
            if last.is_some_and(|last| last >= key) {
                return Err(DecodeError::NotCanonical);
            }
            last = Some(key.clone());
            entries.insert(key, Entry::decode(&mut input)?);
        }
        input.finish()?;
        Ok(Self {
            entries,
            flow,
            epoch,
            trace,
        })
    }

    /// Keys of the answers and steps that are settled.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = &Arc<str>> {
        self.entries.keys().filter(|key| self.is_recorded(key))
    }

    /// How many questions went out and have no answer yet.
    pub(crate) fn asked(&self) -> usize {
        let asked = |(_, entry): &(&Arc<str>, &Entry)| matches!(entry, Entry::Asked(_));
        self.entries.iter().filter(asked).count()
    }

    /// Whether the key is that of an answer or step that is settled.
    pub(crate) fn is_recorded(&self, key: &str) -> bool {
        let entry = self.entries.get(key);
        matches!(entry, Some(Entry::Recorded(_) | Entry::Step(_)))
    }

    /// The key that takes most of the encoded form, and its share in bytes.
    pub(crate) fn largest(&self) -> Option<(Arc<str>, usize)> {
        self.entries
            .iter()
            .map(|(key, entry)| {
                let mut out = Writer::new();
                out.str(key);
                entry.encode(&mut out);
                (key.clone(), out.len())
            })
            .max_by_key(|(_, bytes)| *bytes)
    }
}

const ASKED: u8 = 0;
const RECEIVED: u8 = 1;
const RECORDED: u8 = 2;
const STEP: u8 = 3;

/// The first byte of an entry: what it is, the kind of question, the sort of
/// answer, and two flags.
fn tag(entry: &Entry) -> u8 {
    let (what, kind, given, solicited, projected) = match entry {
        Entry::Asked(asked) => (ASKED, asked.kind, None, false, false),
        Entry::Received {
            asked,
            given,
            solicited,
        } => (RECEIVED, asked.kind, Some(given), *solicited, false),
        Entry::Recorded(recorded) => (
            RECORDED,
            recorded.kind,
            Some(&recorded.given),
            recorded.solicited,
            recorded.projected,
        ),
        Entry::Step(_) => return STEP,
    };
    let given = match given {
        None | Some(Given::Accepted(_)) => 0,
        Some(Given::Declined) => 1,
        Some(Given::Cancelled) => 2,
    };
    what | kind_bits(kind) << 2 | given << 4 | u8::from(solicited) << 6 | u8::from(projected) << 7
}

const fn kind_bits(kind: InputKind) -> u8 {
    match kind {
        InputKind::ElicitForm => 0,
        InputKind::ElicitUrl => 1,
        InputKind::Sample => 2,
        InputKind::Roots => 3,
    }
}

impl Entry {
    fn encode(&self, out: &mut Writer) {
        out.u8(tag(self));
        match self {
            Self::Asked(asked) => asked.encode(out),
            Self::Received { asked, given, .. } => {
                asked.encode(out);
                given.encode(out);
            }
            Self::Recorded(recorded) => {
                out.raw(&recorded.digest);
                recorded.given.encode(out);
            }
            Self::Step(value) => out.str(value),
        }
    }

    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let byte = input.u8()?;
        let kind = match byte >> 2 & 3 {
            0 => InputKind::ElicitForm,
            1 => InputKind::ElicitUrl,
            2 => InputKind::Sample,
            _ => InputKind::Roots,
        };
        let solicited = byte & 1 << 6 != 0;
        let entry = match byte & 3 {
            ASKED => Self::Asked(Asked::decode(kind, input)?),
            RECEIVED => Self::Received {
                asked: Asked::decode(kind, input)?,
                given: Given::decode(byte, input)?,
                solicited,
            },
            RECORDED => Self::Recorded(Recorded {
                kind,
                digest: input.array()?,
                given: Given::decode(byte, input)?,
                projected: byte & 1 << 7 != 0,
                solicited,
            }),
            _ => Self::Step(input.str(usize::MAX)?.into()),
        };
        if tag(&entry) != byte {
            return Err(DecodeError::UnknownTag(byte));
        }
        Ok(entry)
    }
}

impl Asked {
    fn encode(&self, out: &mut Writer) {
        out.raw(&self.digest);
        out.u8(self.changes);
    }

    fn decode(kind: InputKind, input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            kind,
            digest: input.array()?,
            changes: input.u8()?,
        })
    }
}

impl Given {
    /// Reads an answer by the kind of its question.
    pub(crate) fn read(kind: InputKind, raw: &RawValue) -> Result<Self, String> {
        if !matches!(kind, InputKind::ElicitForm | InputKind::ElicitUrl) {
            InputResponse::decode(kind, raw)?;
            return Ok(Self::Accepted(raw.get().into()));
        }
        let (action, content) = InputResponse::decode_elicited(kind, raw)?;
        Ok(match (action, content) {
            (Action::Decline, _) => Self::Declined,
            (Action::Cancel, _) => Self::Cancelled,
            (Action::Accept, _) if kind == InputKind::ElicitUrl => Self::Accepted("".into()),
            (Action::Accept, content) => Self::Accepted(content.map_or("{}", RawValue::get).into()),
        })
    }

    fn encode(&self, out: &mut Writer) {
        if let Self::Accepted(text) = self {
            out.str(text);
        }
    }

    fn decode(tag: u8, input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match tag >> 4 & 3 {
            0 => Ok(Self::Accepted(input.str(usize::MAX)?.into())),
            1 => Ok(Self::Declined),
            2 => Ok(Self::Cancelled),
            _ => Err(DecodeError::UnknownTag(tag)),
        }
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
