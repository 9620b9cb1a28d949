//! What all stores bound in the same way.

use mrtr_core::ledger::LedgerError;

/// The longest result, value or journal that a ledger takes, in bytes.
pub const MAX_VALUE: usize = 4 * 1024 * 1024;

/// Refuses what is longer than [`MAX_VALUE`].
pub(crate) fn check_length(value: &[u8]) -> Result<(), LedgerError> {
    if value.len() > MAX_VALUE {
        return Err(LedgerError::too_large(format!(
            "{} bytes, at most {MAX_VALUE} are taken",
            value.len()
        )));
    }
    Ok(())
}

/// What a store may take for an operation, unless told otherwise.
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "redis"))]
pub(crate) const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);

/// An operation, or the error that it took too long.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) async fn in_time<T>(
    timeout: std::time::Duration,
    operation: impl Future<Output = Result<T, LedgerError>>,
) -> Result<T, LedgerError> {
    match tokio::time::timeout(timeout, operation).await {
        Ok(done) => done,
        Err(_) => Err(LedgerError::unavailable(format!(
            "no answer within {timeout:?}"
        ))),
    }
}
