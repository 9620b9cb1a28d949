//! What an error of Redis means for a ledger.

use mrtr_core::ledger::LedgerError;
use redis::{ErrorKind, RedisError, ServerErrorKind};

/// Its text names addresses, never passwords.
pub(super) fn of(error: &RedisError) -> LedgerError {
    let text = error.to_string();
    if error.kind() == ErrorKind::AuthenticationFailed {
        return LedgerError::not_safe(text);
    }
    match error.code() {
        Some("NOAUTH" | "WRONGPASS" | "NOPERM") => LedgerError::not_safe(text),
        // loading, a replica, a script that runs for long, no memory, no disk, no replicas
        Some(
            "LOADING" | "READONLY" | "MASTERDOWN" | "BUSY" | "OOM" | "MISCONF" | "NOREPLICAS"
            | "TRYAGAIN" | "CLUSTERDOWN",
        ) => LedgerError::unavailable(text),
        _ if is_of_the_connection(error) => LedgerError::unavailable(text),
        _ => LedgerError::broken(text),
    }
}

/// Whether another connection may do better.
pub(super) fn is_of_the_connection(error: &RedisError) -> bool {
    error.is_io_error()
        || error.is_connection_dropped()
        || error.is_timeout()
        || error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
}
