//! Whether Redis is set up to keep what it is told.

use std::collections::HashMap;

use mrtr_core::ledger::LedgerError;
use redis::aio::MultiplexedConnection;

use super::error;

/// What must be set, to what.
const SETTINGS: &[(&str, &str)] = &[
    ("appendonly", "yes"),
    ("appendfsync", "always"),
    ("no-appendfsync-on-rewrite", "no"),
    ("maxmemory-policy", "noeviction"),
];

/// Refuses a Redis that is set up otherwise, or does not say; with `accept_loss`
/// it only warns.
pub(super) async fn check(
    connection: &mut MultiplexedConnection,
    accept_loss: bool,
) -> Result<(), LedgerError> {
    let mut wrong = Vec::new();
    for (name, wanted) in SETTINGS {
        let asked = redis::cmd("CONFIG")
            .arg("GET")
            .arg(name)
            .query_async::<HashMap<String, String>>(connection)
            .await;
        match asked {
            Ok(settings) => match settings.get(*name) {
                Some(value) if value == wanted => {}
                Some(value) => wrong.push(format!("set {name} {wanted} (it is {value})")),
                None => wrong.push(format!("set {name} {wanted} (it does not say what it is)")),
            },
            Err(failed) if error::is_of_the_connection(&failed) => return Err(error::of(&failed)),
            Err(failed) => {
                wrong.push(format!("allow CONFIG GET ({failed})"));
                break;
            }
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let wrong = wrong.join(", ");
    if accept_loss {
        tracing::warn!("Redis may lose what the ledger has confirmed: {wrong}");
        return Ok(());
    }
    Err(LedgerError::not_safe(wrong))
}
