//! How long to wait before the ledger is asked again.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(25);
const LONGEST: Duration = Duration::from_millis(500);

/// Pauses that double, up to half a second.
pub(super) struct Pauses(Duration);

impl Pauses {
    pub(super) const fn new() -> Self {
        Self(FIRST)
    }

    pub(super) fn next(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(LONGEST);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_half_a_second() {
        let mut pauses = Pauses::new();
        let millis: Vec<_> = (0..7).map(|_| pauses.next().as_millis()).collect();
        assert_eq!(millis, [25, 50, 100, 200, 400, 500, 500]);
    }
}
