//! A few values by key.

use std::sync::Arc;

/// Values in the order of their keys, in one list: an exchange remembers a handful of them, for
/// which a tree is slower to make, to search and to drop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ByKey<V>(Vec<(Arc<str>, V)>);

impl<V> ByKey<V> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&V> {
        let at = self.position(key).ok()?;
        Some(&self.0[at].1)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        let at = self.position(key).ok()?;
        Some(&mut self.0[at].1)
    }

    /// Gives the value that was there before.
    pub(crate) fn insert(&mut self, key: Arc<str>, value: V) -> Option<V> {
        match self.position(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<V> {
        let at = self.position(key).ok()?;
        Some(self.0.remove(at).1)
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        self.0.retain(|(_, value)| keep(value));
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.iter().map(|(key, _)| key)
    }

    fn position(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(key))
    }
}

impl<V> Default for ByKey<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> FromIterator<(Arc<str>, V)> for ByKey<V> {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, V)>>(values: I) -> Self {
        let mut all = Self::new();
        for (key, value) in values {
            all.insert(key, value);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_does_what_a_map_does(changes in proptest::collection::vec(("[a-e]", any::<Option<u8>>()), 0..40)) {
            let (mut list, mut map) = (ByKey::new(), BTreeMap::new());
            for (key, value) in changes {
                match value {
                    Some(value) => prop_assert_eq!(list.insert(key.as_str().into(), value), map.insert(key, value)),
                    None => prop_assert_eq!(list.remove(&key), map.remove(&key)),
                }
                prop_assert!(list.iter().map(|(key, value)| (&**key, value)).eq(map.iter().map(|(key, value)| (&**key, value))));
                for key in ["a", "c", "e"] {
                    prop_assert_eq!(list.get(key), map.get(key));
                    prop_assert_eq!(list.get_mut(key), map.get_mut(key));
                }
            }
            list.retain(|value| value % 2 == 0);
            map.retain(|_, value| *value % 2 == 0);
            prop_assert_eq!(list.len(), map.len());
        }
    }
}
