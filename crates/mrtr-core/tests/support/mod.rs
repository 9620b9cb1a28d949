//! One exchange with a handler, played by hand.
#![allow(dead_code, unreachable_pub)]

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mrtr_core::Timestamp;
use mrtr_core::form::{FormContent, FormSchema};
use mrtr_core::ledger::Ledger;
use mrtr_core::replay::{Cx, Fault, NoHold, Refused, Sleep, Spawner, Timer, ToolError};
use mrtr_core::round::{
    Attempt, Closed, OpenRound, Reject, RoundEnv, RoundPolicy, RoundRequest, Rounds,
};
use mrtr_core::state::{Keyring, Method, Principal, Secret};
use mrtr_core::trace::TraceContext;
use mrtr_core::wire::{Capabilities, Capability, ElicitRequest, InputRequest, InputRequiredResult};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

pub struct TokioTimer;

impl Timer for TokioTimer {
    fn sleep(&self, duration: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(duration))
    }
}

pub struct Call {
    pub rounds: Rounds,
    pub policy: RoundPolicy,
    pub method: Method,
    pub target: String,
    pub arguments: Option<Box<RawValue>>,
    pub capabilities: Capabilities,
    pub principal: Option<Arc<Principal>>,
    pub now: Timestamp,
    pub timer: Arc<dyn Timer>,
    pub spawner: Option<Arc<dyn Spawner>>,
    pub ledger: Option<Arc<dyn Ledger>>,
    pub attempt: Option<Attempt>,
    pub trace: Option<TraceContext>,
    pub state: Option<Box<RawValue>>,
    pub seed: u8,
}

impl Call {
    pub fn new() -> Self {
        let keyring = Keyring::new([Secret::generate([1; 32])]).expect("one key");
        Self {
            rounds: Rounds::new(Arc::new(keyring), "test"),
            policy: RoundPolicy::default(),
            method: Method::ToolsCall,
            target: "tool".into(),
            arguments: None,
            capabilities: Capability::ALL.into_iter().collect(),
            principal: None,
            now: Timestamp::from_secs(1_785_196_800),
            timer: Arc::new(NoHold),
            spawner: None,
            ledger: None,
            attempt: None,
            trace: None,
            state: None,
            seed: 0,
        }
    }

    /// One round; the state it ends with is presented by the next one.
    pub async fn play<T, E, F, Fut>(&mut self, answers: Value, handler: F) -> Closed<T>
    where
        F: FnOnce(Cx) -> Fut,
        Fut: Future<Output = Result<T, E>>,
        E: Into<ToolError>,
    {
        let answers = (!answers.is_null()).then(|| to_raw_value(&answers).expect("JSON"));
        let closed = self.play_raw(answers.as_deref(), handler).await;
        if let Closed::InputRequired(result) = &closed {
            self.state = result
                .request_state
                .as_ref()
                .map(|state| to_raw_value(state).expect("JSON"));
        }
        closed
    }

    pub async fn play_raw<T, E, F, Fut>(
        &mut self,
        answers: Option<&RawValue>,
        handler: F,
    ) -> Closed<T>
    where
        F: FnOnce(Cx) -> Fut,
        Fut: Future<Output = Result<T, E>>,
        E: Into<ToolError>,
    {
        self.seed += 1;
        let round = match self.open(answers) {
            Ok(round) => round,
            Err(reject) => return Closed::Rejected(reject),
        };
        let outcome = round.call(handler).await;
        round.close(outcome, &self.request(answers), self.now)
    }

    pub fn open(&self, answers: Option<&RawValue>) -> Result<OpenRound, Reject> {
        let mut env = RoundEnv::new(self.now, [self.seed; 32], self.timer.clone());
        if let Some(spawner) = &self.spawner {
            env = env.with_spawner(spawner.clone());
        }
        if let Some(ledger) = &self.ledger {
            env = env.with_ledger(ledger.clone());
        }
        if let Some(attempt) = self.attempt {
            env = env.with_attempt(attempt);
        }
        if let Some(trace) = &self.trace {
            env = env.with_trace(trace.clone());
        }
        self.rounds.open(&self.request(answers), &self.policy, env)
    }

    pub fn request<'a>(&'a self, answers: Option<&'a RawValue>) -> RoundRequest<'a> {
        let mut request = RoundRequest::new(self.method, &self.target);
        request.arguments = self.arguments.as_deref();
        request.principal = self.principal.as_ref();
        request.capabilities = self.capabilities;
        request.input_responses = answers;
        request.request_state = self.state.as_deref();
        request
    }
}

