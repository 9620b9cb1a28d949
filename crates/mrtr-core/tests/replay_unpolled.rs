//! Random handlers that leave parts of themselves unpolled while they go on:
//! they never hang, are never asked the same twice, and a step whose value
//! they were given is not done again once its round has ended with a question.

mod support;

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use futures::stream::{FuturesUnordered, StreamExt};
use mrtr_core::replay::{Cx, ToolError};
use mrtr_core::round::Closed;
use proptest::prelude::*;
use serde_json::Value;
use support::*;
use tokio::time::{Instant, sleep, timeout};

/// Far more than all the waiting in a handler.
const FOR_EVER: Duration = Duration::from_secs(1_000);

#[derive(Clone, Debug)]
enum Part {
    Ask,
    Step {
        millis: u8,
    },
    Io {
        millis: u8,
    },
    Join(Vec<Part>),
    /// Starts the parts in a buffer, and after each that is done does another
    /// one, while nobody polls the buffer.
    Buffered(Vec<Part>, Box<Part>),
    /// Does one part for at most a millisecond, then the other, then the rest
    /// of the first. Polls the first within a set that is then dropped.
    Left(Box<Part>, Box<Part>),
    /// As `Left`, polling the first directly.
    Late(Box<Part>, Box<Part>),
}

fn part() -> impl Strategy<Value = Part> {
    let leaf = prop_oneof![
        2 => Just(Part::Ask),
        2 => (0u8..5).prop_map(|millis| Part::Step { millis }),
        1 => (0u8..5).prop_map(|millis| Part::Io { millis }),
    ];
    leaf.prop_recursive(4, 24, 4, |part| {
        let parts = proptest::collection::vec(part.clone(), 1..4);
        let boxed = part.prop_map(Box::new);
        prop_oneof![
            parts.clone().prop_map(Part::Join),
            (parts, boxed.clone()).prop_map(|(parts, part)| Part::Buffered(parts, part)),
            (boxed.clone(), boxed.clone()).prop_map(|(first, then)| Part::Left(first, then)),
            (boxed.clone(), boxed).prop_map(|(first, then)| Part::Late(first, then)),
        ]
    })
}

/// How often each step was begun, and whether the handler was given its value.
type Work = Arc<Mutex<BTreeMap<String, (u32, bool)>>>;

fn run(part: Part, cx: Cx, path: String, work: Work) -> BoxFuture<'static, ()> {
    let child = {
        let (cx, path, work) = (cx.clone(), path.clone(), work.clone());
        move |part, name: String| {
            let path = format!("{path}{name}/");
            run(part, cx.at(name), path, work.clone())
        }
    };
    let named = |(i, part): (usize, Part)| (part, i.to_string());
    match part {
        Part::Ask => ask(&cx, "ask").map(drop).boxed(),
        Part::Step { millis } => async move {
            let begun = work.clone();
            let key = path.clone();
            let step = cx.step("step", || async move {
                begun
                    .lock()
                    .expect("not poisoned")
                    .entry(key)
                    .or_default()
                    .0 += 1;
                sleep(Duration::from_millis(millis.into())).await;
                Ok::<_, Infallible>(())
            });
            step.await.expect("never fails");
            work.lock()
                .expect("not poisoned")
                .entry(path)
                .or_default()
                .1 = true;
        }
        .boxed(),
        Part::Io { millis } => sleep(Duration::from_millis(millis.into())).boxed(),
        Part::Join(parts) => {
            let children = parts.into_iter().enumerate().map(named);
            let children = children.map(|(part, name)| child(part, name));
            join_all(children).map(drop).boxed()
        }
        Part::Buffered(parts, then) => async move {
            let children = parts.into_iter().enumerate().map(named);
            let children = children.map(|(part, name)| {
                let after = name.clone();
                child(part, name).map(|()| after)
            });
            let mut done = futures::stream::iter(children).buffer_unordered(2);
            while let Some(after) = done.next().await {
                child((*then).clone(), format!("after-{after}")).await;
            }
        }
        .boxed(),
        Part::Left(first, then) => async move {
            let mut first = child(*first, "first".into()).fuse();
            let mut set = FuturesUnordered::new();
            set.push((&mut first).boxed());
            let ended = timeout(Duration::from_millis(1), set.next()).await.is_ok();
            drop(set);
            child(*then, "then".into()).await;
            if !ended {
                first.await;
            }
        }
        .boxed(),
        Part::Late(first, then) => async move {
            let mut first = child(*first, "first".into());
            let ended = timeout(Duration::from_millis(1), &mut first).await.is_ok();
            child(*then, "then".into()).await;
            if !ended {
                first.await;
            }
        }
        .boxed(),
    }
}

async fn play(part: Part) {
    let work = Work::default();
    let mut call = Call::new();
    call.policy.limits.max_rounds = 1_000;
    let mut answered = HashSet::new();
    let mut answers = none();
    loop {
        let before = work.lock().expect("not poisoned").clone();
        let handler = |cx| {
            let all = run(part.clone(), cx, String::new(), work.clone());
            all.map(Ok::<_, ToolError>)
        };
        let began = Instant::now();
        let closed = timeout(FOR_EVER, call.play(answers, handler)).await;
        // The end of the time wakes the round a last time, which may end it.
        assert!(began.elapsed() < FOR_EVER, "the round hangs");
        for (key, (begun, given)) in &before {
            let now = work.lock().expect("not poisoned")[key].0;
            assert!(!given || now == *begun, "the step {key} was done again");
        }
        let asked = match closed.expect("in time") {
            Closed::Complete(()) => return,
            closed => keys(closed),
        };
        assert!(!asked.is_empty());
        for key in &asked {
            assert!(answered.insert(key.clone()), "{key} was asked before");
        }
        let pairs = asked.into_iter().map(|key| (key, value("x")));
        answers = pairs.collect::<Value>();
    }
}

proptest! {
    #[test]
    fn a_handler_that_leaves_parts_unpolled_never_hangs_and_keeps_what_it_was_given(
        part in part(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        runtime.expect("starts").block_on(play(part));
    }
}
