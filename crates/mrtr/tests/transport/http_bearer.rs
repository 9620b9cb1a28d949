//! The example with bearer tokens does what it says.

#[path = "../../examples/bearer.rs"]
mod bearer;

#[tokio::test]
async fn tokens_tell_callers_apart_and_each_has_its_own_limit() {
    let told = bearer::play().await.expect("a run");
    let told: Vec<_> = told
        .iter()
        .map(|(who, told)| (*who, told.as_str()))
        .collect();
    assert_eq!(told[0], ("nobody", "HTTP 401"));
    assert_eq!(told[1], ("mallory", "HTTP 401"));
    assert_eq!(told[2], ("alice", "Hello, alice."));
    assert_eq!(told[3], ("alice", "Hello, alice."));
    assert!(
        told[4].1.starts_with("Too many calls. Try again in "),
        "{told:?}"
    );
    assert_eq!(told[5], ("bob", "Hello, bob."));
}
