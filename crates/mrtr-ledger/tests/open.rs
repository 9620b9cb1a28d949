//! Ledgers from their addresses.

#![allow(clippy::unwrap_used, reason = "tests")]

use mrtr_ledger::{OpenError, open};

#[tokio::test]
async fn memory_is_there_without_a_feature() {
    let (one, two) = (
        open("memory:").await.unwrap(),
        open("memory:").await.unwrap(),
    );
    assert_ne!(one.epoch().await.unwrap(), two.epoch().await.unwrap());
}

#[tokio::test]
async fn an_address_of_no_known_kind_is_refused_and_not_repeated() {
    for address in [
        "",
        "hunter2",
        "hunter2:hunter2@host",
        "mysql://user:hunter2@host/",
        "rediss://user:hunter2@host/",
        "memory:hunter2",
        "/hunter2/ledger.db",
    ] {
        let error = open(address).await.err().unwrap();
        assert!(matches!(error, OpenError::Address), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("hunter2"));
        assert!(error.to_string().contains("sqlite:PATH"));
    }
}

#[cfg(not(feature = "sqlite"))]
#[tokio::test]
async fn a_feature_that_is_missing_is_named() {
    let error = open("sqlite:ledger.db").await.err().unwrap();
    assert!(error.to_string().contains("feature `sqlite`"), "{error}");
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn sqlite_is_opened_by_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let path = path.to_str().unwrap();
    let mut epochs = Vec::new();
    for address in [format!("sqlite:{path}"), format!("sqlite://{path}")] {
        epochs.push(open(&address).await.unwrap().epoch().await.unwrap());
    }
    assert_eq!(epochs[0], epochs[1]);
    assert!(matches!(open("sqlite:").await, Err(OpenError::Address)));
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn what_the_client_of_the_store_does_not_know_is_not_told_to_it() {
    let error = open("postgres://user:hunter2@127.0.0.1:1/test?accept_loss=true").await;
    let text = error.err().unwrap().to_string();
    assert!(text.contains("cannot be reached"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[cfg(feature = "redis")]
#[tokio::test]
async fn a_redis_that_is_not_there_cannot_be_reached() {
    let error = open("redis://user:hunter2@127.0.0.1:1/?accept_loss=true").await;
    let text = error.err().unwrap().to_string();
    assert!(text.contains("cannot be reached"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}
