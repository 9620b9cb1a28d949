//! What a log hears of a server's mistakes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many are worth a warning.
const MOST: u32 = 16;

/// The mistakes of one server: only the first ones are worth a warning, since a server that makes
/// them without end must not fill a log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mistakes(Arc<AtomicU32>);

impl Mistakes {
    /// Whether to warn of one more.
    pub(crate) fn are_worth_a_warning(&self) -> bool {
        let before = self.0.load(Ordering::Relaxed);
        if before > MOST {
            return false;
        }
        self.0.fetch_add(1, Ordering::Relaxed);
        if before == MOST {
            tracing::warn!("the server goes on making mistakes; no more are logged");
        }
        before < MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_mistakes_are_worth_a_warning_and_no_flood_of_them_is() {
        let mistakes = Mistakes::default();
        let warned = (0..1000).filter(|_| mistakes.clone().are_worth_a_warning());
        assert_eq!(warned.count(), 16);
    }
}
