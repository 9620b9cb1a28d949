//! A tool that charges once it may, and instances that have it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mrtr::round::Replay;
use mrtr::server::{Caller, Server, ServerBuilder, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::{Cx, Timestamp, ToolError};
use mrtr_ledger::MemoryLedger;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use crate::line::Line;
use crate::transport_support::meta_with;

/// What happens behind the counter, on all instances.
#[derive(Clone)]
pub(crate) struct Till {
    begun: watch::Sender<u32>,
    may: Arc<Semaphore>,
    charged: watch::Sender<u32>,
    left: watch::Sender<u32>,
}

impl Till {
    /// Charges may be made at once.
    pub(crate) fn open() -> Self {
        let till = Self::closed();
        till.let_in(1_000_000);
        till
    }

    /// A charge waits until it is let in.
    pub(crate) fn closed() -> Self {
        Self {
            begun: watch::Sender::default(),
            may: Arc::new(Semaphore::new(0)),
            charged: watch::Sender::default(),
            left: watch::Sender::default(),
        }
    }

    pub(crate) fn let_in(&self, charges: usize) {
        self.may.add_permits(charges);
    }

    /// Resolves once so many runs have begun to charge.
    pub(crate) async fn begun(&self, runs: u32) {
        let mut begun = self.begun.subscribe();
        begun.wait_for(|begun| *begun >= runs).await.unwrap();
    }

    /// Resolves once so many runs were dropped in the middle.
    pub(crate) async fn left(&self, runs: u32) {
        let mut left = self.left.subscribe();
        left.wait_for(|left| *left >= runs).await.unwrap();
    }

    pub(crate) fn begun_now(&self) -> u32 {
        *self.begun.borrow()
    }

    pub(crate) fn charged(&self) -> u32 {
        *self.charged.borrow()
    }

    pub(crate) async fn charge(self) -> u32 {
        struct Leaves(Option<watch::Sender<u32>>);
        impl Drop for Leaves {
            fn drop(&mut self) {
                if let Some(left) = &self.0 {
                    left.send_modify(|left| *left += 1);
                }
            }
        }
        let mut leaves = Leaves(Some(self.left.clone()));
        self.begun.send_modify(|begun| *begun += 1);
        self.may.acquire().await.unwrap().forget();
        leaves.0 = None;
        self.charged.send_modify(|charged| *charged += 1);
        self.charged()
    }
}

/// A ledger whose clock is tokio's.
pub(crate) fn ledger() -> MemoryLedger {
    ledger_ahead(&Arc::default())
}

/// A ledger whose clock is ahead of tokio's by so many seconds: what time is to the ledger after an
/// instance was stopped and goes on without noticing.
pub(crate) fn ledger_ahead(seconds: &Arc<AtomicU64>) -> MemoryLedger {
    let (start, seconds) = (Instant::now(), seconds.clone());
    MemoryLedger::with_clock(move || {
        let ahead = Duration::from_secs(seconds.load(Ordering::Relaxed));
        Timestamp::from_millis(0) + start.elapsed() + ahead
    })
}

/// An instance that charges at this till. All that share a ledger are one server.
pub(crate) fn instance(line: &Line, till: &Till) -> ServerBuilder {
    let till = till.clone();
    let charge = move |cx: Cx, (): ()| {
        let till = till.clone();
        async move {
            cx.confirm("sure", "Charge it?").await?;
            Ok::<_, ToolError>(format!("charge {}", till.charge().await))
        }
    };
    let keyring = Keyring::new([Secret::generate([7; 32])]).unwrap();
    Server::builder("shop", "1.0.0")
        .keyring(keyring)
        .ledger(line.clone())
        .request_deadline(Duration::from_secs(60))
        .tool(tool("charge", charge).replay(Replay::Once))
}

/// The request that begins, and the ones that go on from `state`.
pub(crate) fn first() -> Value {
    json!({"name": "charge", "arguments": {}, "_meta": meta_with(json!({"elicitation": {}}))})
}

pub(crate) fn retry(state: &str) -> Value {
    answered(state, true)
}

pub(crate) fn answered(state: &str, yes: bool) -> Value {
    let mut params = first();
    params["requestState"] = json!(state);
    params["inputResponses"] = json!({"sure": {"action": "accept", "content": {"confirmed": yes}}});
    params
}

/// The response to `params`, without a transport.
pub(crate) async fn send(server: &Server, id: u32, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    let message = message.to_string();
    let caller = Caller::anonymous();
    let answer = server.respond(message.as_bytes(), &caller).await.unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["id"], id);
    answer
}

/// The state of a first round.
pub(crate) async fn begin(server: &Server) -> String {
    state_of(&send(server, 1, first()).await)
}

pub(crate) fn state_of(answer: &Value) -> String {
    let state = answer["result"]["requestState"].as_str();
    state.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

pub(crate) fn text(answer: &Value) -> &str {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{answer}"))
}

/// The reason that an error gives.
pub(crate) fn reason(answer: &Value) -> &str {
    let reason = answer["error"]["data"]["reason"].as_str();
    reason.unwrap_or_else(|| panic!("{answer}"))
}
