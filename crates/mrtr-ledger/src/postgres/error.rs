//! What an error of PostgreSQL means for a ledger.

use std::error::Error as _;

use mrtr_core::ledger::LedgerError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// An error and its causes. They name users and hosts, never passwords.
fn text(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

pub(super) fn of(error: &Error) -> LedgerError {
    let text = text(error);
    let Some(code) = error.code() else {
        return LedgerError::unavailable(text);
    };
    match class(code) {
        // no such user, password, database or right: somebody has to set it up
        "28" | "3D" => LedgerError::not_safe(text),
        _ if *code == SqlState::INSUFFICIENT_PRIVILEGE => LedgerError::not_safe(text),
        // connections, resources, shut down, system; conflicts; a standby, which cannot write
        "08" | "53" | "57" | "58" | "40" | "55" | "25" => LedgerError::unavailable(text),
        _ => LedgerError::broken(text),
    }
}

fn class(code: &SqlState) -> &str {
    code.code().get(..2).unwrap_or_default()
}

/// Whether the table or the functions are not there.
pub(super) fn is_of_the_schema(error: &Error) -> bool {
    error.code().is_some_and(|code| {
        [
            SqlState::UNDEFINED_TABLE,
            SqlState::UNDEFINED_FUNCTION,
            SqlState::INVALID_SCHEMA_NAME,
        ]
        .contains(code)
    })
}

/// Whether the connection broke, or its server shuts down.
pub(super) fn is_of_the_connection(error: &Error) -> bool {
    match error.code() {
        None => true,
        Some(code) => *code == SqlState::ADMIN_SHUTDOWN,
    }
}
