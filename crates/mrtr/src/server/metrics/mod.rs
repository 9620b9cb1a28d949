//! What a server counts: a few atomic additions for each request.

mod histogram;
mod label;
mod ledger;
mod outcome;
mod text;

use std::time::Duration;

use mrtr_core::state::Method;

use self::histogram::{HandlerTime, Histogram, LedgerTime, StateBytes};
use self::label::By;
pub(crate) use self::label::Label;
pub(crate) use self::ledger::Measured;
use self::ledger::{Answered, LedgerOp};
use self::outcome::Refusal;
pub(crate) use self::outcome::{BadState, End, Outcome, Round};
use self::text::{Counter, Text, labelled};
use super::Server;
use super::dispatch::Route;

/// The counts of one server.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    started: By<Route, Counter>,
    ended: By<Route, By<Outcome, Counter>>,
    rounds: By<Method, By<Round, Counter>>,
    asked: Counter,
    finished: By<End, Counter>,
    bad_states: By<BadState, Counter>,
    handlers: By<Method, Histogram<HandlerTime>>,
    states: Histogram<StateBytes>,
    refusals: By<Refusal, Counter>,
    key_files: Counter,
    ledger: By<LedgerOp, By<Answered, Histogram<LedgerTime>>>,
}

impl Metrics {
    /// A request has come.
    pub(crate) fn request(&self, route: Route) -> InFlight<'_> {
        self.started.of(route).add();
        InFlight(Some(self.ended.of(route)))
    }

    /// A round was opened.
    pub(crate) fn round(&self, method: Method, round: Round) {
        self.rounds.of(method).of(round).add();
    }

    /// A handler ran for so long.
    pub(crate) fn handler(&self, method: Method, took: Duration) {
        self.handlers.of(method).observe(units(took.as_millis()));
    }

    /// A round ended with a sealed state of so many bytes.
    pub(crate) fn asked(&self, round: Round, bytes: usize) {
        self.states.observe(bytes as u64);
        if round == Round::First {
            self.asked.add();
        }
    }

    /// A round ended for good.
    pub(crate) fn finished(&self, round: Round, end: End) {
        if round == Round::Later {
            self.finished.of(end).add();
        }
    }

    /// A state did not open.
    pub(crate) fn bad_state(&self, reason: impl Into<BadState>) {
        self.bad_states.of(reason.into()).add();
    }

    /// A request was refused before its message was read.
    pub(crate) fn refused(&self, status: http::StatusCode) {
        self.refusals.of(status.into()).add();
    }

    /// The key file could not be used.
    pub(crate) fn bad_key_file(&self) {
        self.key_files.add();
    }

    /// The ledger took so long, and answered or failed.
    fn ledger(&self, op: LedgerOp, took: Duration, ok: bool) {
        let answered = if ok { Answered::Yes } else { Answered::No };
        let times = self.ledger.of(op).of(answered);
        times.observe(units(took.as_micros()));
    }

    /// Requests by method that have come and not ended.
    fn in_flight(&self) -> Vec<(String, u64)> {
        let each = self.ended.iter().map(|(route, ended)| {
            let ended: u64 = ended.iter().map(|(_, count)| count.get()).sum();
            // Read later, so that nothing that has ended is missing.
            let started = self.started.of(route).get();
            (
                labelled(Route::NAME, route.text()),
                started.saturating_sub(ended),
            )
        });
        each.collect()
    }
}

fn units(whole: u128) -> u64 {
    u64::try_from(whole).unwrap_or(u64::MAX)
}

/// A request on its way; counted when it ends, however it does.
pub(crate) struct InFlight<'a>(Option<&'a By<Outcome, Counter>>);

impl InFlight<'_> {
    pub(crate) fn end(mut self, outcome: Outcome) {
        if let Some(ended) = self.0.take() {
            ended.of(outcome).add();
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if let Some(ended) = self.0 {
            let panicked = std::thread::panicking();
            let outcome = if panicked {
                Outcome::Fault
            } else {
                Outcome::Cancelled
            };
            ended.of(outcome).add();
        }
    }
}

