//! Results that may be used again.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::HeaderMap;
use mrtr_core::Timestamp;
use mrtr_core::wire::{CacheScope, Capabilities, ServerNotification};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Complete results of first requests, for as long as the server allows and nothing is known to have
/// changed.
///
/// Implements [caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).
pub(crate) struct Cache {
    table: Mutex<Table>,
    most_entries: usize,
    most_bytes: usize,
    hashers: [RandomState; 2],
}

#[derive(Default)]
struct Table {
    entries: HashMap<Place, Entry>,
    bytes: usize,
    /// Counts the uses, so that the entry that was not used for longest can be found.
    uses: u64,
    epochs: [u64; Subject::ALL],
}

/// What kind of result it is, as far as notifications tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Server,
    Tools,
    Prompts,
    Resources,
    Templates,
    Content,
}

impl Subject {
    const ALL: usize = 6;

    /// `None` for methods whose results are never kept.
    pub(crate) fn of(method: &str) -> Option<Self> {
        Some(match method {
            "server/discover" => Self::Server,
            "tools/list" => Self::Tools,
            "prompts/list" => Self::Prompts,
            "resources/list" => Self::Resources,
            "resources/templates/list" => Self::Templates,
            "resources/read" => Self::Content,
            _ => return None,
        })
    }
}

/// What a request asks for. Other requests never get its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) subject: Subject,
    /// The parameters without `_meta`.
    pub(crate) params: String,
    pub(crate) version: String,
    pub(crate) declared: Capabilities,
}

/// With which credentials a request was made. A keyed digest, of no use outside this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Context([u64; 2]);

impl Context {
    /// Of a connection whose credentials do not change.
    pub(crate) const FIXED: Self = Self([0; 2]);
}

#[derive(PartialEq, Eq, Hash)]
struct Place {
    key: Key,
    /// `None` for a result that everybody may have.
    context: Option<Context>,
}

struct Entry {
    result: Box<RawValue>,
    fresh_until: Timestamp,
    used: u64,
    size: usize,
}

/// A request whose result may be kept, or have been kept.
pub(crate) struct Ticket {
    key: Key,
    context: Context,
    epoch: u64,
}

/// What decides how long a result may be kept. Anything unknown in here means: not at all.
#[derive(Deserialize)]
struct Hints {
    #[serde(rename = "ttlMs")]
    ttl_ms: Option<i64>,
    #[serde(rename = "cacheScope")]
    scope: Option<CacheScope>,
}

impl Cache {
    pub(crate) fn new(most_entries: usize, most_bytes: usize) -> Self {
        Self {
            table: Mutex::default(),
            most_entries,
            most_bytes,
            hashers: [RandomState::new(), RandomState::new()],
        }
    }

    /// The context of requests with these credentials.
    pub(crate) fn context(&self, credentials: &HeaderMap) -> Context {
        let mut credentials: Vec<_> = credentials
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        credentials.sort_unstable();
        let [one, two] = &self.hashers;
        Context([one.hash_one(&credentials), two.hash_one(&credentials)])
    }

    /// Whether anything of the kind is kept, fresh or not.
    pub(crate) fn has(&self, subject: Subject) -> bool {
        let table = self.table();
        table
            .entries
            .keys()
            .any(|place| place.key.subject == subject)
    }

    /// A result that is still fresh.
    pub(crate) fn get(&self, ticket: &Ticket, now: Timestamp) -> Option<Box<RawValue>> {
        let mut table = self.table();
        table.uses += 1;
        let used = table.uses;
        [Some(ticket.context), None]
            .into_iter()
            .find_map(|context| {
                let key = ticket.key.clone();
                let entry = table.entries.get_mut(&Place { key, context })?;
                if now >= entry.fresh_until {
                    return None;
                }
                entry.used = used;
                Some(entry.result.clone())
            })
    }

    /// Remembers what is known before a request leaves.
    pub(crate) fn ticket(&self, key: Key, context: Context) -> Ticket {
        let epoch = self.epoch(key.subject);
        Ticket {
            key,
            context,
            epoch,
        }
    }

