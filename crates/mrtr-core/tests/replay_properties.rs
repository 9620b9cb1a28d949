//! Random handlers, answered in random portions, end with the right result and
//! do each of their steps once.

mod support;

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use futures::stream::{FuturesUnordered, StreamExt};
use mrtr_core::replay::{Cx, ToolError};
use mrtr_core::round::Closed;
use proptest::prelude::*;
use serde_json::Value;
use support::*;

#[derive(Clone, Debug)]
enum Part {
    Ask,
    Step { polls: u8 },
    Io { polls: u8 },
    Then(Vec<Part>),
    Join(Vec<Part>),
    Unordered(Vec<Part>),
}

fn part() -> impl Strategy<Value = Part> {
    let leaf = prop_oneof![
        3 => Just(Part::Ask),
        2 => (0u8..8).prop_map(|polls| Part::Step { polls }),
        1 => (0u8..8).prop_map(|polls| Part::Io { polls }),
    ];
    leaf.prop_recursive(4, 32, 8, |part| {
        let parts = proptest::collection::vec(part, 1..8);
        prop_oneof![
            parts.clone().prop_map(Part::Then),
            parts.clone().prop_map(Part::Join),
            parts.prop_map(Part::Unordered),
        ]
    })
}

/// How often each step was done.
type Work = Arc<Mutex<BTreeMap<String, u32>>>;

/// Gives the keys of all asks and steps within.
fn run(
    part: Part,
    cx: Cx,
    path: String,
    work: Work,
) -> BoxFuture<'static, Result<Vec<String>, ToolError>> {
    let children = |parts: Vec<Part>| {
        let (cx, path, work) = (cx.clone(), path.clone(), work.clone());
        parts
            .into_iter()
            .enumerate()
            .map(move |(i, part)| run(part, cx.at(i), format!("{path}{i}/"), work.clone()))
    };
    match part {
        Part::Ask => async move {
            let answer = ask(&cx, "ask").await?;
            assert_eq!(answer, format!("{path}ask"));
            Ok(vec![answer])
        }
        .boxed(),
        Part::Step { polls } => async move {
            let key = format!("{path}step");
            let done = cx
                .step("step", || async move {
                    yields(polls).await;
                    *work
                        .lock()
                        .expect("not poisoned")
                        .entry(key.clone())
                        .or_default() += 1;
                    Ok::<_, Infallible>(key)
                })
                .await?;
            Ok(vec![done])
        }
        .boxed(),
        Part::Io { polls } => yields(polls).map(|()| Ok(Vec::new())).boxed(),
        Part::Then(parts) => {
            let children: Vec<_> = children(parts).collect();
            async move {
                let mut all = Vec::new();
                for child in children {
                    all.extend(child.await?);
                }
                Ok(all)
            }
            .boxed()
        }
        Part::Join(parts) => {
            let children = join_all(children(parts));
            async move {
                let mut all = Vec::new();
                for child in children.await {
                    all.extend(child?);
                }
                Ok(all)
            }
            .boxed()
        }
        Part::Unordered(parts) => {
            let mut children: FuturesUnordered<_> = children(parts).collect();
            async move {
                let mut all = Vec::new();
                while let Some(child) = children.next().await {
                    all.extend(child?);
                }
                Ok(all)
            }
            .boxed()
        }
    }
}

/// Alternates between being woken at once and being woken by the runtime.
async fn yields(polls: u8) {
    for n in 0..polls {
        if n % 4 == 0 {
            tokio::task::yield_now().await;
        } else {
            let mut woken = false;
            futures::future::poll_fn(|cx| {
                if std::mem::replace(&mut woken, true) {
                    return std::task::Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                std::task::Poll::Pending
            })
            .await;
        }
    }
}

fn expected(part: &Part, path: &str, asks: &mut Vec<String>, steps: &mut Vec<String>) {
    match part {
        Part::Ask => asks.push(format!("{path}ask")),
        Part::Step { .. } => steps.push(format!("{path}step")),
        Part::Io { .. } => {}
        Part::Then(parts) | Part::Join(parts) | Part::Unordered(parts) => {
            for (i, part) in parts.iter().enumerate() {
                expected(part, &format!("{path}{i}/"), asks, steps);
            }
        }
    }
}

async fn play(part: Part, portions: Vec<u32>) {
    let (mut asks, mut steps) = (Vec::new(), Vec::new());
    expected(&part, "", &mut asks, &mut steps);
    let work = Work::default();
    let mut call = Call::new();
    call.policy.limits.max_rounds = 1_000;
    let mut answered = HashSet::new();
    let mut answers = none();
    for round in 0.. {
        let handler = |cx| run(part.clone(), cx, String::new(), work.clone());
        match call.play(answers, handler).await {
            Closed::Complete(mut keys) => {
                let mut all = [asks, steps.clone()].concat();
                all.sort();
                keys.sort();
                assert_eq!(keys, all);
                break;
            }
            closed => {
                let asked = keys(closed);
                assert!(!asked.is_empty());
                for key in &asked {
                    assert!(!answered.contains(key), "{key} was answered already");
                }
                let bits = portions[round % portions.len()];
                let answer = |(i, _): &(usize, &String)| *i == 0 || bits >> (i % 32) & 1 == 1;
                let chosen = asked.iter().enumerate().filter(answer);
                let chosen: Vec<_> = chosen.map(|(_, key)| key.clone()).collect();
                answered.extend(chosen.iter().cloned());
                let pairs = chosen.into_iter().map(|key| (key.clone(), value(key)));
                answers = pairs.collect::<Value>();
            }
        }
    }
    let work = work.lock().expect("not poisoned");
    let once: BTreeMap<_, _> = steps.into_iter().map(|key| (key, 1)).collect();
    assert_eq!(*work, once);
}

proptest! {
    #[test]
    fn every_handler_ends_with_the_right_result_and_each_step_done_once(
        part in part(),
        portions in proptest::collection::vec(any::<u32>(), 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("starts").block_on(play(part, portions));
    }
}