impl Server {
    /// What the server has counted, in the text format of Prometheus
    /// (`text/plain; version=0.0.4`). No series is named by anything a client
    /// sends. Serve it where the public cannot ask.
    ///
    /// | metric | labels | what |
    /// | --- | --- | --- |
    /// | `mrtr_requests_total` | `method`, `outcome` | requests that have ended |
    /// | `mrtr_requests_in_flight` | `method` | requests that have not |
    /// | `mrtr_http_refused_total` | `status` | HTTP requests refused before their message was read |
    /// | `mrtr_rounds_total` | `method`, `round` | rounds that were opened: `first` ones, and `later` ones, which came with a state |
    /// | `mrtr_handler_seconds` | `method` | how long handlers ran in a round |
    /// | `mrtr_exchanges_asked_total` | | calls that asked something |
    /// | `mrtr_exchanges_finished_total` | `outcome` | calls that asked something and came to an end |
    /// | `mrtr_states_refused_total` | `reason` | states that did not open; `expired` and `deadline` came too late |
    /// | `mrtr_state_bytes` | | the size of sealed states |
    /// | `mrtr_ledger_seconds` | `op`, `answered` | how long the ledger took, where it was asked |
    /// | `mrtr_key_info` | `id`, `role` | the keys; one `seals` and opens, the others `opens` |
    /// | `mrtr_key_file_failures_total` | | how often the key file could not be used |
    /// | `mrtr_draining` | | 1 when the server [drains](Self::drain) |
    ///
    /// ```
    /// let server = mrtr::server::Server::builder("travel", "1.0.0").build()?;
    /// assert!(server.metrics().contains("mrtr_exchanges_asked_total 0\n"));
    /// # Ok::<(), mrtr::server::BuildError>(())
    /// ```
    #[must_use]
    pub fn metrics(&self) -> String {
        let metrics = &*self.inner.metrics;
        let mut text = Text::default();
        text.metric(
            "mrtr_requests_total",
            "Requests that have ended.",
            &metrics.ended,
        );
        text.metric(
            "mrtr_requests_in_flight",
            "Requests that have not ended.",
            &metrics.in_flight(),
        );
        text.metric(
            "mrtr_http_refused_total",
            "HTTP requests refused before their message was read.",
            &metrics.refusals,
        );
        text.metric(
            "mrtr_rounds_total",
            "Rounds that were opened.",
            &metrics.rounds,
        );
        text.metric(
            "mrtr_handler_seconds",
            "How long handlers ran in a round.",
            &metrics.handlers,
        );
        text.metric(
            "mrtr_exchanges_asked_total",
            "Calls that asked something.",
            &metrics.asked,
        );
        text.metric(
            "mrtr_exchanges_finished_total",
            "Calls that asked something and came to an end.",
            &metrics.finished,
        );
        text.metric(
            "mrtr_states_refused_total",
            "States that did not open.",
            &metrics.bad_states,
        );
        text.metric(
            "mrtr_state_bytes",
            "The size of sealed states.",
            &metrics.states,
        );
        let asks_ledger = |(_, by): (_, &By<Answered, Histogram<_>>)| {
            by.iter().any(|(_, times)| !times.is_empty())
        };
        if metrics.ledger.iter().any(asks_ledger) {
            text.metric(
                "mrtr_ledger_seconds",
                "How long the ledger took.",
                &metrics.ledger,
            );
        }
        text.metric(
            "mrtr_key_info",
            "The keys, by id and role.",
            &self.keys_by_role(),
        );
        text.metric(
            "mrtr_key_file_failures_total",
            "How often the key file could not be used.",
            &metrics.key_files,
        );
        text.metric(
            "mrtr_draining",
            "Whether the server is about to end.",
            &u64::from(self.is_draining()),
        );
        text.into_string()
    }

    fn keys_by_role(&self) -> Vec<(String, u64)> {
        let ids = self.inner.keychain.key_ids().into_iter().enumerate();
        let each = ids.map(|(place, id)| {
            let role = if place == 0 { "seals" } else { "opens" };
            let labels = [labelled("id", &id.to_string()), labelled("role", role)];
            (labels.join(","), 1)
        });
        each.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places<L: Label + PartialEq + std::fmt::Debug>() {
        let texts: std::collections::BTreeSet<_> =
            L::ALL.iter().map(|label| label.text()).collect();
        assert_eq!(
            texts.len(),
            L::ALL.len(),
            "{}: two values look the same",
            L::NAME
        );
        for (place, label) in L::ALL.iter().enumerate() {
            assert_eq!(label.place(), place, "{label:?}");
        }
    }

    #[test]
    fn every_value_of_a_label_has_its_place_and_text() {
        places::<Route>();
        places::<Method>();
        places::<Outcome>();
        places::<Round>();
        places::<End>();
        places::<BadState>();
        places::<Refusal>();
        places::<LedgerOp>();
        places::<Answered>();
    }

    #[test]
    fn a_bucket_holds_what_is_at_most_its_bound() {
        let times = Histogram::<HandlerTime>::default();
        for millis in [0, 1, 2, 300_000, 300_001, u64::MAX] {
            times.observe(millis);
        }
        let (buckets, count) = times.cumulated();
        assert_eq!((buckets[0], buckets[1]), ((0.001, 2), (0.005, 3)));
        assert_eq!((buckets.last(), count), (Some(&(300.0, 4)), 6));
    }

    #[test]
    fn what_is_dropped_half_way_was_cancelled_or_panicked() {
        let metrics = Metrics::default();
        let route = Route::Discover;
        drop(metrics.request(route));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _in_flight = metrics.request(route);
            panic!("a mistake");
        }));
        assert!(panicked.is_err());
        let count = |outcome| metrics.ended.of(route).of(outcome).get();
        assert_eq!(count(Outcome::Cancelled), 1);
        assert_eq!(count(Outcome::Fault), 1);
        assert!(metrics.in_flight().iter().all(|(_, now)| *now == 0));
    }

    #[test]
    fn a_label_cannot_end_early() {
        assert_eq!(labelled("a", "b\\\"\n"), "a=\"b\\\\\\\"\\n\"");
    }
}