    /// Keeps the result that came `now`, if it may be kept and nothing of its kind was said to have
    /// changed since its request left.
    pub(crate) fn keep(&self, ticket: Ticket, result: &RawValue, now: Timestamp) {
        let Ticket {
            key,
            context,
            epoch,
        } = ticket;
        let Ok(Hints {
            ttl_ms: Some(ttl),
            scope,
        }) = serde_json::from_str(result.get())
        else {
            return;
        };
        let ttl = u64::try_from(ttl).unwrap_or(0);
        let context = (scope != Some(CacheScope::Public)).then_some(context);
        let size = result.get().len() + key.params.len();
        let mut table = self.table();
        table.remove(&Place {
            key: key.clone(),
            context,
        });
        if ttl == 0 || size > self.most_bytes || table.epochs[key.subject as usize] != epoch {
            return;
        }
        table.make_room(self.most_entries, self.most_bytes - size, now);
        if table.entries.len() >= self.most_entries {
            return;
        }
        table.uses += 1;
        let entry = Entry {
            result: result.to_owned(),
            fresh_until: now + std::time::Duration::from_millis(ttl),
            used: table.uses,
            size,
        };
        table.bytes += size;
        table.entries.insert(Place { key, context }, entry);
    }

    /// Forgets what a notification says has changed.
    pub(crate) fn changed(&self, notification: &ServerNotification) {
        match notification {
            ServerNotification::ToolsListChanged(_) => self.forget(&[Subject::Tools]),
            ServerNotification::PromptsListChanged(_) => self.forget(&[Subject::Prompts]),
            ServerNotification::ResourcesListChanged(_) => {
                self.forget(&[Subject::Resources, Subject::Templates]);
            }
            ServerNotification::ResourceUpdated(params) => self.updated(&params.uri),
            _ => {}
        }
    }

    /// Forgets what is kept of a kind, since it is asked for anew.
    pub(crate) fn drop_kept(&self, subject: Subject) {
        self.table().retain(|place, _| place.key.subject != subject);
    }

    fn forget(&self, subjects: &[Subject]) {
        let mut table = self.table();
        for subject in subjects {
            table.epochs[*subject as usize] += 1;
        }
        table.retain(|place, _| !subjects.contains(&place.key.subject));
    }

    /// The update of a resource concerns what lies below it and above it too.
    fn updated(&self, uri: &str) {
        #[derive(Deserialize)]
        struct Params {
            uri: String,
        }
        let mut table = self.table();
        table.epochs[Subject::Content as usize] += 1;
        table.retain(|place, _| {
            if place.key.subject != Subject::Content {
                return true;
            }
            let params = serde_json::from_str(&place.key.params);
            params
                .is_ok_and(|Params { uri: kept }| !kept.starts_with(uri) && !uri.starts_with(&kept))
        });
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        let mut table = self.table();
        for epoch in &mut table.epochs {
            *epoch += 1;
        }
        table.entries.clear();
        table.bytes = 0;
    }

    /// How often results of the kind were said to have changed.
    pub(crate) fn epoch(&self, subject: Subject) -> u64 {
        self.table().epochs[subject as usize]
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn remove(&mut self, place: &Place) {
        if let Some(entry) = self.entries.remove(place) {
            self.bytes -= entry.size;
        }
    }

    fn retain(&mut self, mut keep: impl FnMut(&Place, &Entry) -> bool) {
        let mut freed = 0;
        self.entries.retain(|place, entry| {
            let kept = keep(place, entry);
            freed += if kept { 0 } else { entry.size };
            kept
        });
        self.bytes -= freed;
    }

    /// Room for one more entry: stale ones go first, then those that were not used for longest.
    fn make_room(&mut self, entries: usize, bytes: usize, now: Timestamp) {
        let is_full = |table: &Self| table.entries.len() >= entries || table.bytes > bytes;
        if is_full(self) {
            self.retain(|_, entry| now < entry.fresh_until);
        }
        while is_full(self) {
            let Some(oldest) = self.entries.values().map(|entry| entry.used).min() else {
                return;
            };
            self.retain(|_, entry| entry.used != oldest);
        }
    }
}