/// An accepted form with the content `{"value": value}`.
pub fn value(value: impl Into<Value>) -> Value {
    json!({ "action": "accept", "content": { "value": value.into() } })
}

pub fn yes() -> Value {
    json!({ "action": "accept", "content": { "confirmed": true } })
}

pub fn accept() -> Value {
    json!({ "action": "accept" })
}

pub fn decline() -> Value {
    json!({ "action": "decline" })
}

pub fn cancel() -> Value {
    json!({ "action": "cancel" })
}

pub fn none() -> Value {
    Value::Null
}

pub fn form(json: Value) -> FormSchema {
    FormSchema::parse(&to_raw_value(&json).expect("JSON")).expect("a form")
}

/// A form with one required text field, `value`.
pub fn text() -> FormSchema {
    form(json!({
        "type": "object",
        "properties": { "value": { "type": "string" } },
        "required": ["value"],
    }))
}

/// A form with one required number field, `value`, of at least 1.
pub fn number() -> FormSchema {
    form(json!({
        "type": "object",
        "properties": { "value": { "type": "integer", "minimum": 1 } },
        "required": ["value"],
    }))
}

/// Asks for a text.
pub fn ask<M>(
    cx: &Cx<M>,
    key: &str,
) -> impl Future<Output = Result<String, Refused>> + Unpin + use<M> {
    Said(cx.elicit_form(key, format!("{key}?"), text()))
}

pub struct Said(pub mrtr_core::replay::Ask<FormContent>);

impl Said {
    pub fn into_inner(self) -> mrtr_core::replay::Ask<FormContent> {
        self.0
    }
}

impl Future for Said {
    type Output = Result<String, Refused>;

    fn poll(
        mut self: Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        Pin::new(&mut self.0)
            .poll(cx)
            .map(|answer| answer.map(|content| said(&content)))
    }
}

pub fn said(content: &FormContent) -> String {
    match content.get("value") {
        Some(mrtr_core::form::FieldValue::Text(text)) => text.clone(),
        other => panic!("no text: {other:?}"),
    }
}

#[track_caller]
pub fn asked<T: std::fmt::Debug>(closed: Closed<T>) -> InputRequiredResult {
    match closed {
        Closed::InputRequired(result) => {
            assert!(result.request_state.is_some(), "no state: {result:?}");
            result
        }
        other => panic!("not asked: {other:?}"),
    }
}

#[track_caller]
pub fn keys<T: std::fmt::Debug>(closed: Closed<T>) -> Vec<String> {
    let requests = asked(closed).input_requests.unwrap_or_default();
    requests.iter().map(|(key, _)| key.to_owned()).collect()
}

#[track_caller]
pub fn messages<T: std::fmt::Debug>(closed: Closed<T>) -> Vec<(String, String)> {
    let requests = asked(closed).input_requests.unwrap_or_default();
    requests
        .iter()
        .map(|(key, request)| {
            let message = match request {
                InputRequest::Elicit(ElicitRequest::Form(form)) => form.message.clone(),
                InputRequest::Elicit(ElicitRequest::Url(url)) => url.message.clone(),
                _ => String::new(),
            };
            (key.to_owned(), message)
        })
        .collect()
}

#[track_caller]
pub fn done<T: std::fmt::Debug>(closed: Closed<T>) -> T {
    match closed {
        Closed::Complete(value) => value,
        other => panic!("not complete: {other:?}"),
    }
}

#[track_caller]
pub fn refused<T: std::fmt::Debug>(closed: Closed<T>) -> Refused {
    match closed {
        Closed::Refused(refused) => refused,
        other => panic!("not refused: {other:?}"),
    }
}

#[track_caller]
pub fn fault<T: std::fmt::Debug>(closed: Closed<T>) -> Fault {
    match closed {
        Closed::Fault(fault) => fault,
        other => panic!("no fault: {other:?}"),
    }
}

#[track_caller]
pub fn rejected<T: std::fmt::Debug>(closed: Closed<T>) -> Reject {
    match closed {
        Closed::Rejected(reject) => reject,
        other => panic!("not rejected: {other:?}"),
    }
}

/// How often something happened.
#[derive(Clone, Default)]
pub struct Count(Arc<AtomicU32>);

impl Count {
    pub fn up(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}
