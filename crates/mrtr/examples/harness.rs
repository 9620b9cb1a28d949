//! Testing a handler in process: scripted answers, no sockets, no waiting.
//!
//! In a project these are `#[tokio::test]` functions; here `main` runs them.
//!
//! `cargo run -p mrtr --example harness`

#![allow(clippy::print_stdout)]

use std::sync::atomic::{AtomicU32, Ordering};

use mrtr::harness::{End, Harness};
use mrtr::{Cx, Form, ToolError};
use serde_json::json;

#[derive(Form)]
struct Window {
    #[form(min = 0, max = 23)]
    hour: u8,
}

async fn deploy(cx: Cx, service: &str, builds: &AtomicU32) -> Result<String, ToolError> {
    let build = cx
        .step("build", || async {
            let number = builds.fetch_add(1, Ordering::Relaxed) + 1;
            Ok::<_, std::io::Error>(format!("{service}-{number}"))
        })
        .await?;
    let window: Window = cx.elicit("window", "At which hour?").await?;
    cx.confirm("go", format!("Deploy {build} at {}:00?", window.hour))
        .await?;
    Ok(format!("{build} goes out at {}:00", window.hour))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    it_builds_once_however_often_it_asks().await;
    it_tells_the_person_what_was_wrong().await;
    it_does_nothing_when_the_person_declines().await;
    it_asks_the_same_when_a_round_is_repeated().await;
    println!("4 checks passed");
}

async fn it_builds_once_however_often_it_asks() {
    let builds = AtomicU32::new(0);
    let played = Harness::new(|cx| deploy(cx, "web", &builds))
        .answer("window", json!({"hour": 3}))
        .confirm("go")
        .play()
        .await;
    assert_eq!(played.asked(), [["window"], ["go"]]);
    assert_eq!(played.value(), "web-1 goes out at 3:00");
    assert_eq!(builds.load(Ordering::Relaxed), 1);
}

async fn it_tells_the_person_what_was_wrong() {
    let builds = AtomicU32::new(0);
    let played = Harness::new(|cx| deploy(cx, "web", &builds))
        .answer("window", json!({"hour": 24}))
        .play()
        .await;
    assert_eq!(played.unanswered(), ["window"]);
    let message = played.rounds[1].message("window").unwrap_or_default();
    assert!(message.starts_with("At which hour?\n\n"), "{message}");
    println!("asked again: {}", message.replace("\n\n", " / "));
}

async fn it_does_nothing_when_the_person_declines() {
    let builds = AtomicU32::new(0);
    let played = Harness::new(|cx| deploy(cx, "web", &builds))
        .answer("window", json!({"hour": 3}))
        .decline("go")
        .play()
        .await;
    assert!(matches!(played.end, End::Refused(refused) if refused.key() == "go"));
}

async fn it_asks_the_same_when_a_round_is_repeated() {
    let hours = AtomicU32::new(0);
    // A mistake: this question is another one each time it is asked.
    let handler = async |cx: Cx| -> Result<(), ToolError> {
        let hour = hours.fetch_add(1, Ordering::Relaxed);
        Ok(cx.confirm("go", format!("Now, at {hour}:00?")).await?)
    };
    let played = Harness::new(handler).repeat_each_round().play().await;
    let End::Diverged(difference) = played.end else {
        panic!("the difference was not found: {:?}", played.end);
    };
    println!("{}", difference.lines().next().unwrap_or_default());
}
