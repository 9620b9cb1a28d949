//! Changes that the server of this crate tells its client, over HTTP and over a stream of lines.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mrtr::client::{Change, Client, ClientBuilder, Subscription};
use mrtr::server::{Changes, Server, prompt, resource, tool};
use mrtr::wire::SubscriptionFilter;
use mrtr::{Cx, ToolError};
use serde_json::json;

async fn nothing(_: Cx, (): ()) -> Result<String, ToolError> {
    Ok(String::new())
}

async fn note(_: Cx, (): ()) -> Result<String, ToolError> {
    Ok("a note".to_owned())
}

fn server() -> Server {
    Server::builder("notes", "1.0.0")
        .tool(tool("t", nothing))
        .prompt(prompt("p", nothing))
        .resource(resource("note://todo", note))
        .changes(Changes::new())
        .build()
        .unwrap()
}

async fn http(server: &Server) -> ClientBuilder {
    let listener = server.http().bind("127.0.0.1:0").await.unwrap();
    let url = listener.url();
    tokio::spawn(listener.run_until(std::future::pending()));
    Client::http(url)
}

fn lines(server: &Server) -> ClientBuilder {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let stdio = server.stdio();
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        stdio.over(reader, writer).await
    });
    let (reader, writer) = tokio::io::split(ours);
    Client::stream("notes", reader, writer)
}

async fn next(subscription: &mut Subscription) -> Change {
    subscription.next().await.unwrap().unwrap()
}

async fn changes_arrive(server: Server, builder: ClientBuilder) {
    let requests = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&requests);
    let client = builder
        .trace(move |message| {
            if message.text.contains("\"prompts/list\"") {
                count.fetch_add(1, Ordering::Relaxed);
            }
        })
        .build()
        .unwrap();
    let wanted: SubscriptionFilter = serde_json::from_value(json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": ["note://todo", "note://unknown"]}))
    .unwrap();
    let mut subscription = client.listen(wanted).await.unwrap();
    assert_eq!(
        serde_json::to_value(subscription.missing()).unwrap(),
        json!({"resourceSubscriptions": ["note://unknown"]})
    );
    for _ in 0..2 {
        client.list_prompts().await.unwrap();
    }
    assert_eq!(
        requests.load(Ordering::Relaxed),
        1,
        "the server lets lists be kept"
    );

    let changes = server.changes();
    changes.tools_list_changed();
    assert_eq!(next(&mut subscription).await, Change::Tools);
    changes.resource_updated("note://todo");
    let uri = "note://todo".to_owned();
    assert_eq!(next(&mut subscription).await, Change::Resource { uri });
    changes.resources_list_changed();
    assert_eq!(next(&mut subscription).await, Change::Resources);
    client.list_prompts().await.unwrap();
    assert_eq!(requests.load(Ordering::Relaxed), 1);
    changes.prompts_list_changed();
    assert_eq!(next(&mut subscription).await, Change::Prompts);
    client.list_prompts().await.unwrap();
    assert_eq!(requests.load(Ordering::Relaxed), 2);

    changes.end_subscriptions();
    assert_eq!(subscription.next().await.unwrap(), None);
    assert_eq!(changes.subscriptions(), 0);
}

#[tokio::test]
async fn changes_arrive_over_http() {
    let server = server();
    let builder = http(&server).await;
    changes_arrive(server, builder).await;
}

#[tokio::test]
async fn changes_arrive_over_lines() {
    let server = server();
    let builder = lines(&server);
    changes_arrive(server, builder).await;
}
