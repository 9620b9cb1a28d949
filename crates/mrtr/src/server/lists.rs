//! Lists of definitions, serialised once.

use mrtr_core::wire::{CacheHints, Cause, RawObject};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::reply::one_line;

/// The results of a list request, page by page.
#[derive(Debug)]
pub(super) struct List {
    pages: Vec<Box<[u8]>>,
}

/// What all lists of a server have in common.
pub(super) struct ListStyle<'a> {
    pub(super) page_size: usize,
    pub(super) hints: CacheHints,
    pub(super) meta: &'a RawObject,
}

impl List {
    /// Serialises `items` as the member `key` of results.
    pub(super) fn new<T: Serialize>(
        key: &'static str,
        items: &[T],
        style: &ListStyle<'_>,
    ) -> Result<Self, serde_json::Error> {
        let count = items.len().div_ceil(style.page_size).max(1);
        let page = |index: usize| {
            let begin = index * style.page_size;
            let end = items.len().min(begin.saturating_add(style.page_size));
            let next = (index + 1 < count).then(|| cursor(index + 1));
            let page = Page {
                key,
                items: &items[begin..end],
                next,
                style,
            };
            let mut json = serde_json::to_vec(&page)?;
            one_line(&mut json);
            Ok(json.into_boxed_slice())
        };
        Ok(Self {
            pages: (0..count)
                .map(page)
                .collect::<Result<_, serde_json::Error>>()?,
        })
    }

    /// The page a cursor stands for; the first one without.
    pub(super) fn page(&self, at: Option<&str>) -> Result<&[u8], Cause> {
        let index = match at {
            None => 0,
            Some(at) => (1..self.pages.len())
                .find(|index| cursor(*index) == at)
                .ok_or(Cause::InvalidCursor)?,
        };
        self.pages
            .get(index)
            .map(|page| &**page)
            .ok_or(Cause::InvalidCursor)
    }
}

fn cursor(index: usize) -> String {
    format!("page-{}", index + 1)
}

struct Page<'a, T> {
    key: &'static str,
    items: &'a [T],
    next: Option<String>,
    style: &'a ListStyle<'a>,
}

impl<T: Serialize> Serialize for Page<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("resultType", "complete")?;
        map.serialize_entry(self.key, self.items)?;
        if let Some(next) = &self.next {
            map.serialize_entry("nextCursor", next)?;
        }
        map.serialize_entry("ttlMs", &self.style.hints.ttl_ms)?;
        map.serialize_entry("cacheScope", &self.style.hints.scope)?;
        map.serialize_entry("_meta", self.style.meta)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn pages(items: &[u8], page_size: usize) -> Vec<Vec<u64>> {
        let meta = RawObject::new();
        let style = ListStyle {
            page_size,
            hints: CacheHints::default(),
            meta: &meta,
        };
        let list = List::new("tools", items, &style).expect("serialises");
        let mut pages = Vec::new();
        let mut at: Option<String> = None;
        loop {
            let page: Value =
                serde_json::from_slice(list.page(at.as_deref()).expect("a page")).expect("JSON");
            let numbers = page["tools"].as_array().expect("a list");
            pages.push(numbers.iter().filter_map(Value::as_u64).collect());
            match page["nextCursor"].as_str() {
                Some(next) => at = Some(next.to_owned()),
                None => return pages,
            }
        }
    }

    #[test]
    fn following_the_cursors_visits_every_item_once() {
        assert_eq!(
            pages(&[1, 2, 3, 4, 5], 2),
            [vec![1, 2], vec![3, 4], vec![5]]
        );
        assert_eq!(pages(&[1, 2], 2), [vec![1, 2]]);
        assert_eq!(pages(&[1, 2], usize::MAX), [vec![1, 2]]);
        assert_eq!(pages(&[], 2), [Vec::<u64>::new()]);
    }

    #[test]
    fn a_cursor_that_was_not_handed_out_is_refused() {
        let meta = RawObject::new();
        let style = ListStyle {
            page_size: 1,
            hints: CacheHints::default(),
            meta: &meta,
        };
        let list = List::new("tools", &[1, 2], &style).expect("serialises");
        for bad in ["", "page-1", "page-3", "page-02", "2"] {
            assert_eq!(list.page(Some(bad)), Err(Cause::InvalidCursor), "{bad}");
        }
        assert!(list.page(Some("page-2")).is_ok());
    }
}
